//! Rules on what the JVM has to keep.

use super::*;

const STEP: StepRef = StepRef::Step { case: 0, step: 0 };

/// A call that succeeded, with one output.
fn told(bench: &mut Bench, name: &str, args: Vec<Value>, output: (u16, Value)) {
    let call = bench.begin(SETUP, function(name), args);
    bench.end(call, 0, vec![output]);
}

#[test]
fn tags_stay() {
    let rule = "storage-stays";
    let tagged = |between: &dyn Fn(&mut Bench), told_tag| {
        let mut bench = trace();
        bench.call(SETUP, "SetTag", vec![object(5), Value::Int(7)], 0);
        between(&mut bench);
        told(&mut bench, "GetTag", vec![object(5)], (1, Value::Int(told_tag)));
        status(&bench, rule)
    };
    assert_eq!(tagged(&|_| (), 7), Some(Status::Pass));
    assert_eq!(tagged(&|_| (), 8), Some(Status::Fail));
    let set = |id, code| {
        move |bench: &mut Bench| {
            bench.call(SETUP, "SetTag", vec![object(id), Value::Int(8)], code);
        }
    };
    assert_eq!(tagged(&set(6, 0), 7), Some(Status::Pass), "another object");
    assert_eq!(tagged(&set(5, 0), 8), Some(Status::Pass));
    assert_eq!(tagged(&set(5, code("INTERNAL")), 8), None, "what a failed call has done is not known");
    let walk = |bench: &mut Bench| {
        bench.call(SETUP, "IterateThroughHeap", vec![], 0);
    };
    assert_eq!(tagged(&walk, 8), None, "callbacks set tags");
    let race = |bench: &mut Bench| {
        let call = bench.on(2).begin(SETUP, function("SetTag"), vec![object(5), Value::Int(8)]);
        bench.on(1);
        told(bench, "GetTag", vec![object(5)], (1, Value::Int(8)));
        bench.on(2).end(call, 0, vec![]).on(1);
    };
    assert_eq!(tagged(&race, 8), Some(Status::Pass), "before or after: only what comes later is judged");
    let counted = |bench: &mut Bench| {
        bench.add(Body::CallsCounted { site: 1, function: function("SetTag"), count: 3 });
    };
    assert_eq!(tagged(&counted, 8), None, "not all calls are in the trace");
}

#[test]
fn storage_belongs_to_an_environment() {
    let mut bench = Bench::new(vec![case("a"), case("b")]);
    let in_case = |case| StepRef::Setup { case };
    bench.call(in_case(0), "SetEnvironmentLocalStorage", vec![Value::Pointer(9)], 0);
    bench.call(in_case(1), "SetEnvironmentLocalStorage", vec![Value::Null], 0);
    for (case, data) in [(0, Value::Pointer(9)), (1, Value::Null)] {
        let call = bench.begin(in_case(case), function("GetEnvironmentLocalStorage"), vec![]);
        bench.end(call, 0, vec![(0, data)]);
    }
    assert_eq!(status(&bench, "storage-stays"), Some(Status::Pass));
}

#[test]
fn breakpoints_are_there_until_they_are_cleared() {
    let rule = "set-until-cleared";
    let calls = |calls: &[(&str, &str)]| {
        let mut bench = trace();
        for (name, error) in calls {
            let code = if *error == "NONE" { 0 } else { code(error) };
            bench.call(SETUP, name, vec![Value::Method(3), Value::Int(0)], code);
        }
        status(&bench, rule)
    };
    let (set, clear) = ("SetBreakpoint", "ClearBreakpoint");
    assert_eq!(
        calls(&[(set, "NONE"), (set, "DUPLICATE"), (clear, "NONE"), (clear, "NOT_FOUND")]),
        Some(Status::Pass)
    );
    assert_eq!(calls(&[(set, "NONE"), (set, "NONE")]), Some(Status::Fail));
    assert_eq!(calls(&[(set, "NONE"), (clear, "NOT_FOUND")]), Some(Status::Fail));
    assert_eq!(calls(&[(set, "NONE"), (clear, "NONE"), (set, "DUPLICATE")]), Some(Status::Fail));
    assert_eq!(calls(&[(set, "NONE"), ("RedefineClasses", "NONE"), (set, "NONE")]), None, "breakpoints go");
    assert_eq!(calls(&[(set, "DUPLICATE")]), None, "nothing is known");
}

#[test]
fn what_two_environments_set_is_not_judged() {
    let mut bench = Bench::new(vec![case("a"), case("b")]);
    for (case, code) in [(0, 0), (1, code("DUPLICATE")), (1, code("NOT_FOUND"))] {
        let args = vec![object(2), Value::Field(3)];
        bench.call(StepRef::Setup { case }, "SetFieldAccessWatch", args, code);
    }
    assert_eq!(status(&bench, "set-until-cleared"), None);
}

