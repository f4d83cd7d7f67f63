use jvmti_cases::model::{
    CallbackExpectation, Condition, Environment, ErrorExpectation, EventExpectation, Expect, Literal,
    Matcher, Reference, Step,
};
use jvmti_results::Status;
use jvmti_wire::plan::{Action, Arg, Invalid, PathPart};
use jvmti_wire::trace::{Body, Handed, MissingEntry, StepRef};
use jvmti_wire::value::{ObjectId, Value};

use super::bench::*;

#[test]
fn an_expected_error_passes_and_another_fails() {
    let mut bench = one(error(&["NONE", "THREAD_NOT_ALIVE"]));
    assert_eq!(bench.step(0, 0, 0, vec![]).status(), Status::Pass);
    let mut bench = one(error(&["NONE"]));
    let verdict = bench.step(0, 0, code("INVALID_THREAD"), vec![]).verdict();
    assert_eq!(verdict.status, Status::Fail);
    assert_eq!((verdict.asserted, verdict.findings.len()), (1, 1));
    assert_eq!(verdict.findings[0].expected, "NONE");
    assert_eq!(verdict.findings[0].observed, "INVALID_THREAD (10)");
    assert_eq!(verdict.findings[0].cites, ["must"]);
    assert_eq!(verdict.reproduce, "jvmti-check run one");
    assert!(verdict.story.iter().any(|line| line.text.contains("GetThreadState → INVALID_THREAD (10)")));
}

#[test]
fn what_the_program_states_in_the_end_is_compared() {
    let mut bench = one(error(&["NONE"]));
    bench.cases[0].facts = vec![("sum".into(), Matcher::Equals(Literal::Str("42".into())))];
    bench.step(0, 0, 0, vec![]).fact("sum", Value::Str(b"41".to_vec()));
    assert_eq!(bench.status(), Status::Fail);
    assert_eq!(bench.fact("sum", Value::Str(b"42".to_vec())).status(), Status::Pass);
    bench.cases[0].facts.push(("none".into(), Matcher::NotNull));
    assert_eq!(bench.status(), Status::Error);
}

#[test]
fn a_case_without_its_occasion_does_not_apply() {
    let mut bench = one(error(&["NONE"]));
    bench.cases[0].occasion = vec![("cleared".into(), Matcher::Range(Some(1), None))];
    bench.step(0, 0, code("INTERNAL"), vec![]);
    assert_eq!(bench.status(), Status::Fail, "nothing was stated");
    let verdict = bench.fact("cleared", Value::Int(0)).verdict();
    assert_eq!(verdict.status, Status::Inapplicable);
    assert_eq!(verdict.findings[0].observed, "there was no occasion: cleared is 0, not at least 1");
    assert_eq!(bench.fact("cleared", Value::Int(2)).status(), Status::Fail);
    assert_eq!(bench.fact("roused", Value::Int(1)).status(), Status::Inapplicable, "threads did not wait");
}

#[test]
fn a_reference_to_a_collected_object_needs_a_collection() {
    let verdict = |arg: Arg| {
        let mut bench = one(error(&["INVALID_THREAD"]));
        if let Action::Call { args, .. } = &mut bench.cases[0].steps[0].plan.action {
            *args = vec![Arg::List(vec![arg])];
        }
        let reason = "the VM did not collect an unreachable object".to_owned();
        bench.add(Body::StepFailed { step: StepRef::Step { case: 0, step: 0 }, reason }).verdict()
    };
    let verdict_of_collected = verdict(Arg::Invalid(Invalid::ClearedWeakRef));
    assert_eq!(verdict_of_collected.status, Status::Inapplicable);
    assert_eq!(verdict_of_collected.findings[0].observed, "the VM did not collect an unreachable object");
    assert_eq!(verdict(Arg::Invalid(Invalid::DeletedRef)).status, Status::Error);
}

#[test]
fn a_forbidden_error_fails() {
    let expect =
        || Expect { error: Some(ErrorExpectation::NoneOf(vec!["WRONG_PHASE".into()])), ..Expect::default() };
    assert_eq!(one(expect()).step(0, 0, code("WRONG_PHASE"), vec![]).status(), Status::Fail);
    assert_eq!(one(expect()).step(0, 0, code("INTERNAL"), vec![]).status(), Status::Pass);
}

