use jvmti_spec::Release;
use jvmti_traces::Names;
use jvmti_wire::plan::{Arg, OnThread};
use jvmti_wire::value::Value;
use proptest::prelude::*;

use super::{CallEnd, Model, Tables};
use crate::coverage::Reached;
use crate::generate::{Generator, Offered, redefinition};
use crate::sequence::{Call, EventHandler, Moment, Move, Sequence};

fn tables(release: u16) -> Tables {
    Tables::new(Release(release))
}

fn sequence(tables: &Tables, seed: u64, undefined: bool) -> Sequence {
    let all = tables.edition.capabilities.iter().fold(0, |set, c| set | 1 << c.bit);
    let moment = Moment::ALL[seed as usize % Moment::ALL.len()];
    let offered = Offered { all, ..Offered::default() };
    Generator::new(tables, offered, &[], undefined, seed).sequence(seed, moment, &Reached::default())
}

/// Executes the sequence on a JVM that answers with `answer`, and returns the breaches.
fn run(
    tables: &Tables,
    sequence: &Sequence,
    answer: impl Fn(&super::Allowed<'_>) -> i32,
) -> Vec<super::Breach> {
    let names = Names::new(&tables.edition);
    let mut model = Model::new(tables, sequence);
    let mut breaches = Vec::new();
    for step in &sequence.steps {
        match step {
            Move::Java(action) => model.acted(action),
            Move::Edit { file, by, save } => model.edited(file, by, save),
            Move::Reply(_) => {}
            Move::Call(call) => {
                let code = answer(&model.allowed(call));
                breaches.extend(model.judge(call, &CallEnd { code, outputs: &[] }, &names));
            }
        }
    }
    breaches
}

proptest! {
    /// A JVM that returns an error that is due, or else succeeds, is never blamed.
    #[test]
    fn a_correct_jvm_is_not_blamed(seed in any::<u64>(), release in 8u16..=28, undefined in any::<bool>()) {
        let tables = tables(release);
        let sequence = sequence(&tables, seed, undefined);
        let breaches = run(&tables, &sequence, |allowed| allowed.due.first().map_or(0, |row| row.error));
        prop_assert!(breaches.is_empty(), "{sequence:?}: {breaches:?}");
    }

    /// Nor is one that returns errors wherever the model cannot know that they are wrong.
    #[test]
    fn a_jvm_that_is_unable_is_not_blamed(seed in any::<u64>(), release in 8u16..=28) {
        let tables = tables(release);
        let sequence = sequence(&tables, seed, false);
        let breaches = run(&tables, &sequence, |allowed| {
            allowed.due.first().or(allowed.possible.last()).map_or(0, |row| row.error)
        });
        prop_assert!(breaches.is_empty(), "{sequence:?}: {breaches:?}");
    }

    /// A JVM that need not detect errors of the agent is never blamed for more than the text permits.
    #[test]
    fn an_undetected_agent_error_is_permitted(seed in any::<u64>()) {
        let tables = tables(25);
        let sequence = sequence(&tables, seed, true);
        let breaches = run(&tables, &sequence, |allowed| {
            allowed.due.iter().find(|row| row.must).map_or(0, |row| row.error)
        });
        prop_assert!(breaches.iter().all(|breach| !breach.must), "{sequence:?}: {breaches:?}");
    }

    /// A JVM that never succeeds is blamed as soon as it must.
    #[test]
    fn a_broken_jvm_is_blamed(seed in any::<u64>()) {
        const INTERNAL: i32 = 113;
        let tables = tables(25);
        let sequence = sequence(&tables, seed, false);
        let breaches = run(&tables, &sequence, |_| INTERNAL);
        prop_assert_eq!(breaches.is_empty(), sequence.calls().next().is_none());
    }
}

#[test]
fn every_citation_is_a_statement() {
    for release in [8, 17, 25, 28] {
        let tables = tables(release);
        let assertions: jvmti_spec::Assertions =
            jvmti_spec::Spec::embedded().assertions(Release(release)).into_iter().collect();
        for function in &tables.edition.functions {
            for row in tables.rows(function) {
                assert!(assertions.get(&row.cite).is_some(), "{release}: {}", row.cite);
            }
            let phase = format!("{}#phase/live", function.name);
            assert!(assertions.get(&phase).is_some(), "{release}: {phase}");
        }
    }
}

#[test]
fn suspending_twice_is_an_error() {
    let tables = tables(25);
    let slot = tables.edition.function("SuspendThread").unwrap().slot;
    let suspend = || {
        Move::Call(Call {
            environment: 0,
            function: slot,
            args: vec![Arg::Named("parked".to_owned())],
            on: OnThread::Current,
            save: None,
        })
    };
    let sequence =
        Sequence { environments: vec![u128::MAX], steps: vec![suspend(), suspend()], ..Sequence::default() };
    let breaches = run(&tables, &sequence, |_| 0);
    assert_eq!(breaches.len(), 1);
    assert_eq!(breaches[0].expected, "THREAD_SUSPENDED");
    assert_eq!(breaches[0].cites, ["SuspendThread#errors/THREAD_SUSPENDED"]);
    assert!(breaches[0].must);
}

/// What the model expects of a redefinition after this edit of the class that nobody uses.
fn redefined(by: &'static str) -> (Vec<String>, Vec<String>) {
    let tables = tables(25);
    let edit = Move::Edit { file: "target_file", by, save: "e1".to_owned() };
    let redefinition = redefinition::redefinition(&tables, 0, crate::edits::REDEFINABLE[0], "e1").unwrap();
    let sequence = Sequence { environments: vec![u128::MAX], ..Sequence::default() };
    let mut model = Model::new(&tables, &sequence);
    model.foresee(&edit);
    let Move::Call(call) = redefinition else { panic!("it is a call") };
    let allowed = model.allowed(&call);
    let names = |rows: &[&super::Row]| rows.iter().map(|row| row.name.clone()).collect();
    (names(&allowed.due), names(&allowed.possible))
}

#[test]
fn the_edit_tells_what_becomes_of_a_redefinition() {
    // Which classes are modifiable is up to the JVM.
    assert_eq!(redefined("constants double"), (vec![], vec!["UNMODIFIABLE_CLASS".to_owned()]));
    assert_eq!(redefined("class jvmticheck/Other").0, ["NAMES_DONT_MATCH"]);
}

#[test]
fn redefinitions_clear_breakpoints_of_the_class_only() {
    let tables = tables(25);
    let sequence = Sequence { environments: vec![u128::MAX], ..Sequence::default() };
    let mut model = Model::new(&tables, &sequence);
    let slot = tables.edition.function("SetBreakpoint").unwrap().slot;
    let set = |method: usize| {
        Move::Call(Call {
            environment: 0,
            function: slot,
            args: vec![crate::cast::METHODS[method].arg(), Arg::Int(0)],
            on: OnThread::Current,
            save: None,
        })
    };
    model.foresee(&set(0));
    model.foresee(&set(6));
    assert_eq!(model.state.environments[0].breakpoints.len(), 2);
    model.foresee(&Move::Edit { file: "target_file", by: "", save: "e1".to_owned() });
    model.foresee(&redefinition::redefinition(&tables, 0, crate::edits::REDEFINABLE[0], "e1").unwrap());
    assert_eq!(model.state.environments[0].breakpoints.len(), 1);
}

/// What the model objects to in what GetThreadState tells of the thread at the beginning of a sequence.
fn blamed(thread: &str, state: i64) -> Vec<super::Breach> {
    let tables = tables(25);
    let sequence = Sequence { environments: vec![u128::MAX], ..Sequence::default() };
    let mut model = Model::new(&tables, &sequence);
    let args = vec![Arg::Named(thread.to_owned()), Arg::Storage];
    let Move::Call(call) = call(&tables, "GetThreadState", args) else { panic!("it is a call") };
    let outputs = [(1, Value::Int(state))];
    let names = Names::new(&tables.edition);
    model.judge(&call, &CallEnd { code: 0, outputs: &outputs }, &names)
}

fn is_blamed(thread: &str, state: i64) -> bool {
    !blamed(thread, state).is_empty()
}

#[test]
fn a_wrong_state_is_told_as_cases_write_it() {
    let breach = blamed("parked", 0x5).remove(0);
    let has = "has: [ALIVE, WAITING, WAITING_INDEFINITELY, PARKED]";
    assert_eq!(breach.expected, format!("{{{has}, lacks: [TERMINATED, RUNNABLE, SUSPENDED, INTERRUPTED]}}"));
}

#[test]
fn earlier_sequences_may_have_interrupted_threads_that_do_not_notice() {
    const BLOCKED: i64 = 0x401;
    const PARKED: i64 = 0x291;
    const INTERRUPTED: i64 = 0x20_0000;
    assert!(!is_blamed("blocked", BLOCKED) && !is_blamed("blocked", BLOCKED | INTERRUPTED));
    assert!(!is_blamed("parked", PARKED) && is_blamed("parked", PARKED | INTERRUPTED));
}

/// A call on the main thread.
fn call(tables: &Tables, function: &str, args: Vec<Arg>) -> Move {
    let function = tables.edition.function(function).unwrap().slot;
    Move::Call(Call { environment: 0, function, args, on: OnThread::Current, save: None })
}

#[test]
fn whether_all_resumes_a_thread_that_may_have_ended_is_not_known() {
    let tables = tables(25);
    let sequence = Sequence { environments: vec![u128::MAX], ..Sequence::default() };
    let mut model = Model::new(&tables, &sequence);
    let thread = Arg::Named("virtual_in_native".to_owned());
    model.foresee(&call(&tables, "SuspendAllVirtualThreads", vec![Arg::Int(0), Arg::Null]));
    model.foresee(&call(&tables, "StopThread", vec![thread.clone(), Arg::Named("throwable".to_owned())]));
    model.foresee(&call(&tables, "ResumeAllVirtualThreads", vec![Arg::Int(0), Arg::Null]));
    let Move::Call(resume) = call(&tables, "ResumeThread", vec![thread]) else { panic!("it is a call") };
    let allowed = model.allowed(&resume);
    assert!(allowed.due.is_empty());
    assert!(allowed.possible.iter().any(|row| row.name == "THREAD_NOT_SUSPENDED"));
}

#[test]
fn whether_a_refused_call_has_resumed_all_is_not_known() {
    let tables = tables(25);
    let sequence = Sequence { environments: vec![u128::MAX], ..Sequence::default() };
    let mut model = Model::new(&tables, &sequence);
    let parked = || Arg::Named("virtual_parked".to_owned());
    model.foresee(&call(&tables, "SuspendThread", vec![parked()]));
    model.foresee(&call(
        &tables,
        "ResumeAllVirtualThreads",
        vec![Arg::Int(1), Arg::List(vec![Arg::CurrentThread])],
    ));
    let target = model.state.target(&tables.roles, &parked(), false, OnThread::Current);
    assert_eq!(model.state.is_suspended(target), super::Tri::Maybe);
}

#[test]
fn variables_that_a_callback_sets_are_not_known() {
    let tables = tables(25);
    let sequence = Sequence { environments: vec![u128::MAX], ..Sequence::default() };
    let mut model = Model::new(&tables, &sequence);
    let args = vec![Arg::Null, Arg::Int(2), Arg::Int(0), Arg::Int(9)];
    let Move::Call(set) = call(&tables, "SetLocalInt", args) else { panic!("it is a call") };
    let names = Names::new(&tables.edition);
    let only = vec![(1, Arg::Named("main".to_owned()))];
    let handler = EventHandler { event: 0, callback: None, only, times: 1, moves: vec![] };
    model.judge_inside(&set, &CallEnd { code: 0, outputs: &[] }, &names, &handler);
    let args = vec![Arg::Null, Arg::Int(1), Arg::Int(0), Arg::Storage];
    let Move::Call(get) = call(&tables, "GetLocalInt", args) else { panic!("it is a call") };
    let outputs = [(3, Value::Int(9))];
    assert_eq!(model.judge(&get, &CallEnd { code: 0, outputs: &outputs }, &names), []);
}

#[test]
fn watches_of_environments_that_are_gone_may_count_later() {
    let tables = tables(17);
    let names = Names::new(&tables.edition);
    let clear = |moment| {
        let sequence = Sequence { moment, environments: vec![u128::MAX], ..Sequence::default() };
        let mut model = Model::new(&tables, &sequence);
        let args = vec![crate::cast::CLASSES[1].arg(), crate::cast::FIELDS[3].arg()];
        let Move::Call(clear) = call(&tables, "ClearFieldAccessWatch", args) else { panic!("it is a call") };
        model.judge(&clear, &CallEnd { code: 0, outputs: &[] }, &names).len()
    };
    assert_eq!(clear(crate::sequence::Moment::Death), 0);
    assert_eq!(clear(crate::sequence::Moment::Checkpoint), 1);
}

#[test]
fn an_agent_gives_the_thread_that_it_starts_a_priority() {
    let tables = tables(25);
    let sequence = Sequence { environments: vec![u128::MAX], ..Sequence::default() };
    let mut model = Model::new(&tables, &sequence);
    let fresh = || Arg::Named("fresh".to_owned());
    let target = model.state.target(&tables.roles, &fresh(), false, OnThread::Current);
    let has_own =
        |model: &Model<'_>| model.state.thread(target).is_some_and(|thread| thread.has_own_priority);
    assert!(!has_own(&model));
    model.foresee(&call(&tables, "RunAgentThread", vec![fresh(), Arg::Storage, Arg::Null, Arg::Int(1)]));
    assert!(has_own(&model));
}
