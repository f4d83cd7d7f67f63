use jvmti_cases::brief::JVM_GOES_ON;
use jvmti_cases::model::{Case, Ending, EventExpectation, Life};
use jvmti_results::Status;
use jvmti_wire::plan::Trigger;
use jvmti_wire::trace::{Body, StepRef};

use super::bench::*;
use crate::Exit;

fn three() -> Vec<Case> {
    ["a", "b", "c"]
        .map(|id| Case { steps: vec![call("GetThreadState", error(&["NONE"]))], ..case(id) })
        .into()
}

#[test]
fn a_crash_is_pinned_on_the_open_call_and_the_rest_left_for_another_run() {
    let mut bench = Bench::new(three());
    bench.step(0, 0, 0, vec![]);
    bench.on(2).begin(StepRef::Handler { case: 2, handler: 0, action: 0 }, function("GetPhase"), vec![]);
    bench.on(1).begin(StepRef::Step { case: 1, step: 0 }, function("GetThreadState"), vec![object(3)]);
    bench.ended.exit = Exit::Signal(11);
    let judged = bench.judged();
    let verdicts: Vec<_> = judged.verdicts.iter().map(|(i, v)| (*i, v.status)).collect();
    assert_eq!(verdicts, [(0, Status::Pass), (1, Status::Crash)]);
    assert_eq!(judged.unfinished, [2]);
    let culprit = judged.culprit.expect("open call");
    assert_eq!((culprit.case, culprit.thread), (Some(1), 1));
    let finding = &judged.verdicts[1].1.findings[0];
    assert_eq!(finding.place, "GetThreadState(thread: object #3)");
    assert_eq!(finding.observed, "ended by SIGSEGV (signal 11) before the call returned");
}

#[test]
fn of_several_runs_the_worst_counts() {
    let runs = || -> Vec<Case> {
        three().into_iter().map(|case| Case { id: "a".into(), repeats: 2, ..case }).collect()
    };
    let told = |bench: &Bench| {
        let judged = bench.judged();
        let verdicts: Vec<_> = judged.verdicts.iter().map(|(i, v)| (*i, v.status)).collect();
        (verdicts, judged.unfinished)
    };
    let mut bench = Bench::new(runs());
    bench.step(0, 0, 0, vec![]);
    bench.step(1, 0, code("INVALID_THREAD"), vec![]);
    bench.step(2, 0, 0, vec![]);
    assert_eq!(told(&bench), (vec![(0, Status::Fail)], vec![]));

    let mut bench = Bench::new(runs());
    bench.step(0, 0, 0, vec![]);
    bench.begin(StepRef::Step { case: 1, step: 0 }, function("GetThreadState"), vec![object(3)]);
    bench.ended.exit = Exit::Signal(11);
    assert_eq!(told(&bench), (vec![(0, Status::Crash)], vec![]));

    // The runs that passed before somebody ended the JVM prove nothing about those that did not take place.
    bench.ended.exit = Exit::Signal(9);
    assert_eq!(told(&bench), (vec![], vec![0]));
}

#[test]
fn a_crash_where_an_error_need_not_be_detected_is_permitted() {
    for (expected, status) in [("INVALID_THREAD", Status::Permitted), ("THREAD_NOT_ALIVE", Status::Crash)] {
        let mut case = case("a");
        case.cites = vec![format!("SuspendThread#errors/{expected}")];
        let mut step = call("SuspendThread", error(&[expected]));
        step.cites.clone_from(&case.cites);
        case.steps = vec![step];
        let mut bench = Bench::new(vec![case]);
        bench.begin(StepRef::Step { case: 0, step: 0 }, function("SuspendThread"), vec![]);
        bench.ended.exit = Exit::Signal(11);
        assert_eq!(bench.status(), status, "{expected}");
    }
}

#[test]
fn a_hang_is_a_timeout() {
    let mut bench = Bench::new(three());
    bench.begin(StepRef::Step { case: 0, step: 0 }, function("GetThreadState"), vec![]);
    bench.ended.exit = Exit::TimedOut;
    let judged = bench.judged();
    assert_eq!(judged.verdicts[0].1.status, Status::Timeout);
    assert_eq!(judged.unfinished, [1, 2]);
}