#[test]
fn a_watch_that_two_classes_name_is_not_judged() {
    let calls = |calls: &[(&str, u64, &str)]| {
        let mut bench = trace();
        for (name, class, error) in calls {
            let code = if *error == "NONE" { 0 } else { code(error) };
            bench.call(SETUP, name, vec![object(*class), Value::Field(3)], code);
        }
        status(&bench, "set-until-cleared")
    };
    let (set, clear) = ("SetFieldAccessWatch", "ClearFieldAccessWatch");
    assert_eq!(calls(&[(set, 2, "NONE"), (clear, 2, "NOT_FOUND")]), Some(Status::Fail));
    assert_eq!(calls(&[(set, 2, "NONE"), (clear, 5, "NONE"), (set, 2, "NONE")]), None);
}

#[test]
fn threads_are_suspended_until_they_are_resumed() {
    let rule = "suspended-until-resumed";
    let calls = |calls: &[(&str, &str)], state: Option<i64>| {
        let mut bench = trace();
        for (name, error) in calls {
            let code = if *error == "NONE" { 0 } else { code(error) };
            bench.call(SETUP, name, vec![object(4)], code);
        }
        if let Some(state) = state {
            told(&mut bench, "GetThreadState", vec![object(4)], (1, Value::Int(state)));
        }
        status(&bench, rule)
    };
    let (suspend, resume) = ("SuspendThread", "ResumeThread");
    let suspended = [(suspend, "NONE"), (suspend, "THREAD_SUSPENDED")];
    assert_eq!(calls(&suspended, Some(0x10_0005)), Some(Status::Pass));
    assert_eq!(calls(&suspended, Some(5)), Some(Status::Fail));
    assert_eq!(calls(&[(suspend, "NONE")], Some(2)), None, "it has ended");
    assert_eq!(calls(&[(suspend, "NONE"), (resume, "NONE")], Some(0x10_0005)), Some(Status::Fail));
    assert_eq!(calls(&[(suspend, "NONE"), (resume, "THREAD_NOT_SUSPENDED")], None), Some(Status::Fail));
    assert_eq!(calls(&[(suspend, "NONE"), (suspend, "NONE")], None), Some(Status::Fail));
    assert_eq!(calls(&[(suspend, "NONE"), ("ResumeThreadList", "NONE"), (suspend, "NONE")], None), None);
}

#[test]
fn raw_monitors_have_an_owner() {
    let rule = "raw-monitor-owner";
    let calls = |created: bool, calls: &[(u32, &str, &str)]| {
        let mut bench = trace();
        if created {
            told(&mut bench, "CreateRawMonitor", vec![], (1, Value::Pointer(0x50)));
        }
        for (thread, name, error) in calls {
            let code = if *error == "NONE" { 0 } else { code(error) };
            bench.on(*thread).call(STEP, name, vec![Value::Pointer(0x50)], code);
        }
        status(&bench, rule)
    };
    let (enter, exit, wait) = ("RawMonitorEnter", "RawMonitorExit", "RawMonitorWait");
    let twice = [
        (1, enter, "NONE"),
        (1, enter, "NONE"),
        (1, exit, "NONE"),
        (1, wait, "INTERRUPT"),
        (1, exit, "NONE"),
    ];
    assert_eq!(calls(true, &twice), Some(Status::Pass));
    assert_eq!(calls(true, &[(1, exit, "NOT_MONITOR_OWNER")]), Some(Status::Pass));
    assert_eq!(calls(true, &[(1, exit, "NONE")]), Some(Status::Fail));
    assert_eq!(calls(false, &[(1, exit, "NONE")]), None, "it may have been entered before");
    assert_eq!(calls(true, &[(1, enter, "NONE"), (2, "RawMonitorNotify", "NONE")]), Some(Status::Fail));
    assert_eq!(calls(true, &[(1, enter, "NONE"), (1, exit, "NOT_MONITOR_OWNER")]), Some(Status::Fail));
    assert_eq!(calls(true, &[(1, "DestroyRawMonitor", "NONE"), (1, exit, "NONE")]), None, "it is gone");
}

#[test]
fn a_virtual_thread_takes_its_raw_monitors_to_another_carrier() {
    let exits = |class: &str| {
        let mut bench = trace();
        told(&mut bench, "CreateRawMonitor", vec![], (1, Value::Pointer(0x50)));
        for (thread, name) in [(1, "RawMonitorEnter"), (2, "RawMonitorExit")] {
            bench.on(thread).add(Body::ObjectSeen {
                object: ObjectId(7),
                class: class.into(),
                name: String::new(),
            });
            bench.add(Body::ThreadSeen { object: Some(ObjectId(7)), native: 1 });
            bench.call(STEP, name, vec![Value::Pointer(0x50)], 0);
        }
        status(&bench, "raw-monitor-owner")
    };
    assert_eq!(exits("Ljava/lang/VirtualThread;"), None);
    assert_eq!(exits("Ljdk/internal/misc/CarrierThread;"), None);
    assert_eq!(exits("Ljava/lang/Thread;"), Some(Status::Fail));
}

