//! The cases of the plan while they run: each with its cursor, its environments and what its steps saved.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use jvmti_wire::plan::{self, Plan, Trigger};

use crate::execute::saved::Saved;
use crate::ffi::event;
use crate::vm::environments::OwnEnvironment;
use crate::vm::jni::Jni;

static CASES: OnceLock<Cases> = OnceLock::new();
const NO_RUN: u32 = u32::MAX;

/// All cases of the plan.
pub struct Cases {
    all: Vec<RunningCase>,
    /// For each scenario run, the cases that are in it, those that need none included, in order.
    of_run: Vec<Vec<u32>>,
    /// Those that need no scenario run.
    without_run: Vec<u32>,
    /// Those that wait for more than checkpoints and callbacks, in order: for a moment of the VM's life, or for an event, which
    /// may be one.
    of_life: Vec<u32>,
    run: AtomicU32,
    returns: &'static [i32],
}

/// A case while it runs.
pub struct RunningCase {
    /// Index in the plan.
    pub index: u32,
    /// What it is to do.
    pub plan: &'static plan::PlannedCase,
    cursor: AtomicUsize,
    /// Events that some step or handler waits for, by number.
    awaited: Vec<u16>,
    environments: Vec<OnceLock<&'static OwnEnvironment>>,
    saved: Mutex<HashMap<String, Saved>>,
    handled: Vec<AtomicU32>,
}

/// Sets the plan; `false`: there was one already.
pub fn install(plan: Plan) -> bool {
    let plan: &'static Plan = Box::leak(Box::new(plan));
    let in_run = |run: Option<u32>| {
        let counts = |(_, case): &(u32, &plan::PlannedCase)| case.run.is_none() || case.run == run;
        (0..).zip(&plan.cases).filter(counts).map(|(index, _)| index).collect::<Vec<u32>>()
    };
    CASES
        .set(Cases {
            all: (0..).zip(&plan.cases).map(|(index, case)| RunningCase::new(index, case)).collect(),
            of_run: (0..).zip(&plan.scenario_runs).map(|(run, _)| in_run(Some(run))).collect(),
            without_run: in_run(None),
            of_life: (0..).zip(&plan.cases).filter(|(_, case)| lives(case)).map(|(index, _)| index).collect(),
            run: AtomicU32::new(NO_RUN),
            returns: &plan.returns,
        })
        .is_ok()
}

/// All cases, once the plan is known.
pub fn get() -> Option<&'static Cases> {
    CASES.get()
}

impl Cases {
    /// Every case, in order.
    pub fn all(&self) -> &[RunningCase] {
        &self.all
    }

    /// The case of that index.
    pub fn case(&self, index: u32) -> Option<&RunningCase> {
        self.all.get(index as usize)
    }

    /// What the plan has that call of a start-up function return.
    pub fn returns(&self, call: usize) -> Option<i32> {
        self.returns.get(call).copied()
    }

    /// The scenario run under way, if any.
    pub fn run(&self) -> Option<u32> {
        let run = self.run.load(Ordering::Acquire);
        (run != NO_RUN).then_some(run)
    }

    /// Begins a scenario run, or ends it.
    pub fn set_run(&self, run: Option<u32>) {
        self.run.store(run.unwrap_or(NO_RUN), Ordering::Release);
    }

    /// The cases whose checkpoints count now, in order.
    pub fn in_run(&self) -> impl Iterator<Item = &RunningCase> {
        let indices = match self.run() {
            Some(run) => self.of_run.get(run as usize).unwrap_or(&self.without_run),
            None => &self.without_run,
        };
        indices.iter().filter_map(|index| self.case(*index))
    }

    /// The cases that may wait for a moment of the VM's life, in order.
    pub fn of_life(&self) -> impl Iterator<Item = &RunningCase> {
        self.of_life.iter().filter_map(|index| self.case(*index))
    }

    /// The cases that belong to the scenario run.
    pub fn of_run(&self, run: u32) -> impl Iterator<Item = &RunningCase> {
        self.all.iter().filter(move |case| case.plan.run == Some(run))
    }
}

fn triggers(case: &plan::PlannedCase) -> impl Iterator<Item = &Trigger> {
    case.steps.iter().map(|step| &step.at).chain(case.handlers.iter().map(|handler| &handler.on))
}

