//! Each rule kept and violated.

use jvmti_results::Status;
use jvmti_wire::trace::{Body, EntryPoint, Handed, StepRef};
use jvmti_wire::value::{ObjectId, Value};

use crate::tests::bench::*;

const SETUP: StepRef = StepRef::Setup { case: 0 };

fn trace() -> Bench {
    Bench::new(vec![case("a")])
}

fn status(bench: &Bench, rule: &str) -> Option<Status> {
    bench.rule(rule).map(|v| v.status)
}

/// Parameters of an event that begins with JNI environment and thread.
fn on(thread: u64) -> Vec<Value> {
    vec![Value::Pointer(1), object(thread)]
}

#[test]
fn every_rule_s_assertion_is_registered() {
    let registered = assertions();
    for rule in super::Watchers::new(edition()).rules {
        assert!(registered.get(rule.assertion()).is_some(), "{}", rule.assertion());
    }
}

#[test]
fn no_occasion_no_verdict() {
    assert!(trace().judged().universal.is_empty());
}

#[test]
fn codes_are_listed() {
    let rule = "returned-error-is-listed";
    let mut bench = trace();
    for name in ["NONE", "INVALID_THREAD", "WRONG_PHASE", "INTERNAL"] {
        bench.call(SETUP, "GetThreadState", vec![], code(name));
    }
    assert_eq!(status(&bench, rule), Some(Status::Pass));
    assert_eq!(bench.rule(rule).expect("judged").asserted, 4);
    bench.call(SETUP, "GetThreadState", vec![object(3)], code("INVALID_CLASS"));
    let verdict = bench.rule(rule).expect("judged");
    assert_eq!(verdict.status, Status::Fail);
    assert_eq!(verdict.findings[0].observed, "INVALID_CLASS (21)");
}

#[test]
fn many_violations_are_told_briefly() {
    let mut bench = trace();
    for i in 0..100 {
        bench.call(SETUP, "GetThreadState", vec![object(i)], 12345);
    }
    let verdict = bench.rule("returned-error-is-listed").expect("judged");
    assert_eq!(verdict.findings.len(), 10);
    assert!(verdict.findings[9].observed.ends_with("(one of 100 violations)"));
}

#[test]
fn exceptions_are_left_alone() {
    let with = |exception| {
        let mut bench = trace();
        let call = bench.begin(SETUP, function("GetPhase"), vec![]);
        bench.add(Body::CallEnd { call, code: 0, outputs: vec![], exception });
        (status(&bench, "pending-exception-kept"), status(&bench, "no-exception-thrown"))
    };
    assert_eq!(with((false, false)), (None, Some(Status::Pass)));
    assert_eq!(with((true, true)), (Some(Status::Pass), None));
    assert_eq!(with((true, false)), (Some(Status::Fail), None));
    assert_eq!(with((false, true)), (None, Some(Status::Fail)));
}

#[test]
fn what_a_callback_throws_is_its_own() {
    let mut bench = trace();
    let call = bench.begin(SETUP, function("GetPhase"), vec![]);
    bench.event(1, "ClassLoad", on(1));
    bench.add(Body::CallEnd { call, code: 0, outputs: vec![], exception: (false, true) });
    assert_eq!(status(&bench, "no-exception-thrown"), None);
}

#[test]
fn states_keep_the_rules_of_the_bits() {
    let rule = "thread-state-bits";
    let returned = |code, name: &str, value| {
        let mut bench = trace();
        let call = bench.begin(SETUP, function(name), vec![]);
        bench.end(call, code, vec![(1, value)]);
        status(&bench, rule)
    };
    let info = |state| {
        let fields = vec![("thread".to_owned(), object(1)), ("state".to_owned(), Value::Int(state))];
        Value::List(vec![Value::Struct(fields)])
    };
    assert_eq!(returned(0, "GetThreadState", Value::Int(5)), Some(Status::Pass));
    assert_eq!(returned(0, "GetThreadState", Value::Int(0x41)), Some(Status::Fail));
    assert_eq!(returned(10, "GetThreadState", Value::Int(0x41)), None, "undefined after an error");
    assert_eq!(returned(0, "GetThreadListStackTraces", info(5)), Some(Status::Pass));
    assert_eq!(returned(0, "GetThreadListStackTraces", info(6)), Some(Status::Fail));
}

