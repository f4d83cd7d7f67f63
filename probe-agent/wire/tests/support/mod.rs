//! Traces made for tests.
#![allow(dead_code, clippy::unwrap_used)]

use std::path::PathBuf;

use jvmti_wire::Plan;
use jvmti_wire::trace::{
    Body, CodePlace, EntryPoint, Exit, Handed, JniMisuse, MissingEntry, MonitorChange, NativeCode, Process,
    Record, Recorder, ReferenceKind, StepRef, file,
};
use jvmti_wire::value::{ObjectId, Value};
use proptest::collection::vec;
use proptest::prelude::*;

/// A trace file that is gone when the test is.
pub struct Trace {
    pub path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Trace {
    pub fn new(capacity: u64) -> Trace {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trace");
        file::create(&path, &plan(), capacity).unwrap();
        Trace { path, _folder: folder }
    }

    /// One that holds these bodies; and its records.
    pub fn of(bodies: &[Body]) -> (Vec<u8>, Vec<Record>) {
        let trace = Trace::new(1 << 20);
        let recorder = trace.recorder();
        let records = bodies.iter().zip(1..).map(|(body, thread)| {
            let at = u64::from(thread) << 30;
            let seq = recorder.record(thread, at, body).unwrap();
            Record { seq, at, thread, body: body.clone() }
        });
        let records = records.collect();
        file::seal(&trace.path).unwrap();
        (trace.bytes(), records)
    }

    pub fn recorder(&self) -> Recorder {
        Recorder::map(&self.path).unwrap()
    }

    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).unwrap()
    }
}

pub fn plan() -> Plan {
    Plan { launch: "a launch".into(), brief: r#"{"a":1}"#.into(), ..Plan::default() }
}

/// Where the log of a trace begins.
pub fn log(bytes: &[u8]) -> usize {
    u64::from_ne_bytes(bytes[40..48].try_into().unwrap()) as usize
}

/// A finite number: one that equals itself.
pub fn float() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("equals itself", |f| !f.is_nan())
}

pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        Just(Value::Untouched),
        any::<i64>().prop_map(Value::Int),
        float().prop_map(Value::Float),
        vec(any::<u8>(), 0..40).prop_map(Value::Str),
        vec(any::<u8>(), 0..400).prop_map(Value::Bytes),
        any::<u64>().prop_map(|id| Value::Object(ObjectId(id))),
        Just(Value::Opaque),
        any::<u64>().prop_map(Value::Reference),
        any::<u64>().prop_map(Value::Method),
        any::<u64>().prop_map(Value::Field),
        any::<u64>().prop_map(Value::Pointer),
    ];
    leaf.prop_recursive(4, 20, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::List),
            vec((".{0,8}", inner), 0..5).prop_map(Value::Struct),
        ]
    })
}

fn entry() -> impl Strategy<Value = EntryPoint> {
    prop_oneof![Just(EntryPoint::OnLoad), Just(EntryPoint::OnAttach), Just(EntryPoint::OnUnload)]
}

pub fn step() -> impl Strategy<Value = StepRef> {
    prop_oneof![
        any::<u32>().prop_map(|case| StepRef::Setup { case }),
        any::<(u32, u32)>().prop_map(|(case, step)| StepRef::Step { case, step }),
        any::<(u32, u32, u32)>().prop_map(|(case, handler, action)| StepRef::Handler {
            case,
            handler,
            action
        }),
        Just(StepRef::None),
        any::<u32>().prop_map(|site| StepRef::Site { site }),
    ]
}

