//! A synthetic launch: cases and the trace that they are judged by.

use std::sync::LazyLock;

use jvmti_cases::model::{
    Case, Environment, ErrorExpectation, EventExpectation, EventPattern, Expect, Matcher, OutputExpectation,
    Sharing, Source, Step,
};
use jvmti_results::{Jvm, Status, Verdict};
use jvmti_spec::{Assertion, Edition, Promise, Release, Spec, Strength};
use jvmti_wire::Plan;
use jvmti_wire::plan::{self, Action, OnThread, Trigger};
use jvmti_wire::trace::{Body, Record, StepRef};
use jvmti_wire::value::{ObjectId, Value};

use crate::{Assertions, Brief, Exit, Judged, LaunchEnd, judge};

pub(crate) const RELEASE: Release = Release(25);

pub(crate) fn edition() -> &'static Edition {
    static EDITION: LazyLock<Edition> = LazyLock::new(|| Spec::embedded().at(RELEASE));
    &EDITION
}

pub(crate) fn function(name: &str) -> u16 {
    edition().function(name).expect(name).slot
}

pub(crate) fn event(name: &str) -> u16 {
    edition().event(name).expect(name).number
}

pub(crate) fn code(name: &str) -> i32 {
    edition().error(name).expect(name).number
}

pub(crate) fn object(id: u64) -> Value {
    Value::Object(ObjectId(id))
}

/// The registry of the release, and one made-up assertion of each strength.
pub(crate) fn assertions() -> Assertions {
    let made_up = [("must", Strength::Must), ("should", Strength::Should), ("may", Strength::May)];
    let made_up = made_up.into_iter().map(|(id, strength)| Assertion {
        id: id.into(),
        chapter: "thread".into(),
        subject: None,
        text: format!("It {id}."),
        anchor: "x".into(),
        strength,
        promise: Promise::Other,
        since: None,
        until: None,
        untestable: None,
    });
    Spec::embedded().assertions(RELEASE).into_iter().chain(made_up).collect()
}

/// A case that cites `must`, with one environment and no steps.
pub(crate) fn case(id: &str) -> Case {
    Case {
        id: id.into(),
        about: "something".into(),
        chapter: "thread".into(),
        subject: None,
        source: Source { file: "thread.yaml".into(), line: 1 },
        releases: (None, None),
        scenario: None,
        sharing: Sharing::Scenario,
        apart: None,
        repeats: 0,
        undefined: false,
        bytecode_indices: false,
        untimed: false,
        vm_options: vec![],
        environments: vec![Environment {
            name: "main".into(),
            made: None,
            version: None,
            capabilities: vec![],
            events: vec![],
        }],
        steps: vec![],
        handlers: vec![],
        awaited: vec![],
        events: None,
        occasion: vec![],
        facts: vec![],
        cites: vec!["must".into()],
        life: None,
        life_expected: None,
    }
}

pub(crate) fn at(at: Trigger, function: u16, expect: Option<Expect>) -> Step {
    let action = Action::Call { environment: 0, function, args: vec![], on: OnThread::Current };
    Step {
        plan: plan::PlannedStep { at, action, save: None },
        expect,
        cites: vec![],
        helper: false,
        text: "the step".into(),
    }
}

/// A call at a checkpoint.
pub(crate) fn call(name: &str, expect: Expect) -> Step {
    at(Trigger::Checkpoint("there".into()), function(name), Some(expect))
}

pub(crate) fn error(names: &[&str]) -> Expect {
    let names = names.iter().map(|n| (*n).to_owned()).collect();
    Expect { error: Some(ErrorExpectation::OneOf(names)), ..Expect::default() }
}

pub(crate) fn output(param: u16, name: &str, matcher: Matcher) -> Expect {
    let outputs = vec![OutputExpectation { param, name: name.into(), matcher }];
    Expect { outputs, ..error(&["NONE"]) }
}

pub(crate) fn pattern(name: &str) -> EventPattern {
    EventPattern {
        event: Some(event(name)),
        name: name.into(),
        environment: None,
        params: vec![],
        after: None,
    }
}

pub(crate) fn one(expect: Expect) -> Bench {
    let mut case = case("one");
    case.steps = vec![call("GetThreadState", expect)];
    Bench::new(vec![case])
}

pub(crate) fn with_events(events: EventExpectation) -> Case {
    Case { events: Some(events), ..case("events") }
}

/// A trace in the making, on thread 1 unless told otherwise.
pub(crate) struct Bench {
    pub cases: Vec<Case>,
    pub records: Vec<Record>,
    pub thread: u32,
    pub ended: LaunchEnd,
    /// The environments of the cases pass from case to case.
    pub pass_on: bool,
    calls: u32,
}

