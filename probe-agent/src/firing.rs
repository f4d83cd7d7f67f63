//! The moments at which something may be done, and what the cases do then.

use std::cell::RefCell;

use jvmti_wire::plan::{Made, Trigger};
use jvmti_wire::trace::StepRef;

use crate::cases::{self, Case};
use crate::environments::Environment;
use crate::executor;
use crate::ffi::{EventDescriptor, RawArg, event};
use crate::filters;
use crate::jni::Jni;
use crate::setup;

/// A moment.
#[derive(Clone, Copy)]
pub enum Moment<'a> {
    /// In `Agent_OnLoad`.
    OnLoad,
    /// In `Agent_OnAttach`.
    OnAttach,
    /// In `Agent_OnUnload`.
    OnUnload,
    /// In an event that came in the primordial phase.
    Primordial,
    /// In the probe's own VMStart event.
    VmStart,
    /// In the probe's own VMInit event.
    VmInit,
    /// In the probe's own VMDeath event.
    VmDeath,
    /// None that a step could wait for.
    Elsewhere,
    /// The case's turn begins.
    TurnBegin,
    /// The case's turn ends.
    TurnEnd,
    /// The scenario reached a checkpoint of that name.
    Checkpoint(&'a str),
    /// An event arrived.
    Event(EventAt<'a>),
    /// A callback given to a call of a step was invoked.
    Callback {
        /// Index of the case.
        case: u32,
        /// Name under which the step is saved.
        of: &'a str,
        /// C type name of the callback.
        callback: &'static str,
        /// Its parameters.
        args: &'a [RawArg],
    },
}

/// An event that arrived.
#[derive(Clone, Copy)]
pub struct EventAt<'a> {
    /// The environment it was sent to.
    pub environment: &'static Environment,
    /// Its description.
    pub descriptor: &'static EventDescriptor,
    /// Its parameters after the environment.
    pub args: &'a [RawArg],
}

/// A moment on a thread.
#[derive(Clone, Copy)]
pub struct Firing<'a> {
    /// The moment.
    pub moment: Moment<'a>,
    /// JNI environment of the thread, where JNI may be used.
    pub jni: Option<Jni>,
}

impl Firing<'_> {
    /// Every case in whose turn this is, or that needs none, acts.
    pub fn fire(&self) {
        if let Some(cases) = cases::get() {
            cases.in_turn().for_each(|case| {
                self.fire_for(case);
            });
        }
    }

    /// Every case acts for which the filter holds, whatever the turn.
    pub fn fire_where(&self, filter: impl Fn(&Case) -> bool) {
        if let Some(cases) = cases::get() {
            cases.all().iter().filter(|case| filter(case)).for_each(|case| {
                self.fire_for(case);
            });
        }
    }

    /// The case takes the steps at its cursor for as long as they wait for this moment; then its handlers act.
    /// Whether anything was done.
    pub fn fire_for(&self, case: &Case) -> bool {
        if let Moment::Event(at) = &self.moment
            && !case.awaits_event(at.descriptor.number)
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
            executor::act(case, reference, &step.action, step.save.as_deref(), self);
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
                    executor::act(case, reference, what, None, self);
                }
            }
        }
        acted
    }

    fn is_awaited_by(&self, case: &Case, trigger: &Trigger) -> bool {
        match (trigger, &self.moment) {
            (Trigger::OnLoad, Moment::OnLoad)
            | (Trigger::OnAttach, Moment::OnAttach)
            | (Trigger::OnUnload, Moment::OnUnload)
            | (Trigger::Primordial, Moment::Primordial)
            | (Trigger::VmStart, Moment::VmStart)
            | (Trigger::VmInit, Moment::VmInit)
            | (Trigger::VmDeath, Moment::VmDeath)
            | (Trigger::TurnBegin, Moment::TurnBegin)
            | (Trigger::TurnEnd, Moment::TurnEnd) => true,
            (Trigger::Checkpoint(awaited), Moment::Checkpoint(name)) => awaited == name,
            (_, Moment::Event(at)) if at.environment.case == Some(case.index) => {
                self.is_event(case, trigger, at)
            }
            (
                Trigger::Callback { of: awaited_of, callback: awaited },
                Moment::Callback { case: index, of, callback, .. },
            ) => case.index == *index && awaited_of == of && awaited == callback,
            _ => false,
        }
    }

    fn is_event(&self, case: &Case, trigger: &Trigger, at: &EventAt<'_>) -> bool {
        let number = at.descriptor.number;
        match trigger {
            Trigger::VmStart => number == event::VM_START,
            Trigger::VmInit => number == event::VM_INIT,
            Trigger::VmDeath => number == event::VM_DEATH,
            Trigger::Event { event, environment, only } => {
                *event == number
                    && environment.is_none_or(|index| index == at.environment.index)
                    && only.iter().all(|filter| filters::holds(case, filter, at, self.jni))
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
    fn is(case: &Case, handler: usize) -> bool {
        ACTING.try_with(|acting| acting.borrow().contains(&(case.index, handler))).unwrap_or(true)
    }

    fn begin(case: &Case, handler: usize) -> Acting {
        let _ = ACTING.try_with(|acting| acting.borrow_mut().push((case.index, handler)));
        Acting
    }
}

impl Drop for Acting {
    fn drop(&mut self) {
        let _ = ACTING.try_with(|acting| acting.borrow_mut().pop());
    }
}