#[test]
fn a_hang_of_a_scenario_that_has_overtaken_its_case_blames_nobody() {
    let hang = |passed: &[&str]| {
        let mut case = case("a");
        case.steps = vec![call("SuspendThread", error(&["NONE"])), call("ResumeThread", error(&["NONE"]))];
        for (step, name) in case.steps.iter_mut().zip(["inside", "left"]) {
            step.plan.at = Trigger::Checkpoint(name.to_owned());
        }
        let mut bench = Bench::new(vec![case]);
        for name in passed {
            bench.add(Body::Checkpoint { name: (*name).to_owned() });
            if *name == "inside" {
                bench.step(0, 0, 0, vec![]);
            }
        }
        bench.ended.exit = Exit::TimedOut;
        let verdict = bench.judged().verdicts.remove(0).1;
        (verdict.status, verdict.findings[0].observed.clone())
    };
    let (status, why) = hang(&["left", "inside"]);
    assert_eq!(status, Status::Error);
    assert!(why.contains("passed checkpoint \"left\" before"), "{why}");
    assert_eq!(hang(&["inside"]).0, Status::Timeout);
}

#[test]
fn a_kill_between_calls_blames_nobody() {
    let mut bench = Bench::new(three());
    bench.step(1, 0, 0, vec![]);
    bench.ended.exit = Exit::Signal(9);
    let judged = bench.judged();
    assert_eq!(judged.verdicts.len(), 1);
    assert_eq!((judged.unfinished, judged.culprit), (vec![0, 2], None));
}

#[test]
fn a_crash_between_calls_may_be_due_to_what_was_done_before() {
    let mut bench = Bench::new(three());
    bench.step(1, 0, 0, vec![]);
    bench.ended.exit = Exit::Signal(11);
    let told = |bench: &Bench| {
        let judged = bench.judged();
        assert_eq!((judged.verdicts.len(), judged.unfinished), (1, vec![0, 2]));
        judged.universal.into_iter().find(|verdict| verdict.case == JVM_GOES_ON)
    };
    let end = told(&bench).unwrap();
    assert_eq!((end.status, end.findings[0].place.as_str()), (Status::Crash, "during a, c; after b"));
    bench.ended.exit = Exit::TimedOut;
    assert_eq!(told(&bench), None, "the machine may be busy");
    bench.ended.exit = Exit::Signal(11);
    bench.add(Body::RunEnd { run: 0 });
    let end = told(&bench).unwrap();
    assert_eq!((end.status, end.findings[0].place.as_str()), (Status::Crash, "after b"));
    assert_eq!(
        end.findings[0].observed,
        "ended by SIGSEGV (signal 11) while no call of the probe was in progress"
    );
}

#[test]
fn a_crash_after_what_the_text_leaves_open_is_permitted() {
    let ended = |undefined: bool, expected: &str, answer: &str| {
        let mut cases = three();
        cases[1].undefined = undefined;
        cases[1].cites = vec![format!("SuspendThread#errors/{expected}")];
        let mut step = call("SuspendThread", error(&[expected]));
        step.cites.clone_from(&cases[1].cites);
        cases[1].steps = vec![step];
        let mut bench = Bench::new(cases);
        bench.step(1, 0, code(answer), vec![]);
        bench.add(Body::RunEnd { run: 0 });
        bench.ended.exit = Exit::Signal(11);
        let told = bench.judged().universal.into_iter().find(|verdict| verdict.case == JVM_GOES_ON);
        told.map(|verdict| verdict.status)
    };
    assert_eq!(ended(false, "INVALID_THREAD", "NONE"), Some(Status::Permitted));
    assert_eq!(ended(false, "INVALID_THREAD", "INVALID_THREAD"), Some(Status::Crash));
    assert_eq!(ended(false, "THREAD_NOT_ALIVE", "NONE"), Some(Status::Crash), "it must be detected");
    assert_eq!(ended(true, "THREAD_NOT_ALIVE", "THREAD_NOT_ALIVE"), Some(Status::Permitted));
}

#[test]
fn a_case_alone_in_its_jvm_answers_for_the_crash() {
    let mut bench = Bench::new(three().split_off(2));
    bench.step(0, 0, 0, vec![]);
    bench.ended.exit = Exit::Signal(6);
    assert_eq!(bench.status(), Status::Crash);
}

#[test]
fn a_case_that_waits_for_events_is_finished_when_its_run_is() {
    let events = EventExpectation { never: vec![pattern("ClassLoad")], ..EventExpectation::default() };
    let mut bench = Bench::new(vec![with_events(events), case("other")]);
    bench.ended.exit = Exit::Signal(9);
    assert_eq!(bench.judged().unfinished, [0], "more events might have come");
    bench.add(Body::RunEnd { run: 0 });
    assert!(bench.judged().unfinished.is_empty());
}

