//! Rules over traces that are written down here, as for races; on real JVMs they are tested with the fixtures of the
//! probe.

use jvmti_spec::{Edition, Release, Spec};
use jvmti_wire::trace::{Body, CodePlace, EntryPoint, JniMisuse, StepRef};
use jvmti_wire::value::{ObjectId, Value};

use super::*;

mod callbacks;
mod ends;
mod growth;
mod memory;
mod monitors;
mod natives;
mod references;

/// A trace, record by record.
struct Trace {
    spec: Edition,
    records: Vec<Record>,
    calls: u32,
    end: End,
}

const WHOLE: End = End { whole: true, gapless: true, exit: None };

impl Trace {
    fn new() -> Trace {
        let mut trace =
            Trace { spec: Spec::embedded().at(Release(25)), records: Vec::new(), calls: 0, end: WHOLE };
        trace.add(1, Body::GlobalsKnown { known: true });
        for environment in [1, 2] {
            trace.add(1, Body::EnvironmentMade { environment, case: None, index: 0, code: 0 });
            trace.add(1, Body::AgentEnvironment { environment, site: 1, version: 0x3001_0200, pointer: 16 });
        }
        trace
    }

    fn add(&mut self, thread: u32, body: Body) -> &mut Trace {
        let seq = self.records.len() as u64;
        self.records.push(Record { seq, at: seq, thread, body });
        self
    }

    /// A call of environment 1 begins. Gives its number.
    fn begin(&mut self, thread: u32, function: &str, args: &[Value]) -> u32 {
        self.begin_in(1, thread, function, args)
    }

    fn begin_in(&mut self, environment: u32, thread: u32, function: &str, args: &[Value]) -> u32 {
        self.calls += 1;
        let (call, function) = (self.calls, self.spec.function(function).unwrap().slot);
        let step = StepRef::Site { site: 1 };
        self.add(thread, Body::CallBegin { call, environment, function, step, args: args.to_vec() });
        call
    }

    fn end(&mut self, thread: u32, call: u32, code: i32, outputs: &[(u16, Value)]) {
        let outputs = outputs.to_vec();
        self.add(thread, Body::CallEnd { call, code, outputs, exception: (false, false) });
    }

    fn call(&mut self, thread: u32, function: &str, args: &[Value], code: i32) {
        let call = self.begin(thread, function, args);
        self.end(thread, call, code, &[]);
    }

    fn findings(&self) -> Vec<Violation> {
        let (mut state, mut misuse) = (AgentState::new(&self.spec), Misuse::default());
        for record in &self.records {
            state.take(record, &mut |state, record, trace_event| misuse.observe(state, record, trace_event));
        }
        misuse.finish(&state, self.end)
    }

    /// A call on thread 1 that is recorded in brief. Gives its number.
    fn brief(&mut self, function: &str, about: Value, blocks: &[(u16, u64)]) -> u32 {
        self.calls += 1;
        let (call, function) = (self.calls, self.spec.function(function).unwrap().slot);
        let blocks = blocks.to_vec();
        self.add(1, Body::CallBrief { call, environment: 1, function, site: 1, about, blocks });
        call
    }

    fn breaks(&self, rule: &str) -> bool {
        self.findings().iter().any(|finding| finding.rule == rule)
    }
}

const INVALID: i32 = 50;
const INTERNAL: i32 = 113;
const NOT_AVAILABLE: i32 = 98;
const MONITOR: Value = Value::Pointer(0x1000);

#[test]
fn ids_are_distinct_and_anchors_are_there() {
    let rules = rules();
    let mut ids: Vec<&str> = rules.iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules.len());
    assert!(rules.iter().all(|rule| rule.id.contains('/') && !rule.says.is_empty()));
}