#[test]
fn strings_are_modified_utf8() {
    let rule = "strings-modified-utf8";
    let returned = |bytes: &[u8]| {
        let mut bench = trace();
        let call = bench.begin(SETUP, function("GetErrorName"), vec![]);
        bench.end(call, 0, vec![(1, Value::Str(bytes.to_vec()))]);
        status(&bench, rule)
    };
    assert_eq!(returned(b"JVMTI_ERROR_NONE"), Some(Status::Pass));
    assert_eq!(returned("\u{1f600}".as_bytes()), Some(Status::Fail));
    let mut bench = trace();
    let name = Value::Str(vec![0xff]);
    bench.event(1, "ClassFileLoadHook", vec![Value::Null, Value::Null, Value::Null, name]);
    assert_eq!(status(&bench, rule), Some(Status::Fail));
}

#[test]
fn events_come_in_their_phases() {
    let rule = "event-in-its-phases";
    let sent = |events: &[(u32, &str)]| {
        let mut bench = trace();
        for (thread, name) in events {
            bench.on(*thread).event(1, name, on(1));
        }
        status(&bench, rule)
    };
    let in_order =
        [(1, "ClassFileLoadHook"), (1, "VMStart"), (1, "ClassLoad"), (1, "VMInit"), (1, "MethodEntry")];
    assert_eq!(sent(&in_order), Some(Status::Pass));
    assert_eq!(sent(&[(1, "ClassLoad"), (1, "VMStart")]), Some(Status::Fail), "primordial");
    let before_init = [(1, "VMStart"), (1, "MethodEntry"), (1, "VMInit")];
    assert_eq!(sent(&before_init), Some(Status::Pass), "VMInit may be preceded by others");
    assert_eq!(sent(&[(2, "ClassLoad"), (1, "VMStart")]), Some(Status::Pass), "another thread races");
    assert_eq!(sent(&[(1, "ClassLoad")]), Some(Status::Pass), "nobody was told of the VM's start");
    let mut bench = trace();
    bench.add(Body::Entry(EntryPoint::OnLoad)).event(1, "ClassFileLoadHook", on(1));
    assert_eq!(status(&bench, rule), Some(Status::Fail), "in OnLoad");
}

#[test]
fn the_phase_may_be_asked_for() {
    let asked = |event: &str, phase: i64| {
        let mut bench = trace();
        bench.event(1, "VMStart", on(1)).event(1, event, on(1));
        let call = bench.begin(SETUP, function("GetPhase"), vec![]);
        bench.end(call, 0, vec![(0, Value::Int(phase))]);
        status(bench.event(1, "VMInit", on(1)), "event-in-its-phases")
    };
    assert_eq!(asked("MethodEntry", 6), Some(Status::Fail), "of the live phase, in the start phase");
    assert_eq!(asked("MethodEntry", 4), Some(Status::Pass));
    assert_eq!(asked("ClassLoad", 6), Some(Status::Pass));
}

#[test]
fn an_early_environment_may_start_before_others() {
    let rule = "event-in-its-phases";
    let bits = |bit: usize| {
        let mut bits = vec![0u8; 16];
        bits[bit / 8] |= 1 << (bit % 8);
        Value::Bytes(bits)
    };
    let sent = |capability| {
        let mut bench = trace();
        bench.call(SETUP, "AddCapabilities", vec![capability], 0);
        bench.event(1, "ClassLoad", on(1)).event(9, "VMStart", on(1));
        status(&bench, rule)
    };
    let bit = usize::from(edition().capability("can_generate_early_vmstart").expect("it").bit);
    assert_eq!(sent(bits(bit)), Some(Status::Pass));
    assert_eq!(sent(bits(0)), Some(Status::Fail));
}

#[test]
fn events_come_only_when_enabled() {
    let rule = "event-only-when-enabled";
    let mut bench = trace();
    bench.enable(0, 1, "ClassLoad", Value::Null, 0).event(1, "ClassLoad", on(1));
    assert_eq!(status(&bench, rule), Some(Status::Pass));
    let mut bench = trace();
    assert_eq!(status(bench.event(1, "ClassLoad", on(1)), rule), Some(Status::Fail), "never enabled");
    let mut bench = trace();
    bench.enable(0, 1, "ClassLoad", Value::Null, code("WRONG_PHASE")).event(1, "ClassLoad", on(1));
    assert_eq!(status(&bench, rule), Some(Status::Fail), "enabling failed");
    let mut bench = trace();
    assert_eq!(status(bench.event(9, "ClassLoad", on(1)), rule), None, "the probe's own");
}

