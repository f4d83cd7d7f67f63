//! Native methods, global references whose value is given again, and what belongs to hangs and crashes.

use jvmti_wire::trace::{
    CodePlace, JNI_FUNCTION, JniMisuse, MonitorChange, NO_CODE, NativeCode, ReferenceKind,
};

use super::*;

const SITES: [(u32, &str); 2] = [(1, "/opt/libfoo.so"), (2, "/opt/jdk/lib/libnet.so")];

/// Site 1 is the agent's, site 2 the JDK's.
fn trace() -> Trace {
    let mut trace = Trace::new();
    trace.add(1, Body::Identity { key: "java.home".to_owned(), value: "/opt/jdk".to_owned() });
    for (site, library) in SITES {
        let place = CodePlace { library: library.to_owned(), offset: 1, symbol: String::new() };
        trace.add(1, Body::SiteSeen { site, stack: vec![place] });
    }
    trace
}

fn created(trace: &mut Trace, handle: u64, site: u32) {
    trace.add(1, Body::Native(NativeCode::GlobalCreated { handle, weak: false, site }));
}

fn deleted(trace: &mut Trace, handle: u64, site: u32) {
    trace.add(1, Body::ReferenceDeleted { handle, kind: ReferenceKind::Global, site });
}

#[test]
fn what_the_jdk_has_got_is_not_the_agents_to_delete() {
    // Who creates the reference after the agent has deleted its own, and whether the agent's second deletion is wrong.
    for (creator, is_wrong) in [(2, true), (1, false)] {
        let mut trace = trace();
        created(&mut trace, 0x70, 1);
        deleted(&mut trace, 0x70, 1);
        created(&mut trace, 0x70, creator);
        deleted(&mut trace, 0x70, 1);
        assert_eq!(trace.breaks("reference/deleted"), is_wrong, "{creator}");
    }
    // What the JDK does with its own is its affair.
    let mut trace = trace();
    created(&mut trace, 0x70, 1);
    deleted(&mut trace, 0x70, 1);
    created(&mut trace, 0x70, 2);
    deleted(&mut trace, 0x70, 2);
    created(&mut trace, 0x70, 1);
    deleted(&mut trace, 0x70, 1);
    assert!(!trace.breaks("reference/deleted"));
}

/// Java code calls a native method of the agent with a reference; within it the agent does something.
fn native_method(trace: &mut Trace, thread: u32, handle: u64, within: impl FnOnce(&mut Trace)) {
    let entered = NativeCode::MethodEntered { name: "A.b".to_owned(), site: 1, handles: vec![handle] };
    trace.add(thread, Body::Native(entered));
    trace.add(thread, Body::LocalsKnown { known: true });
    within(trace);
    trace.add(thread, Body::Native(NativeCode::MethodLeft));
}

fn used(trace: &mut Trace, thread: u32, handle: u64) {
    trace.add(thread, Body::Native(NativeCode::ReferenceUsed { function: 24, site: 1, handle }));
}

#[test]
fn references_of_a_native_method_end_with_it() {
    let mut trace = trace();
    native_method(&mut trace, 7, 0x7f10, |trace| used(trace, 7, 0x7f10));
    native_method(&mut trace, 7, 0x7f20, |_| {});
    native_method(&mut trace, 7, 0x7f10, |trace| used(trace, 7, 0x7f10));
    assert!(!trace.breaks("reference/returned"));
    native_method(&mut trace, 7, 0x7f10, |trace| used(trace, 7, 0x7f20));
    assert!(trace.breaks("reference/returned"));
}

#[test]
fn references_of_a_native_method_belong_to_its_thread() {
    let mut trace = trace();
    native_method(&mut trace, 7, 0x7f10, |trace| {
        used(trace, 8, 0x7f10);
        used(trace, 7, 0x7f10);
    });
    assert!(trace.breaks("reference/other-thread"));
}

#[test]
fn a_region_or_frame_ends_within_its_native_method() {
    let regions = [[true, false], [true, true]];
    for (changes, is_left) in regions.into_iter().zip([false, true]) {
        let mut trace = trace();
        native_method(&mut trace, 7, 0x7f10, |trace| {
            for entered in changes {
                trace.add(7, Body::Native(NativeCode::CriticalRegion { entered }));
                trace.add(7, Body::Native(NativeCode::LocalFrame { pushed: entered }));
            }
        });
        assert_eq!(trace.breaks("jni/critical-region"), is_left);
        assert_eq!(trace.breaks("jni/local-frames"), is_left);
    }
}