#[test]
fn an_expectation_may_depend_on_what_came_before() {
    let condition = Condition::Output {
        of: Reference::Output { step: "offered".into(), param: 0, path: vec![] },
        name: "$offered".into(),
        is: Box::new(Matcher::Equals(Literal::Int(1))),
    };
    let verdict = |offered: i64, answer: &str| {
        let mut bench = one(error(&["NONE"]));
        bench.cases[0].steps[0].plan.save = Some("offered".into());
        bench.cases[0]
            .steps
            .push(call("GetThreadState", Expect { when: Some(condition.clone()), ..error(&["NONE"]) }));
        let mut bench = Bench::new(bench.cases.clone());
        bench.step(0, 0, 0, vec![(0, Value::Int(offered))]).step(0, 1, code(answer), vec![]).verdict()
    };
    assert_eq!(verdict(1, "NONE").status, Status::Pass);
    assert_eq!(verdict(1, "INTERNAL").status, Status::Fail);
    let verdict = verdict(0, "INTERNAL");
    assert_eq!(verdict.status, Status::Inapplicable);
    assert_eq!(verdict.findings[0].observed, "$offered is not 1");
}

#[test]
fn what_would_be_about_an_element_that_is_not_there_does_not_apply() {
    let condition = Condition::Output {
        of: Reference::Output { step: "all".into(), param: 0, path: vec![PathPart::Index(1)] },
        name: "$all[1]".into(),
        is: Box::new(Matcher::Equals(Literal::Int(1))),
    };
    let verdict = |list: Value| {
        let mut bench = one(error(&["NONE"]));
        bench.cases[0].steps[0].plan.save = Some("all".into());
        let dependent = Expect { when: Some(condition.clone()), ..error(&["NONE"]) };
        bench.cases[0].steps.push(call("GetThreadState", dependent));
        let mut bench = Bench::new(bench.cases.clone());
        bench.step(0, 0, 0, vec![(0, list)]);
        let step = StepRef::Step { case: 0, step: 1 };
        bench.add(Body::StepFailed { step, reason: "an argument is missing".into() }).verdict()
    };
    let items = |numbers: &[i64]| Value::List(numbers.iter().copied().map(Value::Int).collect());
    assert_eq!(verdict(items(&[0])).status, Status::Inapplicable, "too short");
    assert_eq!(verdict(Value::Null).status, Status::Inapplicable, "none at all");
    assert_eq!(verdict(items(&[0, 0])).status, Status::Inapplicable, "something else");
    assert_eq!(
        verdict(items(&[0, 1])).status,
        Status::Error,
        "there, so that the step should have been taken"
    );
}

#[test]
fn the_strongest_cited_statement_decides() {
    let status = |cites: &[&str]| {
        let mut bench = one(error(&["NONE"]));
        bench.cases[0].steps[0].cites = cites.iter().map(|c| (*c).to_owned()).collect();
        let verdict = bench.step(0, 0, code("INTERNAL"), vec![]).verdict();
        assert!(!verdict.findings.is_empty());
        verdict.status
    };
    assert_eq!(status(&["should"]), Status::Permitted);
    assert_eq!(status(&["may"]), Status::Pass);
    assert_eq!(status(&["may", "should"]), Status::Permitted);
    assert_eq!(status(&["should", "must"]), Status::Fail);
    assert_eq!(status(&["no/such-thing"]), Status::Error);
    // None of its own: the case's.
    assert_eq!(status(&[]), Status::Fail);
}

#[test]
fn an_output_is_told_with_its_bits_by_name() {
    let bits = Matcher::Bits { has: vec![("SLEEPING".into(), 0x40)], lacks: vec![("RUNNABLE".into(), 4)] };
    let mut bench = one(output(1, "thread_state_ptr", bits));
    let verdict = bench.step(0, 0, 0, vec![(1, Value::Int(5))]).verdict();
    assert_eq!(verdict.status, Status::Fail);
    assert_eq!(verdict.asserted, 2);
    assert_eq!(verdict.findings[0].expected, "thread_state_ptr: with SLEEPING; without RUNNABLE");
    assert_eq!(
        verdict.findings[0].observed,
        "thread_state_ptr: ALIVE | RUNNABLE (0x5): SLEEPING is missing, RUNNABLE is set"
    );
}

