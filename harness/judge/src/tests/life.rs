use jvmti_cases::LateStart;
use jvmti_cases::model::{Case, Ending, Happening, Life, LifeExpectation, Literal, Matcher, Reference};
use jvmti_results::Status;
use jvmti_wire::trace::{Body, Exit, Process};
use jvmti_wire::value::Value;

use super::bench::*;

fn happening(what: &str) -> Happening {
    Happening { what: what.to_owned(), options: None, image: None, before: None }
}

fn expecting(life_expected: LifeExpectation) -> Bench {
    let life = Some(Life::default());
    Bench::new(vec![Case { life, life_expected: Some(life_expected), ..case("a") }])
}

fn equal(text: &str) -> Option<Matcher> {
    Some(Matcher::Equals(Literal::Str(text.to_owned())))
}

/// An agent that is loaded with these options, sees the VM die, is told to go; and a process that ends so.
fn lived(bench: &mut Bench, options: Value, exit: Exit, stderr: &str) -> Status {
    let called = |function: &str, options| Body::AgentCalled {
        function: function.to_owned(),
        image: "libprobe.so".to_owned(),
        options,
    };
    bench.add(Body::EnvironmentMade { environment: 70, case: None, index: 0, code: 0 });
    bench.add(called("Agent_OnLoad", options));
    bench.event(70, "VMDeath", vec![]);
    bench.add(called("Agent_OnUnload", Value::Null));
    let (stdout, stderr) = (String::new(), stderr.to_owned());
    bench.add(Body::Ended(Process { exit, stdout, stderr, attached: vec![] }));
    bench.status()
}

/// What is told of an agent that was to be started in the live phase, of which that came.
fn late_start(exit: Exit, attached: &[Result<&str, &str>], called: &[&str]) -> LateStart {
    let mut bench = expecting(LifeExpectation::default());
    for function in called {
        let (function, image) = ((*function).to_owned(), String::new());
        bench.add(Body::AgentCalled { function, image, options: Value::Null });
    }
    let owned = |answer: &Result<&str, &str>| answer.map(str::to_owned).map_err(str::to_owned);
    let attached = attached.iter().map(owned).collect();
    let process = Process { exit, stdout: String::new(), stderr: String::new(), attached };
    bench.add(Body::Ended(process)).judged().late_start
}