#[test]
fn an_exit_code_is_abnormal_unless_the_vm_died_in_order() {
    let mut bench = Bench::new(three());
    bench.event(9, "VMInit", vec![]);
    bench.step(0, 0, 0, vec![]);
    bench.ended.exit = Exit::Code(1);
    assert_eq!(bench.judged().unfinished, [1, 2]);
    bench.event(9, "VMDeath", vec![]);
    assert!(bench.judged().unfinished.is_empty());
}

/// SIGTERM may arrive then, and make the rest of the start fail.
#[test]
fn a_jvm_that_gives_up_while_it_starts_is_judged_by_what_had_passed() {
    let mut bench = Bench::new(three());
    bench.step(0, 0, 0, vec![]);
    bench.event(9, "VMDeath", vec![]);
    bench.ended.exit = Exit::Code(1);
    let judged = bench.judged();
    assert_eq!((judged.verdicts.len(), judged.unfinished), (1, vec![1, 2]));
    assert!(judged.interrupted);
    bench.begin(StepRef::Step { case: 2, step: 0 }, function("GetThreadState"), vec![]);
    assert!(!bench.judged().interrupted, "it gave up in a call");
}

#[test]
fn a_jvm_that_someone_ended_is_judged_by_what_had_passed() {
    for exit in
        [Exit::Code(143), Exit::Code(129), Exit::Signal(15), Exit::Signal(9), Exit::Signal(2), Exit::Unknown]
    {
        let mut bench = Bench::new(three());
        bench.step(0, 0, 0, vec![]);
        bench.event(9, "VMDeath", vec![]);
        bench.step(1, 0, code("WRONG_PHASE"), vec![]);
        bench.begin(StepRef::Step { case: 2, step: 0 }, function("GetThreadState"), vec![]);
        bench.ended.exit = exit;
        let judged = bench.judged();
        let verdicts: Vec<_> = judged.verdicts.iter().map(|(i, v)| (*i, v.status)).collect();
        assert_eq!(verdicts, [(0, Status::Pass)], "{exit:?}");
        assert_eq!((judged.unfinished, judged.culprit), (vec![1, 2], None), "{exit:?}");
        assert!(judged.universal.iter().all(|verdict| verdict.status == Status::Pass), "{exit:?}");
    }
}

#[test]
fn a_case_about_sigterm_is_judged_after_it() {
    let life = Life { ending: Ending::Sigterm, ..Life::default() };
    let mut bench = Bench::new(vec![Case { life: Some(life), ..three().remove(0) }]);
    bench.step(0, 0, 0, vec![]);
    bench.event(9, "VMDeath", vec![]);
    for exit in [Exit::Code(143), Exit::Signal(15)] {
        bench.ended.exit = exit;
        assert_eq!(bench.status(), Status::Pass);
    }
}

#[test]
fn a_case_about_sigterm_is_run_again_after_another_signal() {
    let life = Life { ending: Ending::Sigterm, ..Life::default() };
    for exit in [Exit::Signal(9), Exit::Code(130)] {
        let mut bench = Bench::new(vec![Case { life: Some(life.clone()), ..three().remove(0) }]);
        bench.event(9, "VMDeath", vec![]);
        bench.ended.exit = exit;
        let judged = bench.judged();
        assert_eq!((judged.verdicts, judged.unfinished), (vec![], vec![0]), "{exit:?}");
    }
}

#[test]
fn a_call_still_open_at_an_orderly_end_never_returned() {
    let mut bench = Bench::new(three());
    bench.begin(StepRef::Step { case: 0, step: 0 }, function("GetThreadState"), vec![]);
    let verdict = bench.verdict();
    assert_eq!(verdict.status, Status::Fail);
    assert_eq!(verdict.findings[0].expected, "the call to return");
}

#[test]
fn where_the_text_leaves_it_open_a_crash_or_hang_is_permitted() {
    for exit in [Exit::Signal(11), Exit::TimedOut, Exit::Code(1)] {
        let mut bench = Bench::new(three());
        bench.cases[0].undefined = true;
        bench.begin(StepRef::Step { case: 0, step: 0 }, function("GetThreadState"), vec![]);
        bench.ended.exit = exit;
        assert_eq!(bench.judged().verdicts[0].1.status, Status::Permitted);
    }
}

#[test]
fn where_the_text_gives_no_time_a_hang_is_permitted_but_no_crash() {
    for (exit, status) in [(Exit::TimedOut, Status::Permitted), (Exit::Signal(11), Status::Crash)] {
        let mut bench = Bench::new(three());
        bench.cases[0].untimed = true;
        bench.begin(StepRef::Step { case: 0, step: 0 }, function("GetThreadState"), vec![]);
        bench.ended.exit = exit;
        assert_eq!(bench.judged().verdicts[0].1.status, status);
    }
}