#[test]
fn a_missing_capability_may_be_that_of_another_environment() {
    let mut trace = trace();
    let capability = trace.spec.capabilities.iter().find(|c| c.name == "can_get_owned_monitor_info").unwrap();
    let bit = usize::from(capability.bit);
    let mut bits = vec![0u8; 16];
    bits[bit / 8] |= 1 << (bit % 8);
    let add = trace.begin_in(2, 1, "AddCapabilities", &[Value::Bytes(bits)]);
    trace.end(1, add, 0, &[]);
    trace.call(1, "GetOwnedMonitorInfo", &[Value::Null], 99);
    let findings = trace.findings();
    let missing = findings.iter().find(|finding| finding.rule == "capability/missing").unwrap();
    assert!(
        missing.what.contains("environment 2 of the agent has can_get_owned_monitor_info"),
        "{}",
        missing.what
    );
}

#[test]
fn a_crash_is_the_agents_if_it_is_on_the_stack() {
    let place = |library: &str| CodePlace { library: library.to_owned(), offset: 8, symbol: "f".to_owned() };
    let crashed = |libraries: &[&str]| {
        let mut trace = trace();
        let stack = libraries.iter().map(|library| place(library)).collect();
        trace.add(0, Body::Native(NativeCode::Crashed { words: vec!["SIGSEGV".to_owned()], stack }));
        trace.findings().into_iter().find(|finding| finding.rule == "crash/agent")
    };
    assert_eq!(crashed(&["/opt/jdk/lib/server/libjvm.so", "/opt/jdk/lib/libnet.so"]).map(|f| f.what), None);
    let own = crashed(&["/opt/libfoo.so", "/opt/jdk/lib/server/libjvm.so"]).unwrap();
    assert_eq!((own.what.as_str(), own.place.len()), ("the JVM crashed in code of the agent: SIGSEGV", 1));
    let called = crashed(&["/lib/libc.so.6", "/opt/libfoo.so"]).unwrap();
    assert_eq!(called.what, "the JVM crashed in f of libc.so.6, which code of the agent had called: SIGSEGV");
}

#[test]
fn a_crash_that_the_jvm_could_not_follow_is_told_by_what_the_stack_holds() {
    let place = |library: &str| CodePlace { library: library.to_owned(), offset: 8, symbol: "f".to_owned() };
    let told = |libraries: &[&str]| {
        let mut trace = trace();
        let words = vec!["SIGSEGV".to_owned()];
        trace.add(
            0,
            Body::Native(NativeCode::Crashed { words, stack: vec![place("/opt/jdk/lib/libjvm.so")] }),
        );
        let stack = libraries.iter().map(|library| place(library)).collect();
        trace.add(0, Body::Native(NativeCode::CrashStack { stack }));
        trace.end = End { exit: Some(Exit::Signal(6)), ..WHOLE };
        let rules = trace.findings().into_iter().map(|finding| finding.rule);
        rules.filter(|rule| rule.starts_with("crash/")).collect::<Vec<_>>()
    };
    assert_eq!(told(&["/lib/libc.so.6", "/opt/libfoo.so"]), ["crash/callback"]);
    assert_eq!(told(&["/lib/libc.so.6", "/opt/libbar.so"]), [""; 0]);
    assert_eq!(told(&["", "/lib/libc.so.6"]), ["crash/unloaded"]);
}

#[test]
fn a_program_that_ends_by_sigabrt_is_the_agents_work_if_it_is_on_the_stack() {
    let place = |library: &str, symbol: &str| {
        let (library, symbol) = (library.to_owned(), symbol.to_owned());
        CodePlace { library, offset: 8, symbol }
    };
    let aborted = |libraries: &[&str], exit| {
        let mut trace = trace();
        let called = [place("/lib/libc.so.6", "raise"), place("/lib/libc.so.6", "abort")];
        let stack = called.into_iter().chain(libraries.iter().map(|library| place(library, "f"))).collect();
        trace.add(1, Body::Native(NativeCode::Aborted { stack }));
        trace.end = End { exit: Some(exit), ..WHOLE };
        trace.findings().into_iter().find(|finding| finding.rule == "crash/agent")
    };
    let own = aborted(&["/opt/libfoo.so", "/opt/jdk/lib/libjvm.so"], Exit::Signal(6)).unwrap();
    let what = "the program was ended in abort of libc.so.6, which code of the agent had called";
    assert_eq!((own.what.as_str(), own.place.len()), (what, 1));
    assert!(aborted(&["/opt/jdk/lib/libjvm.so"], Exit::Signal(6)).is_none());
    // A process that it has started, which has the same trace.
    assert!(aborted(&["/opt/libfoo.so"], Exit::Code(0)).is_none());
}