#[test]
fn events_stop_when_disabled() {
    let rule = "event-only-when-enabled";
    let disabled = || {
        let mut bench = trace();
        bench.enable(0, 1, "ClassLoad", Value::Null, 0).enable(0, 0, "ClassLoad", Value::Null, 0);
        bench
    };
    let mut bench = disabled();
    assert_eq!(status(bench.event(1, "ClassLoad", on(1)), rule), Some(Status::Fail), "same thread");
    let mut bench = disabled();
    bench.on(2).event(1, "ClassLoad", on(2));
    assert_eq!(status(&bench, rule), Some(Status::Pass), "it may have been on its way");
    assert_eq!(status(bench.event(1, "ClassLoad", on(2)), rule), Some(Status::Fail), "this one wasn't");
}

#[test]
fn events_enabled_for_a_thread_come_on_that_thread() {
    let rule = "event-only-when-enabled";
    let mut bench = trace();
    bench.enable(0, 1, "ClassLoad", object(5), 0).event(1, "ClassLoad", on(5));
    assert_eq!(status(&bench, rule), Some(Status::Pass));
    let verdict = bench.event(1, "ClassLoad", on(6)).rule(rule).expect("judged");
    assert_eq!(verdict.status, Status::Fail);
    assert!(verdict.findings[0].observed.contains("other threads only"));
}

#[test]
fn nothing_comes_after_dispose() {
    let rule = "nothing-after-dispose";
    let mut bench = trace();
    bench.event(1, "ClassLoad", on(1)).add(Body::EnvironmentGone { environment: 1 });
    assert_eq!(status(&bench, rule), Some(Status::Pass));
    bench.on(2).event(1, "ClassLoad", on(2));
    assert_eq!(status(&bench, rule), Some(Status::Pass), "it may have been on its way");
    assert_eq!(status(bench.on(1).event(1, "ClassLoad", on(1)), rule), Some(Status::Fail));
}

#[test]
fn nothing_comes_after_vm_death() {
    let rule = "nothing-after-vm-death";
    let death = |bench: &mut Bench, environment| {
        bench.event(environment, "VMDeath", vec![Value::Null]);
        bench.event(environment, "ClassLoad", on(1));
        bench.add(Body::EventEnd { event: event("VMDeath") });
    };
    let mut bench = trace();
    death(&mut bench, 1);
    bench.event(1, "ClassLoad", on(1));
    assert_eq!(status(&bench, rule), Some(Status::Fail));
    death(&mut bench, 2);
    assert_eq!(status(&bench, rule), Some(Status::Pass), "VMDeath was still being sent");
    bench.on(2).event(1, "ClassLoad", on(2));
    assert_eq!(status(&bench, rule), Some(Status::Pass), "it may have been on its way");
    assert_eq!(status(bench.event(1, "ClassLoad", on(2)), rule), Some(Status::Fail));
}

#[test]
fn a_thread_s_end_is_its_last_event() {
    let rule = "thread-end-last";
    let mut bench = trace();
    bench.event(1, "ClassLoad", on(1)).event(1, "ThreadEnd", on(1)).event(1, "ClassLoad", on(2));
    assert_eq!(status(&bench, rule), Some(Status::Pass));
    bench.event(1, "ClassLoad", on(1));
    assert_eq!(status(&bench, rule), Some(Status::Fail));
    bench.event(2, "ThreadEnd", on(1));
    assert_eq!(status(&bench, rule), Some(Status::Pass), "it was still being sent");
    bench.event(1, "ClassLoad", on(1)).add(Body::EventEnd { event: event("ThreadEnd") });
    assert_eq!(status(&bench, rule), Some(Status::Pass), "caused by the callback itself");
}

#[test]
fn hidden_classes_are_loaded_before_they_are_prepared() {
    let rule = "class-load-before-prepare";
    let class = |class| vec![Value::Pointer(1), object(1), object(class)];
    let mut bench = trace();
    for (id, name) in [(7, "LA.0x1;"), (8, "LA.0x2;"), (9, "LA;")] {
        let (object, class) = (ObjectId(id), "Ljava/lang/Class;".to_owned());
        bench.add(Body::ObjectSeen { object, class, name: name.to_owned() });
    }
    bench.event(1, "ClassPrepare", class(9)).event(1, "ClassLoad", class(9));
    assert_eq!(status(&bench, rule), None, "it may have been loaded long ago");
    bench.event(1, "ClassLoad", class(7)).event(1, "ClassPrepare", class(7));
    assert_eq!(status(&bench, rule), Some(Status::Pass));
    bench.event(1, "ClassPrepare", class(8));
    bench.on(2).event(1, "ClassLoad", class(8));
    assert_eq!(status(&bench, rule), Some(Status::Pass), "another thread");
    assert_eq!(status(bench.on(1).event(1, "ClassLoad", class(8)), rule), Some(Status::Permitted));
}