#[test]
fn whether_an_agent_was_started_in_the_live_phase_is_told() {
    let failed = |why: &str| LateStart::Failed(why.to_owned());
    let ended = Exit::Code(0);
    assert_eq!(late_start(ended, &[Err("deaf")], &["Agent_OnLoad"]), failed("deaf"));
    assert_eq!(late_start(ended, &[Ok("0\nnot allowed\n")], &[]), failed(r#"it answered "0\nnot allowed""#));
    assert_eq!(late_start(ended, &[Ok("0"), Err("deaf")], &["Agent_OnAttach"]), LateStart::Happened);
    assert_eq!(late_start(ended, &[Ok("0")], &["Agent_OnAttach_probe"]), LateStart::Happened);
    assert_eq!(late_start(ended, &[], &["Agent_OnLoad"]), LateStart::Unknown);
    assert_eq!(late_start(Exit::TimedOut, &[Err("deaf")], &[]), LateStart::Unknown);
    assert_eq!(late_start(Exit::Signal(11), &[Err("deaf")], &[]), LateStart::Unknown);
}

fn text(text: &str) -> Value {
    Value::Str(text.as_bytes().to_vec())
}

#[test]
fn options_and_order_count() {
    let loaded = Happening { options: equal("a,b"), ..happening("Agent_OnLoad") };
    let in_order = vec![loaded, happening("VMDeath"), happening("Agent_OnUnload")];
    let expected = || LifeExpectation { in_order: in_order.clone(), ..LifeExpectation::default() };
    assert_eq!(lived(&mut expecting(expected()), text("a,b"), Exit::Code(0), ""), Status::Pass);
    assert_eq!(lived(&mut expecting(expected()), text("a"), Exit::Code(0), ""), Status::Fail);
    assert_eq!(lived(&mut expecting(expected()), Value::Null, Exit::Code(0), ""), Status::Fail);
    let mut reversed = expected();
    reversed.in_order.swap(1, 2);
    assert_eq!(lived(&mut expecting(reversed), text("a,b"), Exit::Code(0), ""), Status::Fail);
}

#[test]
fn a_jvm_that_does_not_live_as_expected_fails_though_it_comes_to_no_step() {
    let status = |exit| {
        let expected =
            LifeExpectation { exit: Some(Matcher::Equals(Literal::Int(0))), ..LifeExpectation::default() };
        let steps = vec![call("GetPhase", error(&["NONE"]))];
        let life = Some(Life::default());
        let case = Case { life, life_expected: Some(expected), steps, ..case("a") };
        lived(&mut Bench::new(vec![case]), text(""), exit, "")
    };
    assert_eq!(status(Exit::Code(1)), Status::Fail);
    assert_eq!(status(Exit::Code(0)), Status::Error, "the step is missing all the same");
}

#[test]
fn a_jvm_may_leave_sigterm_to_the_system() {
    let by_sigterm = || {
        let life = Some(Life { ending: Ending::Sigterm, ..Life::default() });
        let in_order = vec![happening("VMDeath"), happening("Agent_OnUnload")];
        let life_expected = Some(LifeExpectation { in_order, ..LifeExpectation::default() });
        Bench::new(vec![Case { life, life_expected, ..case("a") }])
    };
    let ended = |bench: &mut Bench| {
        let (stdout, stderr) = (String::new(), String::new());
        bench.add(Body::Ended(Process { exit: Exit::Signal(15), stdout, stderr, attached: vec![] })).status()
    };
    assert_eq!(ended(&mut by_sigterm()), Status::Inapplicable);
    // One that had begun to shut down does all of that.
    assert_eq!(ended(by_sigterm().event(70, "VMDeath", vec![])), Status::Fail);
    assert_eq!(lived(&mut by_sigterm(), text(""), Exit::Signal(15), ""), Status::Pass);
}

#[test]
fn what_must_not_come_and_how_often_the_rest_counts() {
    let never = |what: &str| LifeExpectation { never: vec![happening(what)], ..LifeExpectation::default() };
    assert_eq!(lived(&mut expecting(never("Agent_OnAttach")), text(""), Exit::Code(0), ""), Status::Pass);
    assert_eq!(lived(&mut expecting(never("VMDeath")), text(""), Exit::Code(0), ""), Status::Fail);
    let before = |what: &str, later: &str| {
        let early = Happening { before: Some(later.to_owned()), ..happening(what) };
        LifeExpectation { never: vec![early], ..LifeExpectation::default() }
    };
    let status = |expected| lived(&mut expecting(expected), text(""), Exit::Code(0), "");
    assert_eq!(status(before("VMDeath", "Agent_OnLoad")), Status::Pass);
    assert_eq!(status(before("Agent_OnLoad", "VMDeath")), Status::Fail);
    assert_eq!(status(before("Agent_OnLoad", "VMInit")), Status::Fail, "what never came did not come before");
    let counts = |n| LifeExpectation {
        counts: vec![(happening("Agent_OnUnload"), Matcher::Equals(Literal::Int(n)))],
        ..LifeExpectation::default()
    };
    assert_eq!(lived(&mut expecting(counts(1)), text(""), Exit::Code(0), ""), Status::Pass);
    assert_eq!(lived(&mut expecting(counts(2)), text(""), Exit::Code(0), ""), Status::Fail);
}

#[test]
fn the_process_counts_as_the_trace_tells_it() {
    let exit = |n| LifeExpectation {
        exit: Some(Matcher::Equals(Literal::Int(n))),
        stderr: equal("oh"),
        ..LifeExpectation::default()
    };
    assert_eq!(lived(&mut expecting(exit(3)), text(""), Exit::Code(3), "oh"), Status::Pass);
    assert_eq!(lived(&mut expecting(exit(0)), text(""), Exit::Code(3), "oh"), Status::Fail);
    assert_eq!(lived(&mut expecting(exit(3)), text(""), Exit::Code(3), "ah"), Status::Fail);
    // A signal is no way for a JVM to end.
    assert_eq!(lived(&mut expecting(exit(139)), text(""), Exit::Signal(11), "oh"), Status::Crash);
}

#[test]
fn what_the_trace_cannot_tell_is_no_fault_of_the_jvm() {
    let unstated = || Matcher::Is(Reference::Fact("never stated".into()));
    let loaded = || Happening { options: Some(unstated()), ..happening("Agent_OnLoad") };
    let none = LifeExpectation::default;
    let expectations = [
        LifeExpectation { exit: Some(unstated()), ..none() },
        LifeExpectation { stderr: Some(unstated()), ..none() },
        LifeExpectation { in_order: vec![loaded(), happening("VMDeath")], ..none() },
        LifeExpectation { never: vec![loaded()], ..none() },
        LifeExpectation { counts: vec![(loaded(), Matcher::Equals(Literal::Int(1)))], ..none() },
    ];
    for expected in expectations {
        assert_eq!(lived(&mut expecting(expected), text("a"), Exit::Code(0), "oh"), Status::Error);
    }
    // What came besides decides all the same.
    let in_order = vec![loaded(), happening("Agent_OnAttach")];
    let expected = LifeExpectation { in_order, ..none() };
    assert_eq!(lived(&mut expecting(expected), text("a"), Exit::Code(0), ""), Status::Fail);
}

#[test]
fn what_could_not_be_asked_is_no_fault_of_the_jvm() {
    let mut bench =
        expecting(LifeExpectation { never: vec![happening("VMStart")], ..LifeExpectation::default() });
    let attached = vec![Err("nobody listens".to_owned())];
    let process = Process { exit: Exit::Code(0), stdout: String::new(), stderr: String::new(), attached };
    bench.add(Body::Ended(process));
    assert_eq!(bench.status(), Status::Error);
    let without = expecting(LifeExpectation { exit: Some(Matcher::NotNull), ..LifeExpectation::default() });
    assert_eq!(without.status(), Status::Error);
}
