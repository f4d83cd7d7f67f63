//! What is recorded is what is read, byte for byte and value for value.
#![allow(clippy::unwrap_used)]

mod support;

use jvmti_wire::Plan;
use jvmti_wire::plan::{Action, Arg, OnThread, PlannedCase, PlannedStep, Trigger};
use jvmti_wire::trace::{
    Body, CodePlace, EntryPoint, HotArg, HotBody, HotPlace, MAX_RECORD, NativeCode, Reader, StepRef,
};
use jvmti_wire::value::{MAX_DEPTH, ObjectId, Value};
use proptest::collection::vec;
use proptest::prelude::*;
use support::{Trace, bodies, body, log, step, value};

/// Values of the kinds that `HotArg` has.
fn flat() -> impl Strategy<Value = Vec<Value>> {
    vec(value().prop_filter("owns nothing", |value| hot(value).is_some()), 0..8)
}

fn hot(value: &Value) -> Option<HotArg<'_>> {
    Some(match value {
        Value::Null => HotArg::Null,
        Value::Int(i) => HotArg::Int(*i),
        Value::Float(f) => HotArg::Float(*f),
        Value::Str(s) => HotArg::Str(s),
        Value::Bytes(b) => HotArg::Bytes(b),
        Value::Object(id) => HotArg::Object(*id),
        Value::Opaque => HotArg::Opaque,
        Value::Reference(handle) => HotArg::Reference(*handle),
        Value::Method(id) => HotArg::Method(*id),
        Value::Field(id) => HotArg::Field(*id),
        Value::Pointer(p) => HotArg::Pointer(*p),
        Value::Untouched | Value::List(_) | Value::Struct(_) => return None,
    })
}

/// The log that one body makes and the one that its borrowed twin makes.
fn twins(body: &Body, twin: &HotBody<'_>) -> [Vec<u8>; 2] {
    let traces = [Trace::new(1 << 14), Trace::new(1 << 14)];
    traces[0].recorder().record(3, 1 << 40, body).unwrap();
    traces[1].recorder().record_hot(3, 1 << 40, twin).unwrap();
    traces.map(|trace| trace.bytes().split_off(log(&trace.bytes())))
}

proptest! {
    #[test]
    fn bodies_come_back(bodies in vec(body(), 0..20)) {
        let (bytes, records) = Trace::of(&bodies);
        let reader = Reader::new(&bytes).unwrap();
        prop_assert_eq!(reader.records().collect::<Vec<_>>(), records);
        let summary = reader.summary();
        prop_assert_eq!((summary.torn, summary.unreadable, summary.lost), (0, 0, 0));
        prop_assert!(summary.sealed && !summary.truncated);
    }

    #[test]
    fn borrowed_bodies_are_the_same_bytes(
        call: u32, environment: u32, half: u16, code: i32, returned: i64, exception: (bool, bool),
        step in step(), args in flat(),
    ) {
        let borrowed: Vec<_> = args.iter().map(|arg| hot(arg).unwrap()).collect();
        let outputs: Vec<_> = borrowed.iter().map(|arg| (half, *arg)).collect();
        let pairs = [
            (
                Body::Event { environment, event: half, args: args.clone() },
                HotBody::Event { environment, event: half, args: &borrowed },
            ),
            (
                Body::CallBegin { call, environment, function: half, step, args: args.clone() },
                HotBody::CallBegin { call, environment, function: half, step, args: &borrowed },
            ),
            (
                Body::CallEnd {
                    call, code, outputs: args.iter().map(|arg| (half, arg.clone())).collect(), exception,
                },
                HotBody::CallEnd { call, code, outputs: &outputs, exception },
            ),
            (Body::EventEnd { event: half }, HotBody::EventEnd { event: half }),
            (
                Body::Blocks { call, blocks: vec![(half, returned.cast_unsigned())] },
                HotBody::Blocks { call, blocks: &[(half, returned.cast_unsigned())] },
            ),
            (
                Body::CallBrief {
                    call, environment, function: half, site: environment, about: Value::Pointer(call.into()),
                    blocks: vec![(half, returned.cast_unsigned())],
                },
                HotBody::CallBrief {
                    call, environment, function: half, site: environment, about: HotArg::Pointer(call.into()),
                    blocks: &[(half, returned.cast_unsigned())],
                },
            ),
            (
                Body::Native(NativeCode::Aborted {
                    stack: vec![CodePlace { library: "/lib/a.so".into(), offset: call.into(), symbol: "f".into() }],
                }),
                HotBody::Aborted {
                    stack: &[HotPlace { library: "/lib/a.so", offset: call.into(), symbol: "f" }],
                },
            ),
        ];
        for (body, twin) in pairs {
            let [owned, borrowed] = twins(&body, &twin);
            prop_assert!(owned.iter().any(|byte| *byte != 0));
            prop_assert_eq!(owned, borrowed);
        }
    }

    #[test]
    fn numbers_of_a_plan_come_back_exactly(bits: u64) {
        let arg = Arg::Float(f64::from_bits(bits));
        let Arg::Float(back) = serde_json::from_slice(&serde_json::to_vec(&arg).unwrap()).unwrap() else {
            panic!("another kind");
        };
        let number = f64::from_bits(bits);
        prop_assert!(back.to_bits() == bits || back.is_nan() && number.is_nan());
    }
}