#[test]
fn a_class_is_loaded_once() {
    let rule = "class-load-once";
    let class = |class| vec![Value::Pointer(1), object(1), object(class)];
    let mut bench = trace();
    for (id, name) in [(7, "LA;"), (8, "LB;"), (9, "LC;"), (10, "LA.0x1;")] {
        let (object, class) = (ObjectId(id), "Ljava/lang/Class;".to_owned());
        bench.add(Body::ObjectSeen { object, class, name: name.to_owned() });
    }
    bench.event(1, "ClassLoad", class(7)).event(1, "ClassPrepare", class(7));
    assert_eq!(status(&bench, rule), Some(Status::Pass));
    bench.event(1, "ClassPrepare", class(10)).event(1, "ClassLoad", class(10));
    assert_eq!(status(&bench, rule), Some(Status::Pass), "the order of hidden classes is another rule's");
    assert_eq!(status(bench.event(1, "ClassLoad", class(7)), rule), Some(Status::Fail));
    let mut bench = trace();
    let (object, class_type) = (ObjectId(8), "Ljava/lang/Class;".to_owned());
    bench.add(Body::ObjectSeen { object, class: class_type, name: "LB;".to_owned() });
    bench.event(1, "ClassPrepare", class(8));
    assert_eq!(status(bench.event(1, "ClassLoad", class(8)), rule), Some(Status::Fail), "loaded long ago");
}

#[test]
fn what_calls_give_is_local_and_can_be_deallocated() {
    let with = |memory, reference| {
        let mut bench = trace();
        let handed = |code| vec![Handed { param: 1, count: 2, code }];
        bench.add(Body::Given {
            call: 1,
            step: SETUP,
            memory: handed(memory),
            references: handed(reference),
        });
        (status(&bench, "returned-references-local"), status(&bench, "deallocate-returned"))
    };
    assert_eq!(with(0, 1), (Some(Status::Pass), Some(Status::Pass)));
    assert_eq!(with(0, 2), (Some(Status::Fail), Some(Status::Pass)));
    assert_eq!(with(103, 1), (Some(Status::Pass), Some(Status::Fail)));
}

#[test]
fn paired_events_come_by_turns() {
    let rule = "contended-enter-before-entered";
    let about = |thread, monitor| vec![Value::Pointer(1), object(thread), object(monitor)];
    let both = || {
        let mut bench = trace();
        bench.enable(0, 1, "MonitorContendedEnter", Value::Null, 0);
        bench.enable(0, 1, "MonitorContendedEntered", Value::Null, 0);
        bench
    };
    let mut bench = both();
    // The first may answer what came before it was enabled.
    bench.event(1, "MonitorContendedEntered", about(5, 6)).event(1, "MonitorContendedEnter", about(5, 6));
    bench.event(1, "MonitorContendedEntered", about(5, 6)).event(1, "MonitorContendedEntered", about(7, 6));
    assert_eq!(status(&bench, rule), Some(Status::Pass));
    bench.event(1, "MonitorContendedEntered", about(5, 6));
    assert_eq!(status(&bench, rule), Some(Status::Fail), "entered twice");
    let mut bench = both();
    bench.event(1, "MonitorContendedEntered", about(5, 6)).enable(
        0,
        0,
        "MonitorContendedEnter",
        Value::Null,
        0,
    );
    bench.event(1, "MonitorContendedEntered", about(5, 6));
    assert_eq!(status(&bench, rule), None, "the other is disabled");
}

#[test]
fn collections_come_in_pairs() {
    let rule = "collection-finish-after-start";
    let mut bench = trace();
    bench.enable(0, 1, "GarbageCollectionStart", Value::Null, 0);
    bench.enable(0, 1, "GarbageCollectionFinish", Value::Null, 0);
    bench.event(1, "GarbageCollectionStart", vec![]).event(1, "GarbageCollectionFinish", vec![]);
    bench.event(1, "GarbageCollectionStart", vec![]);
    assert_eq!(status(&bench, rule), Some(Status::Pass));
    bench.event(1, "GarbageCollectionStart", vec![]);
    assert_eq!(status(&bench, rule), Some(Status::Fail));
}

