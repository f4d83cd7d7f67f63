//! `also_on`: the same cases on threads of another kind.

use super::*;

const CASES: &str = r#"
chapter: thread
scenario: Sleepers
at: checkpoint(asleep)
also_on: virtual
cases:
- id: state
  about: It has a state
  steps:
  - {call: GetThreadState, with: {thread: null}, expect: {error: NONE}}
  cites: GetThreadState#phase/live
- id: phase
  about: It tells the phase
  also_on: none
  steps:
  - {call: GetPhase, expect: {error: NONE}}
  cites: GetPhase#phase/live
"#;

#[test]
fn a_virtual_thread_runs_the_scenario_once_more() {
    let told = |c: &model::Case| {
        let scenario = c.scenario.as_deref().unwrap_or_default();
        format!("{}: {}; {scenario} {:?}", c.id, c.about, c.environments[0].capabilities)
    };
    let told: Vec<String> = cases(CASES, 25).iter().map(told).collect();
    assert_eq!(
        told,
        [
            "state: It has a state; Sleepers []",
            "state/virtual: It has a state, on a virtual thread; Sleepers/virtual [\"can_support_virtual_threads\"]",
            "phase: It tells the phase; Sleepers []",
        ]
    );
}

#[test]
fn releases_without_virtual_threads_have_no_such_case() {
    let ids: Vec<String> = cases(CASES, 17).into_iter().map(|case| case.id).collect();
    assert_eq!(ids, ["state", "phase"]);
}

#[test]
fn another_kind_of_thread_is_an_error() {
    let text = CASES.replace("also_on: none", "also_on: vitual");
    let faults = set(&text).expect("reads").check();
    assert!(report(&faults).contains("virtual"), "{}", report(&faults));
}