#[test]
fn a_plan_comes_back() {
    let args =
        vec![Arg::Float(f64::INFINITY), Arg::Bytes(vec![0, 255]), Arg::List(vec![Arg::Null, Arg::Int(-1)])];
    let action = Action::Call { environment: 0, function: 9, args, on: OnThread::Attached };
    let step = PlannedStep { at: Trigger::Checkpoint("x".into()), action, save: None };
    let case = PlannedCase {
        id: "a/b".into(),
        run: None,
        environments: vec![],
        steps: vec![step],
        handlers: vec![],
    };
    let plan = Plan { cases: vec![case], ..Plan::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    jvmti_wire::trace::file::create(&path, &plan, 0).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(Reader::new(&bytes).unwrap().plan(), &plan);
    assert_eq!(jvmti_wire::trace::Recorder::map(&path).unwrap().plan().unwrap(), plan);
}

/// Traces have to stay readable. If this fails, `FORMAT` has to change along with what changed.
#[test]
fn encoded_records_stay_as_they_are() {
    let value = Value::Struct(vec![("a".into(), Value::List(vec![Value::Untouched, Value::Int(-2)]))]);
    let args = [Value::Null, Value::Pointer(300), Value::Object(ObjectId(5)), Value::Float(1.0)];
    let step = StepRef::Step { case: 1, step: 2 };
    let bodies = bodies(257, 1 << 14, "x", &value, step, EntryPoint::OnAttach, &args);
    let (bytes, records) = Trace::of(&bodies);
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let payloads: Vec<String> = records
        .iter()
        .map(|record| {
            let at = record.seq as usize;
            let len = u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
            hex(&bytes[at + 12..at + 8 + len])
        })
        .collect();
    let lines: String = payloads.iter().map(|payload| format!("{payload}\n")).collect();
    assert_eq!(lines, include_str!("records.hex"));
}

#[test]
fn values_lie_as_deep_as_allowed_and_no_deeper() {
    let nest = |depth| (0..depth).fold(Value::Null, |inner, _| Value::List(vec![inner]));
    let fact = |depth| Body::Fact { key: "deep".into(), value: nest(depth) };
    let (bytes, records) = Trace::of(&[fact(MAX_DEPTH), fact(MAX_DEPTH + 1), fact(2000), fact(1)]);
    let mut read = Reader::new(&bytes).unwrap().records();
    assert_eq!(read.by_ref().collect::<Vec<_>>(), [records[0].clone(), records[3].clone()]);
    assert_eq!(read.summary().unreadable, 2);
}

#[test]
fn a_record_that_is_too_large_is_lost_and_told() {
    let trace = Trace::new(32 << 20);
    let recorder = trace.recorder();
    let fact = |len| Body::Fact { key: String::new(), value: Value::Bytes(vec![7; len]) };
    assert!(recorder.record(1, 1, &fact(MAX_RECORD - 100)).is_some());
    assert!(recorder.record(1, 2, &fact(MAX_RECORD)).is_none());
    assert_eq!(recorder.lost(), 1);
    let bytes = trace.bytes();
    let bodies: Vec<_> = Reader::new(&bytes).unwrap().records().map(|record| record.body).collect();
    assert_eq!(bodies[0], fact(MAX_RECORD - 100));
    assert!(matches!(&bodies[1..], [Body::Trouble { message }] if message.contains("dropped")));
}
