//! The steps after a sequence that undo what it has done, so that the next one finds the cast as it should be.

use jvmti_wire::plan::{Arg, OnThread};

use crate::cast;
use crate::generate::hazards;
use crate::model::state::{ThreadArgument, Tri};
use crate::model::{Model, Tables};
use crate::sequence::{Call, Capabilities, Moment, Move, Sequence};

/// The steps that resume threads and leave raw monitors, and the action that brings the cast back into its states.
pub fn steps(tables: &Tables, sequence: &Sequence) -> Vec<Move> {
    let mut model = Model::new(tables, sequence);
    sequence.steps.iter().for_each(|step| model.foresee(step));
    let mut steps = unhandled(tables, sequence, &model);
    let mut call = |name: &str, environment: u8, args: Vec<Arg>| {
        if let Some(function) = tables.edition.function(name).map(|function| function.slot) {
            let on = OnThread::Current;
            steps.push(Move::Call(Call { environment, function, args, on, save: None }));
        }
    };
    let mut monitors: Vec<_> = model.state.monitors.iter().collect();
    monitors.sort_by_key(|(name, _)| *name);
    for (name, monitor) in monitors {
        for _ in 0..monitor.entered {
            call("RawMonitorExit", 0, vec![Arg::Output { step: name.clone(), param: 1, path: vec![] }]);
        }
    }
    if sequence.moment != Moment::Checkpoint {
        return steps;
    }
    let able = able_to(tables, "can_suspend", sequence.environments.iter().copied(), &model);
    let relinquishes = calls(tables, sequence, "RelinquishCapabilities");
    // Other sequences expect the variables at the checkpoint to be as they were.
    if !model.state.locals.is_empty() {
        let here = |slot, value| vec![Arg::Null, Arg::Int(1), Arg::Int(slot), Arg::Int(value)];
        let now = model.state.environments.iter().map(|environment| environment.capabilities);
        let setting = able_to(tables, "can_access_local_variables", now, &model);
        if relinquishes {
            call("AddCapabilities", setting, vec![only("can_access_local_variables")]);
        }
        call("SetLocalInt", setting, here(0, 1));
        call("SetLocalLong", setting, here(1, 2));
    }
    if relinquishes {
        call("AddCapabilities", able, vec![only("can_suspend")]);
    }
    // HotSpot lets virtual threads that start later rest, too, until all are resumed.
    if calls(tables, sequence, "SuspendAllVirtualThreads") {
        call("ResumeAllVirtualThreads", able, vec![Arg::Int(0), Arg::List(vec![])]);
    }
    let moved = |step: &Move| matches!(step, Move::Java("wake" | "interrupt"));
    let mut disturbed = sequence.steps.iter().any(moved) || model.state.interrupted != Tri::No;
    for (index, (role, thread)) in tables.roles.iter().zip(&model.state.threads).enumerate() {
        if model.state.is_suspended(ThreadArgument::Role(index)) != Tri::No {
            call("ResumeThread", able, vec![Arg::Named(role.name.clone())]);
            disturbed = true;
        }
        disturbed |= !thread.undisturbed || thread.alive == Tri::Maybe;
    }
    if disturbed {
        steps.extend(quietened(tables, &model));
        // What agent threads have asked for is not known.
        if sequence.is_crowd() || model.state.threads.iter().any(|thread| thread.asked) {
            steps.push(Move::Java(cast::ROUSE));
        }
        steps.push(Move::Java(cast::REPAIR));
    }
    steps
}

/// A `jvmtiCapabilities` with that capability alone.
fn only(capability: &str) -> Arg {
    Arg::Struct(vec![(capability.to_owned(), Arg::Int(1))])
}

/// Whether the sequence calls the function anywhere.
fn calls(tables: &Tables, sequence: &Sequence, name: &str) -> bool {
    let slot = tables.edition.function(name).map(|function| function.slot);
    slot.is_some() && sequence.all_calls().any(|call| Some(call.function) == slot)
}

/// Disables the events that would come at each step of the repair, and cost more than all of the sequence.
fn quietened(tables: &Tables, model: &Model<'_>) -> Vec<Move> {
    let Some(mode) = tables.edition.function("SetEventNotificationMode") else { return vec![] };
    let dense = |number: i64| {
        let number = u16::try_from(number).ok();
        number.and_then(|n| tables.edition.event_by_number(n)).is_some_and(|e| hazards::is_dense(&e.name))
    };
    let mut steps = Vec::new();
    for (index, environment) in (0..).zip(&model.state.environments).filter(|(_, e)| !e.disposed) {
        let global = environment.global.iter().map(|number| (*number, Arg::Null));
        let main = Arg::Named("main".to_owned());
        let on_main = environment.local.iter().filter(|(_, thread)| *thread == ThreadArgument::Main);
        let mut enabled: Vec<(i64, Arg)> = global
            .chain(on_main.map(|(number, _)| (*number, main.clone())))
            .filter(|(n, _)| dense(*n))
            .collect();
        enabled.sort_by_key(|(number, thread)| (*number, *thread != Arg::Null));
        steps.extend(enabled.into_iter().map(|(number, thread)| {
            let args = vec![Arg::Int(0), Arg::Int(number), thread];
            let on = OnThread::Current;
            Move::Call(Call { environment: index, function: mode.slot, args, on, save: None })
        }));
    }
    steps
}