/// Whether the case waits for more than checkpoints and callbacks.
fn lives(case: &plan::PlannedCase) -> bool {
    triggers(case).any(|trigger| !matches!(trigger, Trigger::Checkpoint(_) | Trigger::Callback { .. }))
}

/// The event that the trigger is, or may come with.
fn awaited(trigger: &Trigger) -> Option<u16> {
    Some(match trigger {
        Trigger::VmStart => event::VM_START,
        Trigger::VmInit => event::VM_INIT,
        Trigger::VmDeath => event::VM_DEATH,
        Trigger::Event { event, .. } => *event,
        _ => return None,
    })
}

impl RunningCase {
    fn new(index: u32, plan: &'static plan::PlannedCase) -> RunningCase {
        RunningCase {
            index,
            plan,
            cursor: AtomicUsize::new(0),
            awaited: triggers(plan).filter_map(awaited).collect(),
            environments: plan.environments.iter().map(|_| OnceLock::new()).collect(),
            saved: Mutex::default(),
            handled: plan.handlers.iter().map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// A case for tests that does nothing.
    #[cfg(test)]
    pub fn empty() -> RunningCase {
        let (id, environments, steps, handlers) = (String::new(), vec![], vec![], vec![]);
        RunningCase::new(
            0,
            Box::leak(Box::new(plan::PlannedCase { id, run: None, environments, steps, handlers })),
        )
    }

    /// Whether some step or handler waits for that event.
    pub fn awaits_event(&self, number: u16) -> bool {
        self.awaited.contains(&number)
    }

    /// The step at the cursor.
    pub fn next_step(&self) -> Option<(usize, &'static plan::PlannedStep)> {
        let at = self.cursor.load(Ordering::Acquire);
        self.plan.steps.get(at).map(|step| (at, step))
    }

    /// Moves the cursor past that step; `false`: somebody else took it.
    pub fn claim_step(&self, at: usize) -> bool {
        self.cursor.compare_exchange(at, at + 1, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Counts one more use of the handler; `false`: it has been used as often as it may.
    pub fn claim_handler(&self, handler: usize) -> bool {
        let (Some(plan), Some(used)) = (self.plan.handlers.get(handler), self.handled.get(handler)) else {
            return false;
        };
        let Some(times) = plan.times else { return true };
        used.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |used| (used < times).then_some(used + 1))
            .is_ok()
    }

    /// The environment of that index, if it has been made; it may be gone.
    pub fn environment(&self, index: u8) -> Option<&'static OwnEnvironment> {
        self.environments.get(usize::from(index))?.get().copied()
    }

    /// Remembers the environment of that index, which is made once.
    pub fn set_environment(&self, index: u8, environment: &'static OwnEnvironment) {
        if let Some(place) = self.environments.get(usize::from(index)) {
            let _ = place.set(environment);
        }
    }

    /// What the steps saved, by the name given there. Not to be held across a call into the VM.
    pub fn saved(&self) -> MutexGuard<'_, HashMap<String, Saved>> {
        self.saved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Saves something under a name, in place of what was there.
    pub fn save(&self, name: &str, saved: Saved, jni: Option<Jni>) {
        let old = self.saved().insert(name.to_owned(), saved);
        if let Some(old) = old {
            old.release(jni);
        }
    }

    /// The plan has given that memory back by itself.
    pub fn disown(&self, memory: u64) {
        for saved in self.saved().values_mut() {
            if let Saved::Call(call) = saved {
                call.disown(memory);
            }
        }
    }

    /// Gives back all that the steps saved.
    pub fn release_saved(&self, jni: Option<Jni>) {
        let all = std::mem::take(&mut *self.saved());
        all.into_values().for_each(|saved| saved.release(jni));
    }

    /// Whether the case's scenario run is under way, or it needs none.
    pub fn is_in_run(&self) -> bool {
        self.plan.run.is_none_or(|run| get().and_then(Cases::run) == Some(run))
    }

    /// Whether something remains to be done, in a step or handler, once the VM dies.
    pub fn outlives_run(&self) -> bool {
        let late = |at: &Trigger| {
            let death = event::VM_DEATH;
            matches!(at, Trigger::VmDeath | Trigger::OnUnload)
                || matches!(at, Trigger::Event { event, .. } if *event == death)
        };
        triggers(self.plan).any(late)
    }
}
