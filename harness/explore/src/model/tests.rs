use jvmti_spec::Release;
use jvmti_traces::Names;
use proptest::prelude::*;

use super::{CallEnd, Model, Tables};
use crate::coverage::Reached;
use crate::generate::{Generator, Offered, redefinition};
use crate::sequence::{Moment, Move, Sequence};

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
        Move::Call(crate::sequence::Call {
            environment: 0,
            function: slot,
            args: vec![jvmti_wire::plan::Arg::Named("parked".to_owned())],
            on: jvmti_wire::plan::OnThread::Current,
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
    assert_eq!(redefined("constants double"), (vec![], vec![]));
    assert_eq!(redefined("class jvmticheck/Other").0, ["NAMES_DONT_MATCH"]);
}

#[test]
fn redefinitions_clear_breakpoints_of_the_class_only() {
    let tables = tables(25);
    let sequence = Sequence { environments: vec![u128::MAX], ..Sequence::default() };
    let mut model = Model::new(&tables, &sequence);
    let slot = tables.edition.function("SetBreakpoint").unwrap().slot;
    let set = |method: usize| {
        Move::Call(crate::sequence::Call {
            environment: 0,
            function: slot,
            args: vec![crate::cast::METHODS[method].arg(), jvmti_wire::plan::Arg::Int(0)],
            on: jvmti_wire::plan::OnThread::Current,
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

/// Whether the model objects to what GetThreadState tells of the thread at the beginning of a sequence.
fn is_blamed(thread: &str, state: i64) -> bool {
    let tables = tables(25);
    let sequence = Sequence { environments: vec![u128::MAX], ..Sequence::default() };
    let mut model = Model::new(&tables, &sequence);
    let call = crate::sequence::Call {
        environment: 0,
        function: tables.edition.function("GetThreadState").unwrap().slot,
        args: vec![jvmti_wire::plan::Arg::Named(thread.to_owned()), jvmti_wire::plan::Arg::Storage],
        on: jvmti_wire::plan::OnThread::Current,
        save: None,
    };
    let outputs = [(1, jvmti_wire::value::Value::Int(state))];
    let names = Names::new(&tables.edition);
    !model.judge(&call, &CallEnd { code: 0, outputs: &outputs }, &names).is_empty()
}

#[test]
fn earlier_sequences_may_have_interrupted_threads_that_do_not_notice() {
    const BLOCKED: i64 = 0x401;
    const PARKED: i64 = 0x291;
    const INTERRUPTED: i64 = 0x20_0000;
    assert!(!is_blamed("blocked", BLOCKED) && !is_blamed("blocked", BLOCKED | INTERRUPTED));
    assert!(!is_blamed("parked", PARKED) && is_blamed("parked", PARKED | INTERRUPTED));
}