#[test]
fn only_what_an_agent_had_the_time_to_use_is_unused() {
    let mut trace = Trace::new();
    let bit = |name: &str, trace: &Trace| {
        usize::from(trace.spec.capabilities.iter().find(|c| c.name == name).expect("it exists").bit)
    };
    let mut bits = vec![0u8; 16];
    for name in ["can_suspend", "can_tag_objects", "can_pop_frame"] {
        bits[bit(name, &trace) / 8] |= 1 << (bit(name, &trace) % 8);
    }
    let given = [Value::Bytes(bits)];
    trace.call(1, "AddCapabilities", &given, 0);
    trace.call(1, "RelinquishCapabilities", &given, 0);
    // One that an agent gives back at once was a trial.
    assert!(!trace.breaks("capability/unused"));
    trace.call(1, "AddCapabilities", &given, 0);
    trace.add(1, Body::Entry(EntryPoint::OnUnload));
    trace.call(2, "RelinquishCapabilities", &given, 0);
    trace.begin(1, "SuspendThread", &[Value::Opaque]);
    let unused = |trace: &Trace| -> Vec<String> {
        trace.findings().into_iter().filter(|f| f.rule == "capability/unused").map(|f| f.of).collect()
    };
    assert_eq!(unused(&trace), ["can_pop_frame, can_tag_objects"]);
    trace.end = End { exit: Some(Exit::Signal(6)), ..WHOLE };
    assert_eq!(unused(&trace), Vec::<String>::new());
    // An agent that gives up ends the process before the JVM ends.
    trace.end = End { exit: Some(Exit::Code(9)), ..WHOLE };
    assert_eq!(unused(&trace), ["can_pop_frame, can_tag_objects"]);
    trace.records.retain(|record| record.body != Body::Entry(EntryPoint::OnUnload));
    // The probe's own environment has no agent.
    trace.add(1, Body::Event { environment: 9, event: 50, args: Vec::new() });
    assert_eq!(unused(&trace), Vec::<String>::new());
    trace.end = WHOLE;
    assert_eq!(unused(&trace), ["can_pop_frame, can_tag_objects"]);
}