#[test]
fn outputs_of_a_call_that_failed_are_not_judged() {
    let mut bench = one(output(1, "thread_state_ptr", Matcher::Equals(Literal::Int(5))));
    let verdict = bench.step(0, 0, code("INVALID_THREAD"), vec![(1, Value::Untouched)]).verdict();
    assert_eq!((verdict.status, verdict.findings.len()), (Status::Fail, 1));
}

#[test]
fn an_output_that_cannot_be_identified_is_no_failure() {
    let named = Matcher::Is(Reference::Named("worker".into()));
    let mut bench = one(output(1, "x", named.clone()));
    assert_eq!(
        bench.bind("worker", object(7)).step(0, 0, 0, vec![(1, Value::Opaque)]).status(),
        Status::Error
    );
    let mut bench = one(output(1, "x", named.clone()));
    assert_eq!(bench.step(0, 0, 0, vec![(1, object(7))]).status(), Status::Error, "never bound");
    let mut bench = one(output(1, "x", named));
    assert_eq!(bench.bind("worker", object(7)).step(0, 0, 0, vec![(1, object(7))]).status(), Status::Pass);
}

#[test]
fn names_mean_what_was_bound_last_before_the_step() {
    let named = Matcher::Is(Reference::Named("worker".into()));
    let mut bench = one(output(1, "x", named));
    bench.bind("worker", object(7)).bind("worker", object(8));
    bench.step(0, 0, 0, vec![(1, object(7))]).bind("worker", object(7));
    let verdict = bench.verdict();
    assert_eq!(verdict.status, Status::Fail);
    assert_eq!(verdict.findings[0].expected, "x: $worker");
}

#[test]
fn facts_stated_later_and_outputs_of_earlier_steps_are_found() {
    let mut case = case("two");
    let mut first = call("GetThreadState", error(&["NONE"]));
    first.plan.save = Some("first".into());
    let earlier =
        Reference::Output { step: "first".into(), param: 1, path: vec![PathPart::Field("n".into())] };
    let fact = call("GetThreadState", output(1, "x", Matcher::Is(Reference::Fact("count".into()))));
    let same = call("GetThreadState", output(1, "x", Matcher::Is(earlier)));
    case.steps = vec![first, same, fact];
    let mut bench = Bench::new(vec![case]);
    bench.step(0, 0, 0, vec![(1, Value::Struct(vec![("n".into(), Value::Int(3))]))]);
    bench.step(0, 1, 0, vec![(1, Value::Int(3))]).step(0, 2, 0, vec![(1, Value::Int(9))]);
    assert_eq!(bench.fact("count", Value::Int(9)).status(), Status::Pass);
}

#[test]
fn a_step_that_could_not_be_taken_is_the_harness_s_trouble_unless_the_function_is_missing() {
    let step = StepRef::Step { case: 0, step: 0 };
    let status = |body: Body| one(error(&["NONE"])).add(body).status();
    let reason = "nothing is bound to the name \"function table\"".into();
    assert_eq!(status(Body::StepFailed { step, reason }), Status::Error, "words decide nothing");
    let missing = |function| Body::FunctionMissing { step, function, entry: MissingEntry::Null };
    assert_eq!(status(missing(function("GetThreadState"))), Status::Fail);
    assert_eq!(status(missing(9999)), Status::Error, "nothing states that there is such a function");
}

/// A helper that calls SuspendThread and comes to that, before a step that finds what it expects; citing that.
fn helped(code: i32, cites: &[&str]) -> Bench {
    let mut case = case("helped");
    case.cites = cites.iter().map(|id| (*id).to_owned()).collect();
    let helper = Step { helper: true, ..call("SuspendThread", error(&["NONE"])) };
    case.steps = vec![helper, call("GetThreadState", error(&["NONE"]))];
    let mut bench = Bench::new(vec![case]);
    bench.step(0, 0, code, vec![]).step(0, 1, 0, vec![]);
    bench
}

#[test]
fn a_helper_that_fails_is_no_violation_of_what_the_case_is_about() {
    assert_eq!(helped(0, &["must"]).status(), Status::Pass);
    for cites in ["must", "should", "may"] {
        let verdict = helped(code("INTERNAL"), &[cites]).verdict();
        assert_eq!(verdict.status, Status::Error, "{cites}");
        let [finding] = &verdict.findings[..] else { panic!("{:?}", verdict.findings) };
        assert!(finding.cites.is_empty());
        assert_eq!(finding.observed, "returned INTERNAL (113), so the case could not go on");
    }
    // Where the case is about the helper's function it is no helper.
    assert_eq!(helped(code("INTERNAL"), &["thread/suspend"]).status(), Status::Fail);
}