impl Bench {
    /// One environment per case, with the number of the case from 1; in one scenario run.
    pub fn new(cases: Vec<Case>) -> Self {
        let ended = LaunchEnd { exit: Exit::Code(0), lost: 0 };
        let mut bench = Bench { records: vec![], thread: 1, ended, pass_on: false, calls: 0, cases };
        for case in 0..bench.cases.len() as u32 {
            bench.add(Body::EnvironmentMade { environment: case + 1, case: Some(case), index: 0, code: 0 });
        }
        bench.add(Body::RunBegin { run: 0 });
        bench
    }

    pub fn add(&mut self, body: Body) -> &mut Self {
        let seq = 8 * (self.records.len() as u64 + 1);
        self.records.push(Record { seq, at: seq * 1000, thread: self.thread, body });
        self
    }

    pub fn on(&mut self, thread: u32) -> &mut Self {
        self.thread = thread;
        self
    }

    pub fn begin(&mut self, step: StepRef, function: u16, args: Vec<Value>) -> u32 {
        self.calls += 1;
        let (call, environment) = (self.calls, step.case().map_or(90, |case| case + 1));
        self.add(Body::CallBegin { call, environment, function, step, args });
        call
    }

    pub fn end(&mut self, call: u32, code: i32, outputs: Vec<(u16, Value)>) -> &mut Self {
        self.add(Body::CallEnd { call, code, outputs, exception: (false, false) })
    }

    /// A whole call.
    pub fn call(&mut self, step: StepRef, name: &str, args: Vec<Value>, code: i32) -> &mut Self {
        let call = self.begin(step, function(name), args);
        self.end(call, code, vec![])
    }

    /// Step `step` of case `case`, done.
    pub fn step(&mut self, case: u32, step: u32, code: i32, outputs: Vec<(u16, Value)>) -> &mut Self {
        let function = match self.cases[case as usize].steps[step as usize].plan.action {
            Action::Call { function, .. } => function,
            _ => 0,
        };
        let call = self.begin(StepRef::Step { case, step }, function, vec![]);
        self.end(call, code, outputs)
    }

    pub fn event(&mut self, environment: u32, name: &str, args: Vec<Value>) -> &mut Self {
        self.add(Body::Event { environment, event: event(name), args })
    }

    pub fn enable(&mut self, case: u32, mode: i64, name: &str, thread: Value, code: i32) -> &mut Self {
        let args = vec![Value::Int(mode), Value::Int(event(name).into()), thread];
        self.call(StepRef::Setup { case }, "SetEventNotificationMode", args, code)
    }

    pub fn bind(&mut self, name: &str, value: Value) -> &mut Self {
        self.add(Body::Bind { name: name.into(), value })
    }

    pub fn fact(&mut self, key: &str, value: Value) -> &mut Self {
        self.add(Body::Fact { key: key.into(), value })
    }

    pub fn judged(&self) -> Judged {
        let passing = plan::PlannedEnvironment {
            name: "main".into(),
            made: plan::Made::OnLoad,
            enabled: plan::Made::OnLoad,
            chain: Some(1),
            version: None,
            capabilities: vec![],
            events: vec![],
        };
        let plan_case = |case: &Case| plan::PlannedCase {
            id: case.id.clone(),
            run: Some(0),
            environments: if self.pass_on { vec![passing.clone()] } else { vec![] },
            steps: case.steps.iter().map(|s| s.plan.clone()).collect(),
            handlers: vec![],
        };
        let plan = Plan { cases: self.cases.iter().map(plan_case).collect(), ..Plan::default() };
        let brief = Brief {
            release: RELEASE,
            suite: "0".into(),
            jvm: Jvm::default(),
            configuration: None,
            vm_options: vec![],
            reproduce: "jvmti-check run {case}".into(),
            cases: self.cases.clone(),
            inapplicable: vec![],
        };
        judge(&mut self.records.iter().cloned(), &plan, &brief, edition(), &assertions(), &self.ended)
    }

    /// The verdict on the first case.
    pub fn verdict(&self) -> Verdict {
        self.judged().verdicts.into_iter().find(|(case, _)| *case == 0).expect("judged").1
    }

    pub fn status(&self) -> Status {
        self.verdict().status
    }

    /// What the universal rule of that name came to.
    pub fn rule(&self, name: &str) -> Option<Verdict> {
        self.judged().universal.into_iter().find(|v| v.case == format!("universal/{name}"))
    }
}
