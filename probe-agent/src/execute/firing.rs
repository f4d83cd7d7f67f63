//! Cases act when what they wait for occurs.

use std::cell::RefCell;

use jvmti_wire::plan::{Made, Trigger};
use jvmti_wire::trace::StepRef;

use super::occurrence::{EventAt, Firing, Occurrence};
use crate::execute::cases::{self, RunningCase};
use crate::execute::executor;
use crate::execute::filters;
use crate::execute::setup;
use crate::execute::step::RunningStep;
use crate::ffi::event;

impl Firing<'_> {
    /// Every case in whose scenario run this is, or that needs none, acts.
    pub fn fire(&self) {
        if let Some(cases) = cases::get() {
            cases.in_run().for_each(|case| {
                self.fire_for(case);
            });
        }
    }

    /// Every case acts for which the filter holds, whatever the scenario run.
    pub fn fire_where(&self, filter: impl Fn(&RunningCase) -> bool) {
        if let Some(cases) = cases::get() {
            cases.all().iter().filter(|case| filter(case)).for_each(|case| {
                self.fire_for(case);
            });
        }
    }

    /// The case takes the steps at its cursor for as long as they wait for this moment; then its handlers act.
    /// Whether anything was done.
    pub fn fire_for(&self, case: &RunningCase) -> bool {
        if let Occurrence::Event(at) = &self.occurrence
            && !case.awaits_event(at.event.number())
        {
            return false;
        }
        let mut acted = false;
        while let Some((at, step)) = case.next_step() {
            if !self.is_awaited_by(case, &step.at) {
                break;
            }
            // The cursor moves before the call: an event that the call causes may take the next step.
            if !case.claim_step(at) {
                continue;
            }
            acted = true;
            if at == 0 {
                setup::make(case, Made::FirstStep);
            }
            let reference = StepRef::Step { case: case.index, step: at as u32 };
            executor::act(
                &RunningStep { case, reference, save: step.save.as_deref(), firing: self },
                &step.action,
            );
            if at + 1 == case.plan.steps.len() {
                setup::dispose(case, Made::FirstStep, self.jni);
            }
        }
        for (index, handler) in case.plan.handlers.iter().enumerate() {
            if self.is_awaited_by(case, &handler.on) && !Acting::is(case, index) && case.claim_handler(index)
            {
                acted = true;
                let _acting = Acting::begin(case, index);
                for (action, what) in (0..).zip(&handler.actions) {
                    let reference = StepRef::Handler { case: case.index, handler: index as u32, action };
                    executor::act(&RunningStep { case, reference, save: None, firing: self }, what);
                }
            }
        }
        acted
    }

    fn is_awaited_by(&self, case: &RunningCase, trigger: &Trigger) -> bool {
        match (trigger, &self.occurrence) {
            (Trigger::OnLoad, Occurrence::OnLoad)
            | (Trigger::OnAttach, Occurrence::OnAttach)
            | (Trigger::OnUnload, Occurrence::OnUnload)
            | (Trigger::Primordial, Occurrence::Primordial)
            | (Trigger::VmStart, Occurrence::VmStart)
            | (Trigger::VmInit, Occurrence::VmInit)
            | (Trigger::VmDeath, Occurrence::VmDeath)
            | (Trigger::RunBegin, Occurrence::RunBegin)
            | (Trigger::RunEnd, Occurrence::RunEnd) => true,
            (Trigger::Checkpoint(awaited), Occurrence::Checkpoint(name)) => awaited == name,
            (_, Occurrence::Event(at)) if at.environment.case == Some(case.index) => {
                self.is_event(case, trigger, at)
            }
            (
                Trigger::Callback { of: awaited_of, callback: awaited },
                Occurrence::Callback { case: index, of, callback, .. },
            ) => case.index == *index && awaited_of == of && awaited == callback,
            _ => false,
        }
    }

    fn is_event(&self, case: &RunningCase, trigger: &Trigger, at: &EventAt<'_>) -> bool {
        let number = at.event.number();
        match trigger {
            Trigger::VmStart => number == event::VM_START,
            Trigger::VmInit => number == event::VM_INIT,
            Trigger::VmDeath => number == event::VM_DEATH,
            Trigger::Event { event, environment, only } => {
                *event == number
                    && environment.is_none_or(|index| index == at.environment.index)
                    && only.iter().all(|filter| filters::holds(case, filter, &at.event, self.jni))
            }
            _ => false,
        }
    }
}

thread_local! {
    /// The handlers that are acting on this thread.
    static ACTING: RefCell<Vec<(u32, usize)>> = const { RefCell::new(Vec::new()) };
}

/// A handler acts; what it causes itself does not make it act again.
struct Acting;

impl Acting {
    fn is(case: &RunningCase, handler: usize) -> bool {
        ACTING.try_with(|acting| acting.borrow().contains(&(case.index, handler))).unwrap_or(true)
    }

    fn begin(case: &RunningCase, handler: usize) -> Acting {
        let _ = ACTING.try_with(|acting| acting.borrow_mut().push((case.index, handler)));
        Acting
    }
}

impl Drop for Acting {
    fn drop(&mut self) {
        let _ = ACTING.try_with(|acting| acting.borrow_mut().pop());
    }
}