#[test]
fn a_case_does_not_apply_to_a_jvm_that_is_unable_to_take_its_helpers() {
    let verdict = helped(code("OPAQUE_FRAME"), &["must"]).verdict();
    assert_eq!(verdict.status, Status::Inapplicable);
    assert_eq!(verdict.findings[0].observed, "the step returned OPAQUE_FRAME (32)");
}

#[test]
fn a_jvm_may_be_unable_whatever_else_is_the_matter_with_a_call() {
    let status = |answer: &str| {
        let mut case = case("one");
        case.steps = vec![call("PopFrame", error(&["NO_MORE_FRAMES"]))];
        Bench::new(vec![case]).step(0, 0, code(answer), vec![]).status()
    };
    assert_eq!(status("OPAQUE_FRAME"), Status::Inapplicable);
    assert_eq!(status("NO_MORE_FRAMES"), Status::Pass);
    assert_ne!(status("INTERNAL"), Status::Inapplicable);
}

#[test]
fn a_jvm_may_be_unable_to_stop_a_virtual_thread_and_no_other() {
    let status = |class: &str, answer: &str| {
        let mut case = case("one");
        case.steps = vec![call("StopThread", error(&["NONE"]))];
        let mut bench = Bench::new(vec![case]);
        let (thread, class, name) = (ObjectId(7), class.to_owned(), String::new());
        bench.add(Body::ObjectSeen { object: thread, class, name });
        let step = StepRef::Step { case: 0, step: 0 };
        bench.call(step, "StopThread", vec![object(thread.0), Value::Null], code(answer)).status()
    };
    assert_eq!(status("Ljava/lang/VirtualThread;", "OPAQUE_FRAME"), Status::Inapplicable);
    assert_eq!(status("Ljava/lang/VirtualThread;", "NONE"), Status::Pass);
    assert_ne!(status("Ljava/lang/VirtualThread;", "INTERNAL"), Status::Inapplicable);
    assert_ne!(status("Ljava/lang/Thread;", "OPAQUE_FRAME"), Status::Inapplicable);
}

#[test]
fn what_a_jvm_is_unable_to_do_has_no_effects() {
    let status = |answer: i32| {
        let mut case = case("one");
        case.steps = vec![call("PopFrame", error(&["NONE"]))];
        case.facts = vec![("again".into(), Matcher::Equals(Literal::Str("yes".into())))];
        Bench::new(vec![case]).step(0, 0, answer, vec![]).status()
    };
    assert_eq!(status(code("OPAQUE_FRAME")), Status::Inapplicable);
    assert_ne!(status(0), Status::Inapplicable);
    let never = vec![pattern("FramePop")];
    let mut case = with_events(EventExpectation { never, ..EventExpectation::default() });
    case.steps = vec![call("PopFrame", error(&["NONE"]))];
    let mut bench = Bench::new(vec![case]);
    let status = bench.step(0, 0, code("OPAQUE_FRAME"), vec![]).event(1, "FramePop", vec![]).status();
    assert_eq!(status, Status::Inapplicable, "the frame is still there, and may be left");
}

#[test]
fn what_a_call_puts_out_is_expected_where_it_succeeds() {
    let status = |answer: i32, outputs: Vec<(u16, Value)>| {
        let error = error(&["NONE", "UNSUPPORTED_OPERATION"]).error;
        let seven = output(1, "thread_state_ptr", Matcher::Equals(Literal::Int(7)));
        one(Expect { error, ..seven }).step(0, 0, answer, outputs).status()
    };
    assert_eq!(status(0, vec![(1, Value::Int(7))]), Status::Pass);
    assert_eq!(status(0, vec![(1, Value::Int(8))]), Status::Fail);
    assert_eq!(status(code("UNSUPPORTED_OPERATION"), vec![(1, Value::Int(8))]), Status::Pass);
}