/// The first environment with the capability, of those with these sets; one that is disposed of cannot do anything.
fn able_to(
    tables: &Tables,
    capability: &str,
    sets: impl Iterator<Item = Capabilities>,
    model: &Model<'_>,
) -> u8 {
    let bit = tables.edition.capability(capability).map(|capability| capability.bit);
    let mut sets = sets.enumerate();
    let able = |(index, set): (usize, Capabilities)| {
        !model.state.environments[index].disposed && bit.is_some_and(|bit| set >> bit & 1 == 1)
    };
    sets.position(able).unwrap_or(0) as u8
}

/// Disables the events that handlers act on: nothing is to be done in callbacks any more.
fn unhandled(tables: &Tables, sequence: &Sequence, model: &Model<'_>) -> Vec<Move> {
    let mode = tables.edition.function("SetEventNotificationMode").map(|function| function.slot);
    let enables = |call: &&Call| {
        Some(call.function) == mode
            && call.args.first() == Some(&Arg::Int(1))
            && sequence.handlers.iter().any(|h| call.args.get(1) == Some(&Arg::Int(h.event.into())))
            && !model.state.environments.get(usize::from(call.environment)).is_none_or(|e| e.disposed)
    };
    let disabled = |call: &Call| {
        let mut call = Call { on: OnThread::Current, ..call.clone() };
        call.args[0] = Arg::Int(0);
        Move::Call(call)
    };
    let mut steps: Vec<Move> = sequence.all_calls().filter(enables).map(disabled).collect();
    steps.dedup();
    steps
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Release;
    use jvmti_wire::plan::Invalid;

    use super::*;

    fn call(tables: &Tables, name: &str, args: Vec<Arg>) -> Move {
        let function = tables.edition.function(name).unwrap().slot;
        Move::Call(Call { environment: 0, function, args, on: OnThread::Current, save: None })
    }

    #[test]
    fn what_a_thread_was_asked_for_comes_to_it_before_the_next_sequence() {
        let tables = Tables::new(Release(17));
        let ended = |function: &str, args: Vec<Arg>| {
            let called = vec![call(&tables, function, args)];
            let sequence = Sequence { environments: vec![u128::MAX], steps: called, ..Sequence::default() };
            steps(&tables, &sequence)
        };
        let parked = || Arg::Named("parked".to_owned());
        let stopped = ended("StopThread", vec![parked(), Arg::Named("throwable".to_owned())]);
        assert_eq!(stopped, [Move::Java(cast::ROUSE), Move::Java(cast::REPAIR)]);
        assert_eq!(ended("GetThreadState", vec![parked(), Arg::Storage]), []);
    }

    #[test]
    fn a_thread_is_resumed_though_another_one_of_the_list_is_invalid() {
        let tables = Tables::new(Release(17));
        let call = |name, args| call(&tables, name, args);
        let parked = || Arg::Named("parked".to_owned());
        let list = Arg::List(vec![parked(), Arg::Invalid(Invalid::PlainObject)]);
        let suspend = call("SuspendThreadList", vec![Arg::Int(2), list, Arg::Storage]);
        let sequence =
            Sequence { environments: vec![u128::MAX], steps: vec![suspend], ..Sequence::default() };
        assert!(steps(&tables, &sequence).contains(&call("ResumeThread", vec![parked()])));
    }

    #[test]
    fn an_environment_that_can_sets_the_variables_again() {
        let tables = Tables::new(Release(17));
        let bit = tables.edition.capability("can_access_local_variables").unwrap().bit;
        let function = tables.edition.function("SetLocalInt").unwrap().slot;
        let args = vec![Arg::Null, Arg::Int(1), Arg::Int(0), Arg::Int(0)];
        let on = OnThread::Current;
        let set = Move::Call(Call { environment: 1, function, args, on, save: None });
        let environments = vec![!(1 << bit), u128::MAX];
        let sequence = Sequence { environments, steps: vec![set], ..Sequence::default() };
        let again = steps(&tables, &sequence);
        assert!(!again.is_empty());
        assert!(again.iter().all(|step| matches!(step, Move::Call(call) if call.environment == 1)));
    }

    #[test]
    fn the_variables_are_set_again_without_the_capability_that_was_relinquished() {
        let tables = Tables::new(Release(17));
        let call = |name, args| call(&tables, name, args);
        let one = || only("can_access_local_variables");
        let set = call("SetLocalInt", vec![Arg::Null, Arg::Int(1), Arg::Int(0), Arg::Int(0)]);
        let relinquish = call("RelinquishCapabilities", vec![one()]);
        let sequence =
            Sequence { environments: vec![u128::MAX], steps: vec![set, relinquish], ..Sequence::default() };
        assert_eq!(steps(&tables, &sequence).first(), Some(&call("AddCapabilities", vec![one()])));
    }
}