#[test]
fn a_call_that_failed_shows_its_own_stack() {
    let place = |offset| CodePlace { library: "/opt/libfoo.so".into(), offset, symbol: String::new() };
    let mut trace = Trace::new();
    trace.add(1, Body::SiteSeen { site: 1, stack: vec![place(1), place(2)] });
    trace.call(1, "GetThreadInfo", &[Value::Opaque], 0);
    let call = trace.begin(1, "GetThreadInfo", &[Value::Opaque]);
    trace.add(1, Body::CallStack { call, stack: vec![place(1), place(3)] });
    trace.end(1, call, 10, &[]);
    let found = trace.findings();
    let finding = found.iter().find(|finding| finding.rule == "thread/invalid").expect("it is found");
    assert_eq!(finding.place.iter().map(|place| place.code.offset).collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn a_misuse_of_jni_shows_its_own_stack() {
    let place = |offset| CodePlace { library: "/opt/libfoo.so".into(), offset, symbol: String::new() };
    let misused = Body::JniMisused { function: 35, site: 1, misuse: JniMisuse::OtherClass };
    let mut trace = Trace::new();
    trace.add(1, Body::SiteSeen { site: 1, stack: vec![place(1), place(2)] });
    trace.add(1, Body::CallStack { call: 0, stack: vec![place(1), place(3)] });
    trace.add(1, misused);
    let found = trace.findings();
    let finding = found.iter().find(|finding| finding.rule == "jni/other-class").expect("it is found");
    assert_eq!(finding.place.iter().map(|place| place.code.offset).collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn an_exception_of_the_program_is_not_the_agents_to_clear() {
    let mut trace = Trace::new();
    let event = trace.spec.events.iter().find(|e| e.name == "MethodExit").expect("it exists").number;
    let place = CodePlace { library: "libfoo.so".into(), offset: 16, symbol: "exited".into() };
    trace.add(1, Body::CallbacksSet { environment: 1, functions: vec![(event, place.clone())] });
    trace.add(1, Body::Event { environment: 1, event, args: vec![] });
    trace.add(1, Body::ExceptionChanged { event, pending: false });
    trace.add(1, Body::EventEnd { event });
    let findings = trace.findings();
    assert_eq!(findings.iter().map(|f| f.rule).collect::<Vec<_>>(), ["exception/cleared"]);
    assert_eq!(findings[0].place, [Located { code: place, source: Vec::new() }]);
}

#[test]
fn what_may_have_been_resumed_is_not_left_suspended() {
    let suspended = |more: &dyn Fn(&mut Trace)| {
        let mut trace = Trace::new();
        let event = trace.spec.events.iter().find(|e| e.name == "ThreadStart").expect("it exists").number;
        trace.add(1, Body::Event { environment: 1, event, args: vec![] });
        let call = trace.begin(1, "SuspendThread", &[Value::Opaque]);
        trace.end(1, call, 0, &[(0, Value::Object(ObjectId(7)))]);
        more(&mut trace);
        trace.add(1, Body::EventEnd { event });
        trace.breaks("thread/left-suspended")
    };
    let resume = |trace: &mut Trace, thread: Option<u64>| {
        let call = trace.begin(2, "ResumeThread", &[Value::Opaque]);
        let outputs: Vec<_> = thread.map(|id| (0, Value::Object(ObjectId(id)))).into_iter().collect();
        trace.end(2, call, 0, &outputs);
    };
    assert!(suspended(&|_| {}));
    assert!(suspended(&|trace| resume(trace, Some(8))));
    assert!(!suspended(&|trace| resume(trace, Some(7))));
    assert!(!suspended(&|trace| resume(trace, None)));
    // A thread that has suspended itself goes on because it was resumed.
    let mut trace = Trace::new();
    let call = trace.begin(1, "SuspendThread", &[Value::Object(ObjectId(7))]);
    resume(&mut trace, Some(7));
    trace.end(1, call, 0, &[(0, Value::Object(ObjectId(7)))]);
    trace.add(1, Body::ThreadEnds);
    assert!(!trace.breaks("thread/left-suspended"));
    // The program ended between the two calls.
    let mut trace = Trace::new();
    let call = trace.begin(1, "SuspendThread", &[Value::Opaque]);
    trace.end(1, call, 0, &[(0, Value::Object(ObjectId(7)))]);
    assert!(!trace.breaks("thread/left-suspended"));
}

#[test]
fn a_result_is_ignored_by_whoever_got_it() {
    let mut trace = Trace::new();
    trace.call(1, "RawMonitorEnter", &[MONITOR], INVALID);
    trace.call(2, "RawMonitorExit", &[MONITOR], INVALID);
    trace.call(1, "RawMonitorExit", &[Value::Pointer(0x2000)], INVALID);
    assert!(!trace.breaks("result/ignored"));
    trace.call(1, "RawMonitorExit", &[MONITOR], INVALID);
    assert!(trace.breaks("result/ignored"));
    // What was begun in the end may be ended, however that comes out.
    let mut trace = Trace::new();
    trace.call(1, "RawMonitorEnter", &[MONITOR], INVALID);
    trace.call(1, "RawMonitorEnter", &[MONITOR], 0);
    trace.call(1, "RawMonitorWait", &[MONITOR, Value::Int(1)], INVALID);
    assert!(!trace.breaks("result/ignored"));
}

#[test]
fn capabilities_are_late_if_they_were_there_and_nobody_has_them() {
    let late = |offered: &str, granted: bool| {
        let mut trace = Trace::new();
        let bit = trace.spec.capabilities.iter().find(|c| c.name == "can_suspend").unwrap().bit;
        let mut bits = vec![0u8; 16];
        bits[usize::from(bit) / 8] |= 1 << (bit % 8);
        let asked = [Value::Bytes(bits)];
        let identity = |key: &str, value: &str| Body::Identity { key: key.into(), value: value.into() };
        trace.add(1, identity("capabilities.onload", offered));
        if granted {
            let call = trace.begin_in(2, 1, "AddCapabilities", &asked);
            trace.end(1, call, 0, &[]);
        }
        let call = trace.begin(1, "AddCapabilities", &asked);
        trace.add(1, identity("capabilities.now", "can_tag_objects"));
        trace.end(1, call, NOT_AVAILABLE, &[]);
        trace.breaks("capability/late")
    };
    assert!(late("can_suspend can_tag_objects", false));
    assert!(!late("can_tag_objects", false));
    assert!(!late("can_suspend can_tag_objects", true));
}

#[test]
fn only_what_was_marked_is_stale() {
    let mark = 0xbad0_0000_0000_0001u64.cast_signed();
    let mut trace = Trace::new();
    let failing = trace.begin(1, "GetTag", &[Value::Opaque, Value::Pointer(8)]);
    trace.end(1, failing, 20, &[(1, Value::Int(mark)), (1, Value::Int(7))]);
    trace.call(1, "SetTag", &[Value::Opaque, Value::Int(7)], 0);
    trace.call(1, "SetTag", &[Value::Opaque, Value::Int(-1)], 0);
    assert!(!trace.breaks("output/after-error"));
    trace.begin(1, "SetTag", &[Value::Opaque, Value::Int(mark)]);
    assert!(trace.breaks("output/after-error"));
}

#[test]
fn what_is_asked_again_was_not_needed_any_longer() {
    let leaks = |asked: &[(&str, u32, Value, Option<Value>)]| {
        let mut trace = Trace::new();
        for (block, (function, thread, arg, told)) in (0x3000..).zip(asked) {
            let call = trace.begin(*thread, function, &[arg.clone(), Value::Pointer(block), Value::Null]);
            trace.add(*thread, Body::Blocks { call, blocks: vec![(1, block)] });
            trace.end(*thread, call, 0, &told.iter().map(|told| (0, told.clone())).collect::<Vec<_>>());
        }
        assert!(trace.breaks("memory/leak") || trace.breaks("memory/held"));
        trace.breaks("memory/leak")
    };
    let property = |name: &str| ("GetSystemProperty", 1, Value::Str(name.into()), None);
    let object = |id| Some(Value::Object(ObjectId(id)));
    let signature = |told| ("GetClassSignature", 1, Value::Opaque, told);
    let thread = |thread| ("GetThreadInfo", thread, Value::Null, None);
    assert!(leaks(&[property("a"), property("b"), property("a")]));
    assert!(leaks(&[signature(object(1)), signature(object(2)), signature(object(1))]));
    assert!(leaks(&[thread(1), thread(1)]));
    // An answer to each question is kept, as far as is known; memory that was asked for is no answer.
    assert!(!leaks(&[property("a"), property("b")]));
    assert!(!leaks(&[signature(object(1)), signature(object(2)), signature(None), signature(None)]));
    assert!(!leaks(&[thread(1), thread(2)]));
    assert!(!leaks(&[("Allocate", 1, Value::Int(8), None), ("Allocate", 1, Value::Int(8), None)]));
}

#[test]
fn what_every_callback_keeps_grows() {
    let rules = |callbacks: u64, freed: u64| {
        let mut trace = Trace::new();
        let event = trace.spec.events.iter().find(|e| e.name == "ThreadStart").unwrap().number;
        for n in 0..40 {
            if n < callbacks {
                trace.add(1, Body::Event { environment: 1, event, args: vec![] });
            }
            let call = trace.begin(1, "GetThreadInfo", &[Value::Opaque, Value::Pointer(8)]);
            trace.add(1, Body::Blocks { call, blocks: vec![(1, 0x3000 + n * 16)] });
            trace.end(1, call, 0, &[(0, Value::Object(ObjectId(n)))]);
            if n < freed {
                trace.call(1, "Deallocate", &[Value::Pointer(0x3000 + n * 16)], 0);
            }
            if n + 1 < callbacks {
                trace.add(1, Body::EventEnd { event });
            }
        }
        trace.findings().into_iter().map(|finding| (finding.rule, finding.what)).collect::<Vec<_>>()
    };
    let found = rules(40, 0);
    assert!(
        found[0].1.contains("40 of 40 blocks from here were never deallocated, in 40 callbacks"),
        "{found:?}"
    );
    assert_eq!(found.iter().map(|(rule, _)| *rule).collect::<Vec<_>>(), ["memory/growing"]);
    // One callback that keeps much, few that keep something, and many that deallocate.
    for found in [rules(1, 0), rules(20, 0), rules(40, 30)] {
        assert_eq!(found.iter().map(|(rule, _)| *rule).collect::<Vec<_>>(), ["memory/held"]);
    }
    assert!(rules(40, 40).is_empty());
}

#[test]
fn a_finding_tells_the_thread_of_the_call() {
    let mut trace = Trace::new();
    let call = trace.begin(2, "Allocate", &[Value::Int(8), Value::Pointer(8)]);
    trace.add(2, Body::Blocks { call, blocks: vec![(1, 0x3000)] });
    trace.end(2, call, 0, &[]);
    trace.call(1, "GetPhase", &[Value::Pointer(8)], 0);
    let findings = trace.findings();
    let held = findings.iter().find(|finding| finding.rule == "memory/held").unwrap();
    assert!(held.thread.starts_with('2'), "{held:?}");
    assert!(held.what.contains("mem_ptr of Allocate(size: 8)"), "{held:?}");
}

#[test]
fn references_held_are_told_once_per_callback_with_the_most() {
    let held = |event, held, calls| Body::ReferencesHeld {
        event,
        held,
        calls,
        room: 16,
        given: vec![(18, 1, held)],
    };
    let mut trace = Trace::new();
    let spec = trace.spec.clone();
    let event = spec.events.iter().find(|e| e.name == "ThreadStart").unwrap().number;
    for _ in 0..2 {
        trace.add(1, Body::Event { environment: 1, event, args: vec![] });
        trace.add(1, held(Some(event), 17, 1));
        trace.add(1, held(Some(event), 34, 18));
        trace.add(1, Body::EventEnd { event });
    }
    trace.add(2, held(None, 40, 16));
    let findings = trace.findings();
    let of = |rule: &str| findings.iter().find(|finding| finding.rule == rule).unwrap();
    assert_eq!(of("reference/held").count, 2);
    assert!(of("reference/held").what.contains("34 local references from 18 calls"));
    assert_eq!(of("reference/room").count, 1);
    assert!(of("reference/room").what.contains("on an agent thread"));
}

#[test]
fn memory_that_could_not_be_deallocated_is_still_there() {
    let block = Value::Pointer(0x3000);
    let mut trace = Trace::new();
    let call = trace.begin(1, "Allocate", &[Value::Int(8), Value::Pointer(8)]);
    trace.add(1, Body::Blocks { call, blocks: vec![(1, 0x3000)] });
    trace.end(1, call, 0, &[]);
    trace.call(1, "Deallocate", std::slice::from_ref(&block), INTERNAL);
    assert!(trace.breaks("memory/held"));
    trace.call(1, "Deallocate", std::slice::from_ref(&block), 0);
    assert!(trace.findings().is_empty(), "{:?}", trace.findings());
    trace.call(1, "Deallocate", &[block], 0);
    assert!(trace.breaks("memory/double-free"));
}

#[test]
fn brief_calls_are_judged_as_whole_ones() {
    let mut trace = Trace::new();
    let block = [(2, 0x3000)];
    trace.brief("GetMethodName", Value::Method(7), &block);
    trace.brief("GetMethodName", Value::Method(8), &[(2, 0x4000)]);
    assert!(trace.breaks("memory/held") && !trace.breaks("memory/leak"));
    trace.brief("GetMethodName", Value::Method(7), &[(2, 0x5000)]);
    assert!(trace.breaks("memory/leak"));
    for block in [0x4000, 0x5000] {
        trace.brief("Deallocate", Value::Pointer(block), &[]);
    }
    let failing = trace.brief("Deallocate", Value::Pointer(0x3000), &[]);
    trace.end(1, failing, INTERNAL, &[]);
    assert!(trace.breaks("memory/held"));
    trace.brief("Deallocate", Value::Pointer(0x3000), &[]);
    assert!(trace.findings().is_empty(), "{:?}", trace.findings());
    trace.brief("Deallocate", Value::Pointer(0x3000), &[]);
    assert!(trace.breaks("memory/double-free"));
    let mut trace = Trace::new();
    trace.brief("RawMonitorEnter", MONITOR, &[]);
    trace.brief("RawMonitorExit", MONITOR, &[]);
    trace.add(1, Body::ThreadEnds);
    assert!(trace.findings().is_empty(), "{:?}", trace.findings());
    trace.brief("RawMonitorEnter", MONITOR, &[]);
    trace.add(1, Body::ThreadEnds);
    assert!(trace.breaks("monitor/held-at-end"));
}

#[test]
fn what_lies_within_memory_or_is_freed_otherwise_is_known_at_once() {
    let mut trace = Trace::new();
    let call = trace.begin(1, "Allocate", &[Value::Int(100), Value::Pointer(8)]);
    trace.add(1, Body::Blocks { call, blocks: vec![(1, 0x3000)] });
    trace.end(1, call, 0, &[]);
    // Beside it may be memory that the trace knows nothing of.
    trace.begin(1, "Deallocate", &[Value::Pointer(0x3000 + 100)]);
    let found = |trace: &Trace, whole| {
        let (mut state, mut misuse) = (AgentState::new(&trace.spec), Misuse::default());
        for record in &trace.records {
            state.take(record, &mut |state, record, trace_event| misuse.observe(state, record, trace_event));
        }
        let found = misuse.finish(&state, End { whole, gapless: whole, exit: None });
        found.into_iter().map(|finding| (finding.rule, finding.what)).collect::<BTreeMap<_, _>>()
    };
    assert!(!found(&trace, false).contains_key("memory/other-allocator"));
    trace.begin(1, "Deallocate", &[Value::Pointer(0x3000 + 99)]);
    let within = &found(&trace, false)["memory/other-allocator"];
    assert!(within.contains("99 bytes into mem_ptr of Allocate(size: 100)"), "{within}");

    assert!(found(&trace, true).contains_key("memory/held"));
    trace.add(1, Body::FreedElsewhere { site: 1, function: "free".into(), at: 0x3000 });
    let freed = found(&trace, true);
    assert!(
        freed["memory/foreign-free"].contains("free(0x3000), mem_ptr of Allocate(size: 100)"),
        "{freed:?}"
    );
    assert!(!freed.contains_key("memory/held"), "{freed:?}");
    trace.begin(1, "Deallocate", &[Value::Pointer(0x3000)]);
    assert!(trace.breaks("memory/double-free"));
}
