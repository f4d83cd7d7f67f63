//! Whatever a trace holds, judging it ends in verdicts.

use jvmti_cases::model::{
    CallbackExpectation, Case, CountBetween, EventExpectation, EventPattern, Exactly, Expect, Literal,
    Matcher, OutputExpectation, Reference,
};
use jvmti_wire::plan::PathPart;
use jvmti_wire::trace::{Body, EntryPoint, MissingEntry, StepRef};
use jvmti_wire::value::{ObjectId, Value};
use proptest::prelude::*;

use super::bench::*;
use crate::Exit;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        Just(Value::Untouched),
        Just(Value::Opaque),
        any::<i64>().prop_map(Value::Int),
        (0..4i64).prop_map(Value::Int),
        any::<f64>().prop_map(Value::Float),
        prop::collection::vec(any::<u8>(), 0..6).prop_map(Value::Str),
        prop::collection::vec(any::<u8>(), 0..6).prop_map(Value::Bytes),
        (0..4u64).prop_map(|o| Value::Object(ObjectId(o))),
        (0..4u64).prop_map(Value::Method),
        any::<u64>().prop_map(Value::Field),
        any::<u64>().prop_map(Value::Pointer),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            prop::collection::vec((prop_oneof!["state", "n"], inner), 0..3).prop_map(Value::Struct),
        ]
    })
}

fn reference() -> impl Strategy<Value = Reference> {
    prop_oneof![
        Just(Reference::Named("a".into())),
        Just(Reference::Fact("a".into())),
        Just(Reference::Output { step: "s".into(), param: 0, path: vec![PathPart::Index(1)] }),
        Just(Reference::Class("La;".into())),
        Just(Reference::Method { class: "La;".into(), name: "m".into(), signature: None }),
    ]
}

fn matcher() -> impl Strategy<Value = Matcher> {
    let leaf = prop_oneof![
        Just(Matcher::Equals(Literal::Null)),
        any::<i64>().prop_map(|i| Matcher::Equals(Literal::Int(i))),
        any::<f64>().prop_map(|f| Matcher::Equals(Literal::Float(f))),
        any::<String>().prop_map(|s| Matcher::Equals(Literal::Str(s))),
        reference().prop_map(Matcher::Is),
        reference().prop_map(Matcher::SameThreadState),
        reference().prop_map(Matcher::AtLeast),
        reference().prop_map(Matcher::AtMost),
        (any::<Option<i64>>(), any::<Option<i64>>()).prop_map(|(a, b)| Matcher::Range(a, b)),
        any::<i64>()
            .prop_map(|b| Matcher::Bits { has: vec![("B".into(), b)], lacks: vec![("C".into(), !b)] }),
        Just(Matcher::ThreadState(Some("NEW".into()))),
        any::<String>().prop_map(Matcher::Substring),
        Just(Matcher::Untouched),
        Just(Matcher::NotNull),
        Just(Matcher::ModifiedUtf8),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let some = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            inner.clone().prop_map(|m| Matcher::Length(Box::new(m))),
            inner.clone().prop_map(|m| Matcher::Contains(Box::new(m))),
            inner.clone().prop_map(|m| Matcher::Each(Box::new(m))),
            inner.clone().prop_map(|m| Matcher::Not(Box::new(m))),
            some.clone().prop_map(Matcher::Elements),
            some.clone().prop_map(Matcher::Set),
            some.clone().prop_map(Matcher::All),
            some.prop_map(Matcher::Any),
            inner.prop_map(|m| Matcher::Fields(vec![("n".into(), m)])),
        ]
    })
}

fn step_ref() -> impl Strategy<Value = StepRef> {
    let case = 0..4u32;
    prop_oneof![
        case.clone().prop_map(|case| StepRef::Setup { case }),
        (case.clone(), 0..4u32).prop_map(|(case, step)| StepRef::Step { case, step }),
        (case, 0..3u32, 0..3u32).prop_map(|(case, handler, action)| StepRef::Handler {
            case,
            handler,
            action
        }),
        Just(StepRef::None),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just("a".to_owned()), Just("scenario-failed".to_owned()), Just("La;".to_owned())]
}

fn event_number() -> impl Strategy<Value = u16> {
    prop_oneof![50..90u16, any::<u16>()]
}

fn args() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(value(), 0..5)
}

/// Records about calls and callbacks.
fn call_body() -> impl Strategy<Value = Body> {
    let function = prop_oneof![0..160u16, any::<u16>()];
    let begin = (0..6u32, 0..5u32, function, step_ref(), args());
    let code = prop_oneof![Just(0), any::<i32>()];
    let outputs = prop::collection::vec((0..4u16, value()), 0..3);
    let callback = || "C".to_owned();
    prop_oneof![
        begin.prop_map(|(call, environment, function, step, args)| Body::CallBegin {
            call,
            environment,
            function,
            step,
            args
        }),
        (0..6u32, code, outputs, any::<(bool, bool)>()).prop_map(|(call, code, outputs, exception)| {
            Body::CallEnd { call, code, outputs, exception }
        }),
        (step_ref(), value()).prop_map(|(step, result)| Body::Jni { step, result }),
        (0..5u32, event_number(), args()).prop_map(|(environment, event, args)| Body::Event {
            environment,
            event,
            args
        }),
        event_number().prop_map(|event| Body::EventEnd { event }),
        (0..6u32, args()).prop_map(move |(call, args)| {
            Body::Callback { call, callback: callback(), args, returned: 0 }
        }),
        (0..6u32, any::<u64>())
            .prop_map(move |(call, count)| { Body::CallbacksCounted { call, callback: callback(), count } }),
    ]
}