/// A body of each kind, filled with what is given.
#[expect(clippy::too_many_lines, reason = "one entry for each kind of record")]
pub fn bodies(
    n: u32,
    long: u64,
    text: &str,
    value: &Value,
    step: StepRef,
    entry: EntryPoint,
    args: &[Value],
) -> Vec<Body> {
    let (text, value, args, half) = (text.to_owned(), value.clone(), args.to_vec(), n as u16);
    let object = ObjectId(long);
    let place = CodePlace { library: text.clone(), offset: long, symbol: text.clone() };
    let (arguments, called_from, signalled, nowhere, said) =
        (args.clone(), place.clone(), place.clone(), place.clone(), text.clone());
    vec![
        Body::Entry(entry),
        Body::EntryReturned { entry, code: n as i32 },
        Body::Identity { key: text.clone(), value: text.clone() },
        Body::ThreadSeen { object: half.is_multiple_of(2).then_some(object), native: long },
        Body::ObjectSeen { object, class: text.clone(), name: text.clone() },
        Body::MethodSeen { method: long, class: text.clone(), name: text.clone(), signature: text.clone() },
        Body::EnvironmentMade { environment: n, case: Some(n), index: n as u8, code: n as i32 },
        Body::EnvironmentGone { environment: n },
        Body::RunBegin { run: n },
        Body::RunEnd { run: n },
        Body::Checkpoint { name: text.clone() },
        Body::Bind { name: text.clone(), value: value.clone() },
        Body::Fact { key: text.clone(), value: value.clone() },
        Body::CallBegin { call: n, environment: n, function: half, step, args: args.clone() },
        Body::CallEnd {
            call: n,
            code: n as i32,
            outputs: args.iter().map(|arg| (half, arg.clone())).collect(),
            exception: (long.is_multiple_of(2), half.is_multiple_of(2)),
        },
        Body::Jni { step, result: value },
        Body::Event { environment: n, event: half, args: args.clone() },
        Body::EventEnd { event: half },
        Body::Callback { call: n, callback: text.clone(), args, returned: long as i64 },
        Body::CallbacksCounted { call: n, callback: text.clone(), count: long },
        Body::StepFailed { step, reason: text.clone() },
        Body::Trouble { message: text.clone() },
        Body::Given {
            call: n,
            step,
            memory: vec![Handed { param: half, count: n, code: n as i32 }],
            references: vec![],
        },
        Body::AgentEnvironment { environment: n, site: n, version: n as i32, pointer: long },
        Body::SiteSeen { site: n, stack: vec![place.clone()] },
        Body::Blocks { call: n, blocks: vec![(half, long)] },
        Body::CallbacksSet { environment: n, functions: vec![(half, place)] },
        Body::ExtensionEvent { environment: n, index: n as i32, id: text.clone(), args: arguments },
        Body::ExtensionEventEnd { index: n as i32 },
        Body::Retired,
        Body::AgentCalled { function: text.clone(), image: text.clone(), options: Value::Null },
        Body::Ended(Process {
            exit: Exit::Code(n as i32),
            stdout: text.clone(),
            stderr: text.clone(),
            attached: vec![Ok(text.clone()), Err(text.clone())],
        }),
        Body::MemoryTaken { event: half, at: long },
        Body::CallbacksOverlap { call: n, callback: text.clone() },
        Body::JniUsed { function: half, site: n },
        Body::ExtensionFunctionSeen { function: half, id: text.clone() },
        Body::WrittenAfterDeallocate { call: n, at: long, offset: long },
        Body::ThreadEnds,
        Body::CallsCounted { site: n, function: half, count: long },
        Body::EventsCounted { environment: n, event: half, count: long },
        Body::ReferencesHeld { event: Some(half), held: n, calls: n, room: n, given: vec![(half, n, n)] },
        Body::CallBrief {
            call: n,
            environment: n,
            function: half,
            site: n,
            about: Value::Pointer(long),
            blocks: vec![(half, long)],
        },
        Body::FreedElsewhere { site: n, function: text, at: long },
        Body::FunctionMissing { step, function: half, entry: MissingEntry::BeyondTable { length: half } },
        Body::FunctionMissing { step, function: half, entry: MissingEntry::Null },
        Body::ExceptionChanged { event: 3, pending: true },
        Body::ReferencesGiven { handles: vec![long, 7] },
        Body::GlobalCreated { handle: long, weak: true },
        Body::ReferenceDeleted { handle: long, kind: ReferenceKind::Weak, site: n },
        Body::LocalsKnown { known: true },
        Body::GlobalsKnown { known: true },
        Body::CallStack { call: n, stack: vec![called_from] },
        Body::TimeSpent { recording: long, cpu: half.is_multiple_of(2).then_some(long) },
        Body::RecordingCost { recorded: long, took: long, counting: Some(long) },
        Body::JniMisused { function: half, site: n, misuse: JniMisuse::CriticalRegion },
        Body::JavaMonitor { object: ObjectId(long), change: MonitorChange::Entered, site: n },
        Body::LeftAttached { site: n },
        Body::ClassDataWritten { offset: long },
        Body::Native(NativeCode::LocalFrame { pushed: true }),
        Body::Native(NativeCode::CriticalRegion { entered: true }),
        Body::Native(NativeCode::Detached { site: n }),
        Body::Native(NativeCode::AttachedEarly { site: n }),
        Body::Native(NativeCode::ThreadThrew { site: n }),
        Body::Native(NativeCode::ContentsKept { function: half, site: n, got: n, released: 3 }),
        Body::Native(NativeCode::WrittenAfterDeallocate { site: n, at: long, offset: long }),
        Body::Native(NativeCode::ReferenceUsed { function: half, site: n, handle: long }),
        Body::Native(NativeCode::TableLacks { function: half, count: half }),
        Body::Native(NativeCode::ClassDataLength { length: -7 }),
        Body::Native(NativeCode::UserThread { attached: true, site: n }),
        Body::Native(NativeCode::StackAddress { function: half, site: n, room: long }),
        Body::Native(NativeCode::GlobalCreated { handle: long, weak: true, site: n }),
        Body::Native(NativeCode::MethodEntered { name: said, site: n, handles: vec![long, 7] }),
        Body::Native(NativeCode::MethodLeft),
        Body::Native(NativeCode::ThreadBegan { site: n, argument: long }),
        Body::Native(NativeCode::WrittenBeyond { site: n, at: long, size: long }),
        Body::Native(NativeCode::DeallocatedPassed { function: half, site: n, param: half }),
        Body::Native(NativeCode::Crashed { words: vec![], stack: vec![signalled.clone()] }),
        Body::Native(NativeCode::CrashStack { stack: vec![signalled.clone()] }),
        Body::Native(NativeCode::FramesOpen { site: n, open: 64 }),
        Body::Native(NativeCode::Aborted { stack: vec![signalled.clone(), signalled.clone()] }),
        Body::Native(NativeCode::ClassDataMalformed { name: "Unit".into() }),
        Body::Native(NativeCode::StaticAddress { function: half, site: n, place: signalled }),
        Body::Native(NativeCode::CalledInFork { function: half, site: n }),
        Body::Native(NativeCode::AllocatedAddress { function: half, site: n, room: 48 }),
        Body::Native(NativeCode::HeapAnswer { function: half, site: n, answer: -7, count: long }),
        Body::Native(NativeCode::FatalError { site: n }),
        Body::Native(NativeCode::ThreadUnmade { site: n }),
        Body::Native(NativeCode::NoHeapCallback { index: half, place: nowhere, count: 2 }),
    ]
}

pub fn body() -> impl Strategy<Value = Body> {
    let parts = (any::<u32>(), any::<u64>(), ".{0,30}", value(), step(), entry(), vec(value(), 0..5));
    (parts, any::<prop::sample::Index>()).prop_map(|((n, long, text, value, step, entry, args), which)| {
        which.get(&bodies(n, long, &text, &value, step, entry, &args)).clone()
    })
}