#[test]
fn class_data_that_define_no_class_are_told() {
    let mut trace = trace();
    let event = trace.spec.events.iter().find(|event| event.name == "ClassFileLoadHook").unwrap().number;
    trace.add(1, Body::Event { environment: 1, event, args: vec![] });
    trace.add(1, Body::Native(NativeCode::ClassDataMalformed { name: String::new() }));
    trace.add(1, Body::EventEnd { event });
    assert!(trace.breaks("class/left-malformed"));
}

#[test]
fn what_is_cleared_without_being_set_is_told_unless_a_class_was_changed() {
    const NOT_FOUND: i32 = 41;
    let cleared = |before: &str| {
        let mut trace = trace();
        trace.call(1, before, &[Value::Int(1)], 0);
        trace.call(1, "ClearBreakpoint", &[Value::Method(8), Value::Int(0)], NOT_FOUND);
        trace.breaks("event/not-set")
    };
    assert!(cleared("GetPhase") && !cleared("RetransformClasses"));
}

#[test]
fn the_use_of_jni_in_the_dead_phase_is_told_once() {
    let mut trace = trace();
    for function in [6, 33, 34] {
        trace.add(1, Body::JniMisused { function, site: 1, misuse: JniMisuse::DeadPhase });
    }
    let findings = trace.findings();
    let dead: Vec<_> = findings.iter().filter(|finding| finding.rule == "jni/dead-phase").collect();
    assert_eq!(dead.len(), 1);
    assert_eq!((dead[0].what.as_str(), dead[0].count), ("JNI function FindClass in the dead phase", 3));
}

#[test]
fn a_thread_may_hold_contents_for_a_while() {
    for (held, is_told) in [(64, true), (10, false)] {
        let mut trace = trace();
        for got in [64, held] {
            let kept = NativeCode::ContentsKept { function: 169, site: 1, got, released: 0 };
            trace.add(7, Body::Native(kept));
        }
        assert_eq!(trace.breaks("jni/growing"), is_told, "{held}");
        trace.add(7, Body::Native(NativeCode::FramesOpen { site: 1, open: 64 }));
        assert!(trace.breaks("jni/local-frames"));
    }
}

#[test]
fn a_callback_that_sends_its_event_again_and_again_is_told_once() {
    for (depth, is_told) in [(20, 0), (100, 1)] {
        let mut trace = trace();
        let hook = trace.spec.events.iter().find(|event| event.name == "ClassFileLoadHook").unwrap().number;
        for _ in 0..depth {
            trace.add(1, Body::Event { environment: 1, event: hook, args: Vec::new() });
            trace.begin(1, "RetransformClasses", &[Value::Int(1)]);
        }
        let count = trace.findings().iter().filter(|finding| finding.rule == "event/endless").count();
        assert_eq!(count, is_told, "{depth}");
    }
}

#[test]
fn a_notification_before_the_wait_is_lost_if_the_program_hangs() {
    let hangs = |before: bool, exit: Exit| {
        let mut trace = trace();
        let death = trace.spec.events.iter().find(|event| event.name == "VMDeath").unwrap().number;
        if before {
            trace.call(2, "RawMonitorNotifyAll", &[MONITOR], 0);
        }
        trace.add(1, Body::Event { environment: 1, event: death, args: Vec::new() });
        trace.begin(1, "RawMonitorWait", &[MONITOR, Value::Int(0)]);
        trace.add(3, Body::ThreadEnds);
        trace.records.last_mut().unwrap().at += 3_000_000_000;
        trace.end = End { whole: false, gapless: true, exit: Some(exit) };
        trace.breaks("monitor/lost-notify")
    };
    assert!(hangs(true, Exit::TimedOut));
    assert!(!hangs(false, Exit::TimedOut));
}

#[test]
fn a_callback_that_runs_on_when_the_program_is_killed_is_stuck() {
    let is_stuck = |in_call: bool, exit: Exit| {
        let mut trace = trace();
        let death = trace.spec.events.iter().find(|event| event.name == "VMDeath").unwrap().number;
        trace.add(1, Body::Event { environment: 1, event: death, args: Vec::new() });
        if in_call {
            trace.begin(1, "RawMonitorEnter", &[MONITOR]);
        }
        trace.add(3, Body::ThreadEnds);
        trace.records.last_mut().unwrap().at += 3_000_000_000;
        trace.end = End { whole: false, gapless: true, exit: Some(exit) };
        trace.breaks("callback/stuck")
    };
    assert!(is_stuck(false, Exit::TimedOut) && is_stuck(false, Exit::Signal(9)));
    assert!(!is_stuck(true, Exit::TimedOut) && !is_stuck(false, Exit::Signal(11)));
}