/// Records about anything else.
fn other_body() -> impl Strategy<Value = Body> {
    let signature = || "()V".to_owned();
    prop_oneof![
        Just(Body::Entry(EntryPoint::OnLoad)),
        Just(Body::EntryReturned { entry: EntryPoint::OnLoad, code: 0 }),
        (0..4u64, name(), name())
            .prop_map(|(o, class, name)| { Body::ObjectSeen { object: ObjectId(o), class, name } }),
        (0..4u64, name()).prop_map(move |(method, class)| {
            Body::MethodSeen { method, class, name: "m".into(), signature: signature() }
        }),
        (0..5u32, any::<Option<u32>>(), any::<u8>(), -3..2i32).prop_map(
            |(environment, case, index, code)| { Body::EnvironmentMade { environment, case, index, code } }
        ),
        (0..5u32).prop_map(|environment| Body::EnvironmentGone { environment }),
        (0..3u32).prop_map(|run| Body::RunBegin { run }),
        (0..3u32).prop_map(|run| Body::RunEnd { run }),
        (name(), value()).prop_map(|(name, value)| Body::Bind { name, value }),
        (name(), value()).prop_map(|(key, value)| Body::Fact { key, value }),
        (step_ref(), name()).prop_map(|(step, reason)| Body::StepFailed { step, reason }),
        (step_ref(), any::<u16>()).prop_map(|(step, function)| {
            Body::FunctionMissing { step, function, entry: MissingEntry::Null }
        }),
    ]
}

fn body() -> impl Strategy<Value = Body> {
    prop_oneof![7 => call_body(), 12 => other_body()]
}

fn event_pattern() -> impl Strategy<Value = EventPattern> {
    (prop::option::of(50..60u16), matcher(), any::<bool>()).prop_map(|(event, m, after)| EventPattern {
        event,
        name: "E".into(),
        environment: None,
        params: vec![(1, "p".into(), m)],
        after: after.then(|| Box::new(pattern("VMInit"))),
    })
}

fn any_case() -> impl Strategy<Value = Case> {
    let events = (event_pattern(), event_pattern(), event_pattern(), matcher()).prop_map(|(a, b, c, m)| {
        EventExpectation {
            in_order: vec![a.clone(), b.clone()],
            never: vec![c.clone()],
            counts: vec![(a.clone(), m.clone())],
            exactly: vec![Exactly { of: vec![a.clone()], are: vec![b.clone(), c.clone()] }],
            between: vec![CountBetween { from: a.clone(), to: b.clone(), of: c, is: m.clone() }],
            per_thread_before: vec![(a, b)],
        }
    });
    (prop::collection::vec((matcher(), matcher()), 0..3), prop::option::of(events)).prop_map(
        |(steps, events)| {
            let expect = |(m, n): (Matcher, Matcher)| Expect {
                when: None,
                error: None,
                outputs: vec![OutputExpectation { param: 0, name: "x".into(), matcher: m.clone() }],
                callbacks: vec![CallbackExpectation {
                    callback: "C".into(),
                    params: vec![(0, "y".into(), m)],
                    count: n,
                }],
            };
            let mut steps: Vec<_> = steps.into_iter().map(|s| call("GetThreadState", expect(s))).collect();
            if let Some(first) = steps.first_mut() {
                first.plan.save = Some("s".into());
            }
            Case { steps, events, ..case("any") }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn judging_never_panics_and_forgets_no_case(
        cases in prop::collection::vec(any_case(), 0..3),
        bodies in prop::collection::vec((0..3u32, body()), 0..60),
        exit in prop_oneof![
            Just(Exit::Code(0)), Just(Exit::Code(1)), Just(Exit::Signal(11)), Just(Exit::TimedOut), Just(Exit::Unknown)
        ],
    ) {
        let count = cases.len();
        let mut bench = Bench::new(cases);
        bench.ended.exit = exit;
        for (thread, body) in bodies {
            bench.on(thread).add(body);
        }
        let judged = bench.judged();
        let mut told: Vec<usize> = judged.verdicts.iter().map(|(i, _)| *i).chain(judged.unfinished).collect();
        told.sort_unstable();
        prop_assert_eq!(told, (0..count).collect::<Vec<_>>());
    }

    #[test]
    fn a_condition_and_its_negation_never_both_hold(m in matcher(), v in value()) {
        let status = |m: Matcher| {
            let mut case = case("one");
            case.steps = vec![call("GetThreadState", output(1, "x", m))];
            let mut bench = Bench::new(vec![case]);
            bench.step(0, 0, 0, vec![(1, v.clone())]).status()
        };
        let (plain, negated) = (status(m.clone()), status(Matcher::Not(Box::new(m))));
        prop_assert!(plain != jvmti_results::Status::Pass || negated != jvmti_results::Status::Pass);
    }
}
