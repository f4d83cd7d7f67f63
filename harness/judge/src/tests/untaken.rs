//! Steps that wait for what does not come.

use jvmti_cases::model::{Case, Condition, EventExpectation, Expect};
use jvmti_results::Status;
use jvmti_wire::plan::{Handler, Trigger};
use jvmti_wire::trace::StepRef;
use jvmti_wire::value::Value;

use super::bench::*;

#[test]
fn what_no_vm_has_to_send_need_not_come() {
    let status = |expect: Expect, at: Trigger| {
        let mut case = case("one");
        case.steps = vec![super::bench::at(at, function("GetTime"), Some(expect))];
        Bench::new(vec![case]).status()
    };
    let at = |name| Trigger::Event { event: event(name), environment: None, only: vec![] };
    let if_it_comes = || Expect { when: Some(Condition::Comes), ..error(&["NONE"]) };
    assert_eq!(status(error(&["NONE"]), at("MonitorWait")), Status::Fail);
    assert_eq!(status(error(&["NONE"]), at("VMObjectAlloc")), Status::Permitted);
    assert_eq!(status(error(&["NONE"]), at("GarbageCollectionStart")), Status::Inapplicable);
    assert_eq!(status(if_it_comes(), at("MonitorWait")), Status::Inapplicable);
    assert_eq!(status(error(&["NONE"]), Trigger::Primordial), Status::Inapplicable);
}

#[test]
fn a_step_that_waits_in_vain_is_not_made_up_for_by_others() {
    let at = |name| Trigger::Event { event: event(name), environment: None, only: vec![] };
    let if_it_comes = || Expect { when: Some(Condition::Comes), ..error(&["NONE"]) };
    let mut case = case("one");
    case.steps = ["ThreadStart", "MonitorWait"]
        .map(|name| super::bench::at(at(name), function("GetTime"), Some(if_it_comes())))
        .to_vec();
    let mut bench = Bench::new(vec![case]);
    bench.step(0, 0, 0, vec![]);
    let verdict = bench.verdict();
    assert_eq!(verdict.status, Status::Inapplicable);
    assert_eq!(verdict.findings[0].observed, "the MonitorWait event did not come");
    assert_eq!(bench.step(0, 1, 0, vec![]).status(), Status::Pass);
}

#[test]
fn a_case_does_not_apply_if_a_handler_that_it_rests_on_never_acts() {
    let on = Trigger::Event { event: event("MonitorWait"), environment: None, only: vec![] };
    let status = |awaited: Vec<u32>, acts: bool| {
        let handlers = vec![Handler { on: on.clone(), times: None, actions: vec![] }];
        let steps = vec![at(Trigger::VmInit, function("GetTime"), Some(error(&["NONE"])))];
        let mut bench = Bench::new(vec![Case { steps, handlers, awaited, ..case("one") }]);
        bench.step(0, 0, 0, vec![]);
        if acts {
            let handler = StepRef::Handler { case: 0, handler: 0, action: 0 };
            bench.begin(handler, function("GetPhase"), vec![]);
        }
        bench.status()
    };
    assert_eq!(status(vec![], false), Status::Pass);
    assert_eq!(status(vec![0], false), Status::Inapplicable);
    assert_eq!(status(vec![0], true), Status::Pass);
}

#[test]
fn what_must_not_come_is_judged_even_if_something_else_did_not_come() {
    let status = |come: &str| {
        let never = vec![pattern("ClassLoad")];
        let mut case = with_events(EventExpectation { never, ..EventExpectation::default() });
        let gc = Trigger::Event { event: event("GarbageCollectionStart"), environment: None, only: vec![] };
        let if_it_comes = Expect { when: Some(Condition::Comes), ..error(&["NONE"]) };
        case.steps = vec![super::bench::at(gc, function("GetTime"), Some(if_it_comes))];
        Bench::new(vec![case]).event(1, come, vec![]).status()
    };
    assert_eq!(status("ClassPrepare"), Status::Inapplicable);
    assert_eq!(status("ClassLoad"), Status::Fail);
}

#[test]
fn a_step_never_reached_is_blamed_on_what_did_not_come() {
    assert_eq!(one(error(&["NONE"])).status(), Status::Error, "a checkpoint is the scenario's");
    let mut case = case("one");
    let trigger = Trigger::Event { event: event("ThreadEnd"), environment: None, only: vec![] };
    case.steps = vec![at(trigger, function("GetPhase"), None)];
    let mut bench = Bench::new(vec![case]);
    let verdict = bench.verdict();
    assert_eq!(verdict.status, Status::Fail);
    assert_eq!(verdict.findings[0].expected, "the ThreadEnd event");
    let thrown = Value::Str(b"java.lang.Error".to_vec());
    assert_eq!(bench.fact("scenario-failed", thrown).status(), Status::Error);
    let lacking = Value::Str(b"java.lang.management.ManagementFactory".to_vec());
    assert_eq!(bench.fact("scenario-lacks", lacking).status(), Status::Inapplicable);
}
