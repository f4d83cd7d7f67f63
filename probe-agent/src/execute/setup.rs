//! Makes the environments of a case ready, and disposes of them.

use jvmti_wire::plan::{Arg, Made};
use jvmti_wire::trace::{Body, StepRef};

use crate::execute::call;
use crate::execute::cases::RunningCase;
use crate::execute::handover;
use crate::ffi::{self, event, slot};
use crate::marshal::Reason;
use crate::recording::record;
use crate::vm::environments::{self, OwnEnvironment};
use crate::vm::jni::Jni;

const ENABLE: i64 = 1;

/// Makes those of the case's environments whose time has come, with their capabilities, and enables the events whose time
/// has come.
pub fn make(case: &RunningCase, now: Made) {
    for (index, wanted) in (0u8..).zip(&case.plan.environments).filter(|(_, wanted)| wanted.made == now) {
        let inherited = wanted
            .chain
            .filter(|_| now == Made::Inherited)
            .and_then(|chain| handover::take(case.index, index, chain, &wanted.capabilities));
        let (environment, lacking) = match inherited {
            Some(inherited) => inherited,
            None => match environments::make(Some(case.index), index, wanted.version) {
                Ok(environment) => (environment, wanted.capabilities.clone()),
                Err(_) => continue,
            },
        };
        case.set_environment(index, environment);
        environments::set_callbacks(environment.env);
        if !lacking.is_empty() {
            let lacking = vec![Arg::Bytes(ffi::capabilities(&lacking))];
            call_for_setup(case, environment, slot::ADD_CAPABILITIES, lacking);
        }
    }
    for (index, wanted) in (0u8..).zip(&case.plan.environments).filter(|(_, wanted)| wanted.enabled == now) {
        let Some(environment) = case.environment(index).filter(|environment| !environment.is_gone()) else {
            continue;
        };
        for event in &wanted.events {
            let args = vec![Arg::Int(ENABLE), Arg::Int((*event).into()), Arg::Null];
            call_for_setup(case, environment, slot::SET_EVENT_NOTIFICATION_MODE, args);
        }
    }
}

/// Disposes of those of the case's environments that were made at that time, or of all. If none is left then, what
/// the steps saved is given back first.
pub fn dispose(case: &RunningCase, made: impl Into<Option<Made>>, jni: Option<Jni>) {
    let made = made.into();
    let there = (0u8..).zip(&case.plan.environments).filter_map(|(index, wanted)| {
        let environment = case.environment(index).filter(|environment| !environment.is_gone())?;
        Some((environment, made.is_none_or(|made| wanted.made == made)))
    });
    let there: Vec<(&'static OwnEnvironment, bool)> = there.collect();
    if there.iter().all(|(_, goes)| *goes) {
        case.release_saved(jni);
    }
    for (environment, _) in there.iter().filter(|(_, goes)| *goes) {
        call_for_setup(case, environment, slot::DISPOSE_ENVIRONMENT, vec![]);
    }
}

/// Whether one of the case's environments is sent that event of the VM's life by itself.
pub fn is_sent(case: &RunningCase, number: u16) -> bool {
    (0u8..).zip(&case.plan.environments).any(|(index, wanted)| {
        let in_time = match wanted.enabled {
            Made::OnLoad => true,
            Made::VmStart => number != event::VM_START,
            _ => number == event::VM_DEATH,
        };
        in_time
            && wanted.events.contains(&number)
            && case.environment(index).is_some_and(|environment| !environment.is_gone())
    })
}

fn call_for_setup(case: &RunningCase, environment: &'static OwnEnvironment, function: u16, args: Vec<Arg>) {
    let step = StepRef::Setup { case: case.index };
    if let Err(Reason(reason)) = call::call_here(case, step, environment, function, &args) {
        record(&Body::StepFailed { step, reason });
    }
}