#[test]
fn empty_arrays_are_null() {
    let rule = "empty-list-is-null";
    let methods = |code, count, list| {
        let mut bench = trace();
        let call = bench.begin(SETUP, function("GetClassMethods"), vec![object(1)]);
        bench.end(call, code, vec![(1, Value::Int(count)), (2, list)]);
        status(&bench, rule)
    };
    let empty = || Value::List(vec![]);
    assert_eq!(methods(0, 0, Value::Null), Some(Status::Pass));
    assert_eq!(methods(0, 0, empty()), Some(Status::Fail));
    assert_eq!(methods(0, 1, Value::List(vec![Value::Method(1)])), None, "not empty");
    assert_eq!(methods(code("INVALID_CLASS"), 0, empty()), None, "undefined after an error");
    let stack = |frames| {
        let mut bench = trace();
        let call = bench.begin(SETUP, function("GetAllStackTraces"), vec![Value::Int(9)]);
        let fields = [("frame_buffer", frames), ("frame_count", Value::Int(0))];
        let fields = fields.map(|(name, value)| (name.to_owned(), value)).to_vec();
        bench.end(call, 0, vec![(1, Value::List(vec![Value::Struct(fields)])), (2, Value::Int(1))]);
        status(&bench, rule)
    };
    assert_eq!(stack(Value::Null), Some(Status::Pass));
    assert_eq!(stack(empty()), Some(Status::Fail));
    let mut bench = trace();
    let call = bench.begin(SETUP, function("GetBytecodes"), vec![Value::Method(1)]);
    bench.end(call, 0, vec![(1, Value::Int(0)), (2, Value::Bytes(vec![]))]);
    assert_eq!(status(&bench, rule), Some(Status::Fail));
}

#[test]
fn ids_of_methods_stay_valid() {
    let rule = "method-id-valid-with-class";
    let asked = |class: &str, told: bool, answer| {
        let mut bench = trace();
        let (class, name, signature) = (class.to_owned(), "m".to_owned(), "()V".to_owned());
        bench.add(Body::MethodSeen { method: 7, class, name, signature });
        if told {
            bench.event(1, "MethodEntry", vec![Value::Pointer(1), object(1), Value::Method(7)]);
        }
        bench.call(SETUP, "GetMethodName", vec![Value::Method(7)], answer);
        status(&bench, rule)
    };
    let refused = code("INVALID_METHODID");
    assert_eq!(asked("Ljava/lang/Object;", true, 0), Some(Status::Pass));
    assert_eq!(asked("Ljava/lang/Object;", true, code("WRONG_PHASE")), Some(Status::Pass));
    assert_eq!(asked("Ljava/lang/Object;", true, refused), Some(Status::Fail));
    assert_eq!(asked("Ljava/lang/Object;", false, refused), None, "the VM never told it");
    for class in ["LA;", "Ljava/lang/invoke/LambdaForm$MH.0x1;", "Ljava/lang/invoke/LambdaForm$MH/12;"] {
        assert_eq!(asked(class, true, refused), None, "{class} may be unloaded");
    }
    let mut bench = trace();
    let (class, name, signature) = ("Ljava/lang/Object;".to_owned(), "m".to_owned(), "()V".to_owned());
    bench.add(Body::MethodSeen { method: 7, class, name, signature });
    let call = bench.begin(SETUP, function("GetClassMethods"), vec![object(1)]);
    bench.end(call, 0, vec![(1, Value::Int(1)), (2, Value::List(vec![Value::Method(7)]))]);
    bench.call(SETUP, "GetMethodName", vec![Value::Method(7)], refused);
    assert_eq!(status(&bench, rule), Some(Status::Fail), "returned by a call");
}

#[test]
fn heap_callbacks_come_one_at_a_time() {
    let rule = "callbacks-one-at-a-time";
    let callback = |name: &str| Body::Callback { call: 1, callback: name.into(), args: vec![], returned: 0 };
    let mut bench = trace();
    bench.add(callback("jvmtiStartFunction"));
    assert_eq!(status(&bench, rule), None, "not of the heap");
    bench.add(callback("jvmtiHeapIterationCallback"));
    assert_eq!(status(&bench, rule), Some(Status::Pass));
    bench.add(Body::CallbacksOverlap { call: 1, callback: "jvmtiHeapIterationCallback".into() });
    assert_eq!(status(&bench, rule), Some(Status::Fail));
}

#[test]
fn functions_for_extension_events_get_their_environment() {
    let rule = "callback-environment";
    let heard = |environment: i64| {
        let mut bench = trace();
        let args = vec![Value::Int(3), Value::Pointer(1)];
        let call = bench.begin(SETUP, function("SetExtensionEventCallback"), args);
        bench.end(call, 0, vec![]);
        let (callback, args) = ("jvmtiExtensionEvent".to_owned(), vec![Value::Int(environment)]);
        bench.add(Body::Callback { call, callback, args, returned: 0 });
        status(&bench, rule)
    };
    assert_eq!(heard(1), Some(Status::Pass));
    assert_eq!(heard(2), Some(Status::Fail), "another environment");
    assert_eq!(heard(0), Some(Status::Fail), "none");
}
