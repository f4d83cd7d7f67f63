//! Rules about events.

use jvmti_wire::trace::EntryPoint;

use super::*;

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
fn the_case_before_may_have_had_an_event_enabled() {
    let rule = "event-only-when-enabled";
    let mut bench = trace();
    bench.pass_on = true;
    assert_eq!(status(bench.event(1, "ClassLoad", on(1)), rule), Some(Status::Pass), "on its way");
    assert_eq!(status(bench.event(1, "ClassLoad", on(1)), rule), Some(Status::Fail), "the next one");
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
fn the_second_event_of_a_pair_needs_the_first() {
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
    assert_eq!(status(&bench, rule), Some(Status::Permitted), "entered twice");
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
    let mut bench = both();
    bench.event(1, "MonitorContendedEnter", about(5, 6)).event(1, "MonitorContendedEnter", about(5, 6));
    assert_eq!(
        status(&bench, rule),
        Some(Status::Pass),
        "the thread was given something else to do meanwhile"
    );
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
fn events_pass_what_they_are_about() {
    let rule = "event-arguments-given";
    let object = |id| Value::Object(ObjectId(id));
    let sent = |event: &str, args: Vec<Value>| status(trace().event(1, event, args), rule);
    let jni = || Value::Pointer(1);
    assert_eq!(sent("ClassLoad", vec![jni(), object(1), object(2)]), Some(Status::Pass));
    assert_eq!(sent("ClassLoad", vec![jni(), object(1), Value::Null]), Some(Status::Fail));
    assert_eq!(
        sent("ClassLoad", vec![jni(), object(1), Value::Opaque]),
        Some(Status::Pass),
        "nobody could look"
    );
    let bind = |method| sent("NativeMethodBind", vec![jni(), object(1), method, jni(), jni()]);
    assert_eq!(bind(Value::Method(1)), Some(Status::Pass));
    assert_eq!(bind(Value::Method(0)), Some(Status::Fail));
    let access = |object: Value, class: Value| {
        let (method, field) = (Value::Method(1), Value::Field(1));
        sent("FieldAccess", vec![jni(), Value::Opaque, method, Value::Int(0), class, object, field])
    };
    assert_eq!(access(Value::Null, object(1)), Some(Status::Pass), "the field is static");
    assert_eq!(access(Value::Null, Value::Null), Some(Status::Fail));
}

#[test]
fn the_map_of_compiled_code_is_about_the_code() {
    let sent = |addresses: &[u64]| {
        let entry = |address: &u64| {
            Value::Struct(vec![
                ("start_address".to_owned(), Value::Pointer(*address)),
                ("location".to_owned(), Value::Int(0)),
            ])
        };
        let map = if addresses.is_empty() {
            Value::Null
        } else {
            Value::List(addresses.iter().map(entry).collect())
        };
        let length = Value::Int(addresses.len().try_into().expect("a short list"));
        let args = vec![Value::Method(1), Value::Int(16), Value::Pointer(100), length, map, Value::Null];
        status(trace().event(1, "CompiledMethodLoad", args), "code-map-in-order")
    };
    assert_eq!(sent(&[]), None, "no JVM has to tell");
    assert_eq!(sent(&[100, 104, 104, 116]), Some(Status::Pass));
    for wrong in [&[96, 104][..], &[104, 100], &[100, 117]] {
        assert_eq!(sent(wrong), Some(Status::Fail), "{wrong:?}");
    }
}
