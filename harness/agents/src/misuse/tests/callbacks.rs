//! Threads that are not attached during a heap walk, and sizes of the callbacks.

use super::*;

const UNATTACHED: i32 = 115;

/// Thread 1 walks the heap while thread 2, which is not attached, calls a function from a site with that call stack.
fn walked(libraries: &[&str], more: &dyn Fn(&mut Trace)) -> Vec<&'static str> {
    let mut trace = Trace::new();
    let place = |library: &&str| CodePlace { library: (*library).into(), offset: 16, symbol: String::new() };
    trace.add(2, Body::SiteSeen { site: 1, stack: libraries.iter().map(place).collect() });
    more(&mut trace);
    let walk =
        trace.begin(1, "IterateThroughHeap", &[Value::Int(0), Value::Null, Value::Pointer(8), Value::Null]);
    trace.call(2, "GetAllThreads", &[Value::Pointer(8), Value::Pointer(16)], UNATTACHED);
    trace.end(1, walk, 0, &[]);
    trace.findings().into_iter().map(|finding| finding.rule).collect()
}

#[test]
fn a_thread_that_is_not_attached_may_be_the_agents_own() {
    // The JVM called the agent.
    assert_eq!(walked(&["/lib/libfoo.so"], &|_| {}), ["callback/unsafe"]);
    // The agent started the thread.
    for library in
        ["/lib/libc.so.6", "/lib/libc-2.31.so", "/lib/libpthread-2.31.so", "/lib/ld-musl-x86_64.so.1"]
    {
        assert_eq!(walked(&["/lib/libfoo.so", library], &|_| {}), ["thread/unattached"], "{library}");
    }
    let before = |trace: &mut Trace| trace.call(2, "GetPhase", &[Value::Pointer(8)], 0);
    assert_eq!(walked(&["/lib/libfoo.so"], &before), ["thread/unattached"]);
}

#[test]
fn only_sizes_of_no_version_are_parts() {
    let rules = |size: i64| {
        let mut trace = Trace::new();
        trace.call(
            1,
            "SetEventCallbacks",
            &[Value::Pointer(8), Value::Int(size)],
            if size < 0 { 103 } else { 0 },
        );
        trace.findings().into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
    };
    // Of 8, 11 and 21.
    for size in [0, 35 * 8, 37 * 8, 39 * 8] {
        assert_eq!(rules(size), Vec::<&str>::new(), "{size}");
    }
    for (size, rule) in [
        (-8, "abi/callbacks-size"),
        (8, "abi/callbacks-part"),
        (35 * 8 - 4, "abi/callbacks-part"),
        (36 * 8, "abi/callbacks-part"),
        (80 * 8, "abi/callbacks-newer"),
    ] {
        assert_eq!(rules(size), [rule], "{size}");
    }
}

#[test]
fn who_suspends_itself_along_with_others_needs_somebody_else() {
    let mut trace = Trace::new();
    trace.end.exit = Some(Exit::TimedOut);
    let call = trace.begin(2, "SuspendThreadList", &[Value::Int(3), Value::Pointer(16)]);
    assert!(!trace.breaks("thread/suspended-with-others"));
    let last = trace.add(1, Body::ThreadEnds).records.last_mut().unwrap();
    last.at = 2_000_000_000;
    assert!(trace.breaks("thread/suspended-with-others"));
    trace.end.exit = Some(Exit::Code(0));
    assert!(!trace.breaks("thread/suspended-with-others"));
    trace.end.exit = Some(Exit::TimedOut);
    trace.end(2, call, 0, &[]);
    assert!(!trace.breaks("thread/suspended-with-others"));
}

#[test]
fn a_callback_that_suspends_its_own_thread_needs_somebody_else() {
    let breaks = |in_callback: bool, lasts: u64, resumed: bool| {
        let mut trace = Trace::new();
        let event = trace.spec.events.iter().find(|e| e.name == "ThreadStart").unwrap().number;
        if in_callback {
            trace.add(2, Body::Event { environment: 1, event, args: vec![] });
        }
        let call = trace.begin(2, "SuspendThread", &[Value::Null]);
        let at = trace.records.last().unwrap().at;
        trace.add(1, Body::ThreadEnds).records.last_mut().unwrap().at = at + lasts;
        if resumed {
            trace.end(2, call, 0, &[]);
        }
        trace.breaks("thread/left-suspended")
    };
    assert!(breaks(true, 2_000_000_000, false));
    for (in_callback, lasts, resumed) in
        [(false, 2_000_000_000, false), (true, 1000, false), (true, 2_000_000_000, true)]
    {
        assert!(!breaks(in_callback, lasts, resumed), "{in_callback} {lasts} {resumed}");
    }
}

#[test]
fn a_size_that_cuts_callbacks_off_is_told_once() {
    let rules = |size: i64| {
        let mut trace = Trace::new();
        trace.call(1, "SetEventCallbacks", &[Value::Pointer(16), Value::Int(size)], 0);
        let event = trace.spec.events.iter().find(|event| event.name == "VMDeath").unwrap().number;
        trace.call(1, "SetEventNotificationMode", &[Value::Int(1), Value::Int(event.into()), Value::Null], 0);
        ["abi/callbacks-part", "event/no-callback"].map(|rule| trace.breaks(rule))
    };
    assert_eq!(rules(8), [true, false]);
    assert_eq!(rules(35 * 8), [false, true]);
    assert_eq!(rules(0), [false, true]);
}