#[test]
fn a_native_thread_that_is_several_threads_of_java_carries_virtual_ones() {
    let exits = |second: u64| {
        let mut bench = trace();
        told(&mut bench, "CreateRawMonitor", vec![], (1, Value::Pointer(0x50)));
        bench.on(2);
        for object in [7, second] {
            bench.add(Body::ThreadSeen { object: Some(ObjectId(object)), native: 1 });
        }
        bench.call(STEP, "RawMonitorExit", vec![Value::Pointer(0x50)], 0);
        status(&bench, "raw-monitor-owner")
    };
    assert_eq!(exits(7), Some(Status::Fail));
    assert_eq!(exits(8), None);
}

#[test]
fn what_is_entered_in_on_load_belongs_to_the_main_thread() {
    let exits = |loaded: bool| {
        let mut bench = trace();
        if loaded {
            bench.event(1, "VMStart", vec![]);
        }
        told(&mut bench, "CreateRawMonitor", vec![], (1, Value::Pointer(0x50)));
        bench.on(1).call(STEP, "RawMonitorEnter", vec![Value::Pointer(0x50)], 0);
        bench.on(2).event(1, "VMInit", vec![]);
        bench.call(STEP, "RawMonitorExit", vec![Value::Pointer(0x50)], 0);
        status(&bench, "raw-monitor-owner")
    };
    assert_eq!(exits(true), Some(Status::Fail));
    assert_eq!(exits(false), None);
}

#[test]
fn capabilities_decide() {
    let rule = "capabilities-decide";
    let set = |bits: u8| Value::Bytes(vec![bits, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    // The first bit is that of can_tag_objects.
    let calls = |adds: u8, relinquishes: u8, error: &str| {
        let mut bench = trace();
        bench.add(Body::AgentEnvironment { environment: 1, site: 0, version: 0, pointer: 1 });
        bench.call(SETUP, "AddCapabilities", vec![set(adds)], 0);
        bench.call(SETUP, "RelinquishCapabilities", vec![set(relinquishes)], 0);
        told(&mut bench, "GetCapabilities", vec![], (0, set(adds & !relinquishes)));
        let code = if error == "NONE" { 0 } else { code(error) };
        bench.call(SETUP, "SetTag", vec![object(1), Value::Int(1)], code);
        status(&bench, rule)
    };
    assert_eq!(calls(0b11, 0b10, "NONE"), Some(Status::Pass));
    assert_eq!(calls(0b11, 0b01, "MUST_POSSESS_CAPABILITY"), Some(Status::Pass));
    assert_eq!(calls(0b11, 0b01, "NONE"), Some(Status::Pass), "a JVM need not detect it");
    assert_eq!(calls(0b01, 0, "MUST_POSSESS_CAPABILITY"), Some(Status::Fail));
    let mut bench = trace();
    for _ in 0..2 {
        told(&mut bench, "GetCapabilities", vec![], (0, set(3)));
        bench.call(SETUP, "RelinquishCapabilities", vec![set(2)], 0);
    }
    assert_eq!(status(&bench, rule), Some(Status::Fail), "what it had at first is not known, and then it is");
}

#[test]
fn who_possesses_the_capability_may_enable_its_event() {
    let enabled = |possessed: u8, code: i32| {
        let mut bench = trace();
        told(&mut bench, "GetCapabilities", vec![], (0, Value::Bytes(vec![possessed; 16])));
        status(bench.enable(0, 1, "SingleStep", Value::Null, code), "capabilities-decide")
    };
    let refused = code("MUST_POSSESS_CAPABILITY");
    assert_eq!(enabled(0xff, 0), Some(Status::Pass));
    assert_eq!(enabled(0xff, refused), Some(Status::Fail));
    assert_eq!((enabled(0, refused), enabled(0, 0)), (None, None));
}

#[test]
fn what_lasts_is_told_again() {
    let rule = "lasting-answers";
    let hashes = |codes: &[i64]| {
        let mut bench = trace();
        for hash in codes {
            told(&mut bench, "GetObjectHashCode", vec![object(4)], (1, Value::Int(*hash)));
        }
        status(&bench, rule)
    };
    assert_eq!(hashes(&[3]), None);
    assert_eq!(hashes(&[3, 3]), Some(Status::Pass));
    assert_eq!(hashes(&[3, 4]), Some(Status::Fail));
    let mut bench = trace();
    for (run, name) in [(1, "a"), (2, "b")] {
        told(&mut bench, "GetMethodName", vec![Value::Method(3)], (1, Value::Str(name.into())));
        bench.add(Body::RunBegin { run });
    }
    assert_eq!(status(&bench, rule), None, "the id may have gone to another method");
}