#[test]
fn references_of_jni_functions_are_named_and_those_of_the_jdk_left_out() {
    for (jdk, told) in [(0, Some("40 local references from 40 calls held")), (40, None)] {
        let mut trace = trace();
        let given = vec![(JNI_FUNCTION | 173, 1, 40 - jdk), (JNI_FUNCTION | 31, 2, jdk)];
        trace.add(7, Body::ReferencesHeld { event: None, held: 40, calls: 40, room: 16, given });
        let findings = trace.findings();
        assert_eq!(findings.first().map(|finding| &finding.what[..38]), told, "{findings:?}");
        let is_named =
            findings.iter().all(|finding| finding.what.contains("40 by GetObjectArrayElement here"));
        assert!(is_named, "{findings:?}");
    }
}

#[test]
fn what_a_native_method_holds_is_told_when_it_returns() {
    let mut trace = trace();
    for _ in 0..2 {
        native_method(&mut trace, 7, 0x7f10, |trace| {
            let given = vec![(JNI_FUNCTION | 173, 1, 40)];
            trace.add(7, Body::ReferencesHeld { event: None, held: 40, calls: 40, room: 16, given });
        });
    }
    let findings = trace.findings();
    assert_eq!((findings.len(), findings[0].count), (1, 2));
    assert!(findings[0].what.contains("held at once in native method A.b"), "{findings:?}");
}

/// A native method enters the monitor of a Java object, and the thread exits it later or never.
fn java_monitor(exits: bool, exit: Exit) -> Trace {
    let mut trace = trace();
    let changes = |trace: &mut Trace, change| {
        trace.add(7, Body::JavaMonitor { object: ObjectId(9), change, site: 1 });
    };
    native_method(&mut trace, 7, 0x7f10, |trace| changes(trace, MonitorChange::Entered));
    if exits {
        native_method(&mut trace, 7, 0x7f10, |trace| changes(trace, MonitorChange::Exited));
    }
    trace.add(3, Body::ThreadEnds);
    trace.records.last_mut().unwrap().at += 3_000_000_000;
    trace.end = End { whole: exit == Exit::Code(0), gapless: true, exit: Some(exit) };
    trace
}

#[test]
fn a_native_method_that_leaves_a_monitor_entered_is_told() {
    for exit in [Exit::Code(0), Exit::TimedOut] {
        assert!(java_monitor(false, exit).breaks("monitor/left-entered"), "{exit:?}");
        assert!(!java_monitor(true, exit).breaks("monitor/left-entered"), "{exit:?}");
    }
}

#[test]
fn what_a_heap_callback_must_not_return_is_told_with_its_name() {
    let mut trace = trace();
    let function = trace.spec.function("FollowReferences").unwrap().slot;
    trace.add(1, Body::Native(NativeCode::HeapAnswer { function, site: 1, answer: 1, count: 7 }));
    let [finding] = &trace.findings()[..] else { panic!("{:?}", trace.findings()) };
    let told = "this callback of FollowReferences returned 1 (JVMTI_ITERATION_CONTINUE, or true) 7 times";
    assert_eq!((finding.rule, &finding.what[..]), ("callback/heap-answer", told));
}

#[test]
fn heap_callbacks_without_code_are_told_with_their_names() {
    let told = |function: &str| {
        let mut trace = trace();
        trace.begin(1, function, &[]);
        let place = CodePlace { library: String::new(), offset: 17, symbol: NO_CODE.to_owned() };
        trace.add(1, Body::Native(NativeCode::NoHeapCallback { index: 1, place, count: 3 }));
        let found = trace.findings().into_iter().find(|finding| finding.rule == "abi/heap-callbacks-code");
        found.map(|finding| finding.what).unwrap_or_default()
    };
    assert!(told("FollowReferences").starts_with("FollowReferences with heap_reference_callback at "));
    let older = told("IterateOverReachableObjects");
    assert!(
        older.starts_with("IterateOverReachableObjects with stack_ref_callback at ")
            && older.ends_with(", and 2 more")
    );
}

#[test]
fn an_agent_that_ends_the_program_by_a_fatal_error_is_told_whatever_the_exit_code() {
    for (site, is_told) in [(1, true), (2, false)] {
        let mut trace = trace();
        trace.add(3, Body::Native(NativeCode::FatalError { site }));
        trace.end = End { whole: false, gapless: true, exit: Some(Exit::Code(1)) };
        assert_eq!(trace.breaks("crash/agent"), is_told);
    }
}

#[test]
fn a_thread_that_was_never_constructed_is_told() {
    let mut trace = trace();
    trace.add(3, Body::Native(NativeCode::ThreadUnmade { site: 1 }));
    assert!(trace.breaks("thread/not-constructed"));
}