#[test]
fn virtual_threads_are_resumed_too() {
    let breaks = |resumed: Option<&str>, ended: bool| {
        let mut trace = Trace::new();
        trace.call(1, "SuspendAllVirtualThreads", &[Value::Int(0), Value::Null], 0);
        if let Some(function) = resumed {
            trace.call(1, function, &[Value::Int(0), Value::Null], 0);
        }
        if ended {
            trace.add(1, Body::ThreadEnds);
        }
        trace.breaks("thread/left-suspended")
    };
    assert!(breaks(None, true));
    // The thread may be about to resume them.
    assert!(!breaks(None, false));
    assert!(!breaks(Some("ResumeAllVirtualThreads"), true));
    assert!(!breaks(Some("ResumeThreadList"), true));
}

#[test]
fn virtual_threads_that_are_resumed_one_by_one_may_not_be_all() {
    let breaks = |exit: Exit| {
        let mut trace = Trace::new();
        trace.call(1, "SuspendAllVirtualThreads", &[Value::Int(0), Value::Null], 0);
        let call = trace.begin(1, "ResumeThread", &[Value::Reference(8)]);
        trace.end(1, call, 0, &[(0, Value::Object(ObjectId(3)))]);
        trace.add(1, Body::ThreadEnds);
        trace.end.exit = Some(exit);
        trace.breaks("thread/left-suspended")
    };
    assert!(breaks(Exit::TimedOut));
    // The program needed no others.
    assert!(!breaks(Exit::Code(0)));
}

#[test]
fn frames_are_told_of_where_the_event_is_enabled() {
    let breaks = |enabled: &[Option<u64>], asked: u64| {
        let mut trace = Trace::new();
        let pop = trace.spec.events.iter().find(|event| event.name == "FramePop").unwrap().number;
        for thread in enabled {
            let of = if thread.is_some() { Value::Opaque } else { Value::Null };
            let args = [Value::Int(1), Value::Int(pop.into()), of];
            let call = trace.begin(1, "SetEventNotificationMode", &args);
            let outputs: Vec<_> = thread.iter().map(|id| (2, Value::Object(ObjectId(*id)))).collect();
            trace.end(1, call, 0, &outputs);
        }
        let call = trace.begin(1, "NotifyFramePop", &[Value::Opaque, Value::Int(0)]);
        trace.end(1, call, 0, &[(0, Value::Object(ObjectId(asked)))]);
        trace.breaks("event/never-enabled")
    };
    assert!(breaks(&[], 7) && breaks(&[Some(8), Some(9)], 7));
    assert!(!breaks(&[Some(8), Some(7)], 7) && !breaks(&[Some(8), None], 7));
}

#[test]
fn null_is_no_class_but_it_may_be_the_current_thread() {
    let rules = |function: &str, argument: Value, code: i32| {
        let mut trace = Trace::new();
        trace.call(1, function, &[argument, Value::Pointer(8), Value::Null], code);
        trace.findings().into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
    };
    assert_eq!(rules("GetClassSignature", Value::Null, 21), ["reference/null"]);
    assert_eq!(rules("GetClassSignature", Value::Opaque, 21), ["class/invalid"]);
    assert_eq!(rules("GetThreadState", Value::Null, 10), [""; 0]);
}

#[test]
fn an_event_that_is_enabled_for_all_comes_until_it_is_disabled_for_all() {
    let breaks = |enabled: &[Value], disabled: Option<u64>| {
        let mut trace = Trace::new();
        let step = trace.spec.events.iter().find(|event| event.name == "SingleStep").unwrap().number;
        let own = ObjectId(7);
        trace.add(1, Body::ThreadSeen { object: Some(own), native: 1 });
        for of in enabled {
            let args = [Value::Int(1), Value::Int(step.into()), of.clone()];
            trace.call(1, "SetEventNotificationMode", &args, 0);
        }
        trace.add(1, Body::Event { environment: 1, event: step, args: Vec::new() });
        let of = if disabled.is_some() { Value::Opaque } else { Value::Null };
        let call = trace.begin(1, "SetEventNotificationMode", &[Value::Int(0), Value::Int(step.into()), of]);
        let outputs: Vec<_> = disabled.iter().map(|id| (2, Value::Object(ObjectId(*id)))).collect();
        trace.end(1, call, 0, &outputs);
        trace.add(1, Body::EventEnd { event: step });
        trace.add(1, Body::Event { environment: 1, event: step, args: Vec::new() });
        trace.breaks("event/disabled-elsewhere")
    };
    assert!(breaks(&[Value::Null], Some(7)) && breaks(&[Value::Opaque], None));
    assert!(!breaks(&[Value::Null], Some(8)) && !breaks(&[Value::Null], None));
    assert!(!breaks(&[Value::Null, Value::Opaque], Some(7)));
}