#[test]
fn what_comes_of_an_error_that_need_not_be_detected_blames_nobody() {
    let status = |first: &str, second: &str| {
        let mut case = case("one");
        case.cites = vec!["must".to_owned(), "SuspendThread#errors/INVALID_THREAD".to_owned()];
        case.steps =
            vec![call("SuspendThread", error(&["INVALID_THREAD"])), call("GetThreadState", error(&["NONE"]))];
        for step in &mut case.steps {
            step.cites.clone_from(&case.cites);
        }
        Bench::new(vec![case]).step(0, 0, code(first), vec![]).step(0, 1, code(second), vec![]).status()
    };
    assert_eq!(status("INVALID_THREAD", "INTERNAL"), Status::Fail);
    assert_eq!(status("NONE", "INTERNAL"), Status::Permitted);
    assert_eq!(status("NONE", "NONE"), Status::Permitted);
}

#[test]
fn a_capability_that_the_jvm_lacks_makes_a_case_inapplicable() {
    let with = |name: &str| {
        let mut case = case(name);
        let environment =
            Environment { capabilities: vec!["can_tag_objects".into()], ..case.environments[0].clone() };
        case.environments = vec![environment];
        case.steps = vec![call("GetTag", error(&["NONE"]))];
        case
    };
    let mut bench = Bench::new(vec![with("a"), with("b")]);
    let refused = code("NOT_AVAILABLE");
    bench.call(StepRef::Setup { case: 0 }, "AddCapabilities", vec![], refused);
    let verdict = bench.verdict();
    assert_eq!(verdict.status, Status::Inapplicable);
    assert!(verdict.findings[0].observed.contains("can_tag_objects"));
    // Another case holds it: that is no lack of the JVM's.
    bench.call(StepRef::Setup { case: 1 }, "AddCapabilities", vec![], 0);
    assert_eq!(bench.status(), Status::Error);
    // The case itself wants it for two environments: one at a time may be all that the JVM allows.
    let another = bench.cases[1].environments[0].clone();
    bench.cases[0].environments.push(another);
    assert_eq!(bench.status(), Status::Inapplicable);
}

#[test]
fn callbacks_are_counted_by_their_parameters() {
    let name = "jvmtiHeapIterationCallback";
    let tagged = |count: Matcher| {
        let params = vec![(2, "tag".to_owned(), Matcher::Equals(Literal::Int(1)))];
        let callbacks = vec![CallbackExpectation { callback: name.into(), params, count }];
        let mut bench = one(Expect { callbacks, ..error(&["NONE"]) });
        let call = bench.begin(StepRef::Step { case: 0, step: 0 }, function("GetThreadState"), vec![]);
        for tag in [1, 0, 1] {
            let args = vec![Value::Null, Value::Null, Value::Int(tag)];
            bench.add(Body::Callback { call, callback: name.into(), args, returned: 0 });
        }
        bench.end(call, 0, vec![]);
        (bench, call)
    };
    let two = || Matcher::Equals(Literal::Int(2));
    assert_eq!(tagged(two()).0.status(), Status::Pass);
    assert_eq!(tagged(Matcher::Range(Some(3), None)).0.status(), Status::Fail);
    // Of those that were only counted nothing is known.
    let (mut bench, call) = tagged(two());
    let end = bench.records.pop().expect("end").body;
    bench.add(Body::CallbacksCounted { call, callback: name.into(), count: 9 }).add(end);
    assert_eq!(bench.status(), Status::Error);
}

#[test]
fn what_is_handed_over_is_judged_by_what_became_of_it() {
    let given = |matcher: &Matcher, param, code| {
        let mut bench = one(output(1, "thread_state_ptr", matcher.clone()));
        bench.step(0, 0, 0, vec![(1, Value::Pointer(8))]);
        let handed = vec![Handed { param, count: 3, code }];
        let (memory, references) = match matcher {
            Matcher::Deallocated => (handed, vec![]),
            _ => (vec![], handed),
        };
        bench
            .add(Body::Given { call: 1, step: StepRef::Step { case: 0, step: 0 }, memory, references })
            .verdict()
    };
    assert_eq!(given(&Matcher::LocalReferences, 1, 1).status, Status::Pass);
    assert_eq!(given(&Matcher::LocalReferences, 0, 1).status, Status::Inapplicable, "none at that parameter");
    let global = given(&Matcher::LocalReferences, 1, 2);
    assert_eq!(global.status, Status::Fail);
    assert_eq!(global.findings[0].observed, "thread_state_ptr: one is a global reference, of 3");
    assert_eq!(given(&Matcher::Deallocated, 1, 0).status, Status::Pass);
    assert_eq!(given(&Matcher::Deallocated, 1, code("ILLEGAL_ARGUMENT")).status, Status::Fail);
}
