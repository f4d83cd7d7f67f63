//! Raw monitors in traces that are written down here.

use jvmti_wire::trace::MonitorChange;

use super::*;

/// The event after which threads of agents run.
const VM_START: u16 = 57;

#[test]
fn a_monitor_at_the_address_of_a_destroyed_one_is_another() {
    let mut trace = Trace::new();
    let destroying = trace.begin(1, "DestroyRawMonitor", &[MONITOR]);
    // The other thread's call ends between the deed and its record.
    let creating = trace.begin(2, "CreateRawMonitor", &[Value::Str(b"new".to_vec()), Value::Pointer(8)]);
    trace.end(2, creating, 0, &[(1, MONITOR)]);
    trace.end(1, destroying, 0, &[]);
    trace.call(2, "RawMonitorEnter", &[MONITOR], 0);
    trace.call(2, "RawMonitorExit", &[MONITOR], 0);
    assert!(!trace.breaks("monitor/destroyed"));
    trace.call(2, "DestroyRawMonitor", &[MONITOR], 0);
    assert!(!trace.breaks("monitor/destroyed"));
    trace.begin(1, "RawMonitorEnter", &[MONITOR]);
    assert!(trace.breaks("monitor/destroyed"));
}

#[test]
fn a_thread_that_goes_on_may_hold_monitors() {
    let mut trace = Trace::new();
    trace.call(1, "RawMonitorEnter", &[MONITOR], 0);
    trace.call(2, "RawMonitorEnter", &[Value::Pointer(0x2000)], 0);
    trace.add(2, Body::ThreadEnds);
    // A callback at the thread's end.
    trace.call(2, "RawMonitorExit", &[Value::Pointer(0x2000)], 0);
    assert!(!trace.breaks("monitor/held-at-end"));
    trace.add(1, Body::ThreadEnds);
    assert!(trace.breaks("monitor/held-at-end"));
}

#[test]
fn two_orders_are_a_hazard_where_no_third_monitor_keeps_them_apart() {
    let [first, second, gate, other] = [0x1000, 0x2000, 0x3000, 0x4000].map(Value::Pointer);
    let nested = |trace: &mut Trace, thread: u32, monitors: &[&Value]| {
        monitors.iter().for_each(|monitor| trace.call(thread, "RawMonitorEnter", &[(*monitor).clone()], 0));
        monitors
            .iter()
            .rev()
            .for_each(|monitor| trace.call(thread, "RawMonitorExit", &[(*monitor).clone()], 0));
    };
    let mut trace = Trace::new();
    nested(&mut trace, 1, &[&gate, &first, &second]);
    nested(&mut trace, 2, &[&other, &gate, &second, &first]);
    // A thread does not wait for itself.
    nested(&mut trace, 1, &[&second, &first]);
    assert!(!trace.breaks("monitor/order"));
    // Another way to what was seen under the gate.
    nested(&mut trace, 2, &[&first, &second]);
    assert!(trace.breaks("monitor/order"));
}

#[test]
fn orders_are_those_of_the_monitors_not_of_their_addresses() {
    let [first, second] = [0x1000, 0x2000].map(Value::Pointer);
    let nested = |trace: &mut Trace, thread: u32, outer: &Value, inner: &Value| {
        for monitor in [outer, inner] {
            trace.call(thread, "RawMonitorEnter", std::slice::from_ref(monitor), 0);
        }
        for monitor in [inner, outer] {
            trace.call(thread, "RawMonitorExit", std::slice::from_ref(monitor), 0);
        }
    };
    let destroy = |trace: &mut Trace, monitor: &Value| {
        trace.call(1, "DestroyRawMonitor", std::slice::from_ref(monitor), 0);
    };
    let mut trace = Trace::new();
    nested(&mut trace, 1, &first, &second);
    destroy(&mut trace, &first);
    // Another one at the address of the first.
    trace.call(1, "CreateRawMonitor", &[Value::Str(b"third".to_vec()), Value::Pointer(8)], 0);
    nested(&mut trace, 2, &second, &first);
    assert!(!trace.breaks("monitor/order"));
    nested(&mut trace, 1, &first, &second);
    destroy(&mut trace, &second);
    destroy(&mut trace, &first);
    assert!(trace.breaks("monitor/order"));
}

#[test]
fn three_monitors_in_a_circle_are_a_hazard_unless_a_common_one_keeps_them_apart() {
    let monitor = |n: u64| Value::Pointer(n * 0x1000);
    let circle = |gate: Option<u64>, last: (u64, u64)| {
        let mut trace = Trace::new();
        for (thread, (outer, inner)) in (1..).zip([(1, 2), (2, 3), last]) {
            let way: Vec<Value> = gate.into_iter().chain([outer, inner]).map(monitor).collect();
            way.iter().for_each(|m| trace.call(thread, "RawMonitorEnter", std::slice::from_ref(m), 0));
            way.iter().rev().for_each(|m| trace.call(thread, "RawMonitorExit", std::slice::from_ref(m), 0));
        }
        trace.findings().into_iter().find(|finding| finding.rule == "monitor/order")
    };
    assert_eq!(circle(None, (3, 1)).expect("a hazard").related.len(), 2);
    assert!(circle(Some(9), (3, 1)).is_none());
    assert!(circle(None, (1, 3)).is_none());
}

#[test]
fn threads_that_wait_for_each_other_at_the_end_are_deadlocked() {
    let [first, second] = [0x1000, 0x2000].map(Value::Pointer);
    let (first, second) = (std::slice::from_ref(&first), std::slice::from_ref(&second));
    let mut trace = Trace::new();
    trace.end = End { exit: Some(Exit::TimedOut), ..WHOLE };
    trace.call(1, "RawMonitorEnter", first, 0);
    trace.call(2, "RawMonitorEnter", second, 0);
    trace.begin(1, "RawMonitorEnter", second);
    // The holder may still exit it.
    assert!(!trace.breaks("monitor/deadlock"));
    trace.begin(2, "RawMonitorEnter", first);
    let findings = trace.findings();
    let found = findings.iter().find(|finding| finding.rule == "monitor/deadlock").expect("found");
    assert_eq!(found.related.len(), 1, "{found:?}");
    assert!(found.what.contains("waits for monitor 0x2000, which thread 2"), "{found:?}");
}

#[test]
fn a_wait_gives_up_one_monitor_and_enters_it_again() {
    let [first, second] = [0x1000, 0x2000].map(Value::Pointer);
    let (first, second) = (std::slice::from_ref(&first), std::slice::from_ref(&second));
    let waits = [second[0].clone(), Value::Int(0)];
    let mut trace = Trace::new();
    trace.call(1, "RawMonitorEnter", second, 0);
    let wait = trace.begin(1, "RawMonitorWait", &waits);
    trace.call(2, "RawMonitorEnter", first, 0);
    trace.begin(2, "RawMonitorEnter", second);
    assert!(!trace.breaks("monitor/deadlock"));
    trace.end(1, wait, 0, &[]);
    trace.begin(1, "RawMonitorEnter", first);
    assert!(trace.breaks("monitor/deadlock"));

    // A thread waits for a notification while it holds what its notifier needs.
    let mut trace = Trace::new();
    trace.call(1, "RawMonitorEnter", first, 0);
    trace.call(1, "RawMonitorEnter", second, 0);
    trace.begin(1, "RawMonitorWait", &waits);
    trace.call(2, "RawMonitorEnter", second, 0);
    trace.begin(2, "RawMonitorEnter", first);
    assert!(trace.breaks("monitor/deadlock"));
}

#[test]
fn a_wait_under_a_monitor_that_every_notifying_thread_holds_is_hopeless() {
    let [outer, inner] = [0x1000, 0x2000].map(Value::Pointer);
    let (outer, inner) = (std::slice::from_ref(&outer), std::slice::from_ref(&inner));
    let waits = || {
        let mut trace = Trace::new();
        trace.call(1, "RawMonitorEnter", outer, 0);
        trace.call(1, "RawMonitorEnter", inner, 0);
        trace
    };
    let notifies = |trace: &mut Trace, thread: u32, held: &[&[Value]]| {
        held.iter().for_each(|monitor| trace.call(thread, "RawMonitorEnter", monitor, 0));
        trace.call(thread, "RawMonitorNotify", inner, 0);
        held.iter().rev().for_each(|monitor| trace.call(thread, "RawMonitorExit", monitor, 0));
    };
    let mut trace = waits();
    trace.call(1, "RawMonitorWait", inner, 0);
    trace.call(1, "RawMonitorExit", inner, 0);
    trace.call(1, "RawMonitorExit", outer, 0);
    assert!(!trace.breaks("monitor/nested-wait"));
    notifies(&mut trace, 2, &[outer, inner]);
    assert!(trace.breaks("monitor/nested-wait"));
    // Somebody can notify it.
    notifies(&mut trace, 3, &[inner]);
    assert!(!trace.breaks("monitor/nested-wait"));
    // Nobody has notified it yet, and one that may have meant to is kept out.
    let mut trace = waits();
    trace.begin(1, "RawMonitorWait", inner);
    assert!(!trace.breaks("monitor/nested-wait"));
    trace.begin(2, "RawMonitorEnter", outer);
    assert!(trace.breaks("monitor/nested-wait") && !trace.breaks("monitor/deadlock"));
}

#[test]
fn a_monitor_is_destroyed_when_nobody_waits_for_it() {
    let monitor = std::slice::from_ref(&MONITOR);
    let mut trace = Trace::new();
    trace.call(1, "RawMonitorEnter", monitor, 0);
    let waiting = trace.begin(1, "RawMonitorWait", monitor);
    // It has been entered by another thread.
    trace.call(2, "DestroyRawMonitor", monitor, INVALID);
    assert!(!trace.breaks("monitor/awaited"));
    trace.end(1, waiting, 0, &[]);
    trace.call(1, "RawMonitorExit", monitor, 0);
    trace.call(1, "RawMonitorEnter", monitor, 0);
    trace.begin(1, "RawMonitorWait", monitor);
    trace.call(2, "DestroyRawMonitor", monitor, 0);
    assert!(trace.breaks("monitor/awaited"));
}

#[test]
fn monitors_of_java_objects_have_an_order_too() {
    let java = |trace: &mut Trace, thread: u32, changes: &[MonitorChange]| {
        for change in changes {
            trace.add(thread, Body::JavaMonitor { object: ObjectId(7), change: *change, site: 1 });
        }
    };
    let (enter, exit) = ([MonitorChange::Wanted, MonitorChange::Entered], [MonitorChange::Exited]);
    let mut trace = Trace::new();
    java(&mut trace, 1, &enter);
    trace.call(1, "RawMonitorEnter", &[MONITOR], 0);
    trace.call(1, "RawMonitorExit", &[MONITOR], 0);
    java(&mut trace, 1, &exit);
    java(&mut trace, 2, &[MonitorChange::Wanted, MonitorChange::Refused]);
    trace.call(2, "RawMonitorEnter", &[MONITOR], 0);
    assert!(!trace.breaks("monitor/order"));
    java(&mut trace, 2, &enter[..1]);
    assert!(trace.breaks("monitor/order"));
    // The first thread holds the other one: now they wait for each other.
    java(&mut trace, 1, &enter);
    trace.begin(1, "RawMonitorEnter", &[MONITOR]);
    assert!(trace.breaks("monitor/deadlock"));
    trace.add(3, Body::JavaMonitor { object: ObjectId(0), change: MonitorChange::Unfollowed, site: 0 });
    assert!(!trace.breaks("monitor/deadlock"));
}

/// Thread 1 enters the raw monitor in a callback, and wants the monitor of an object.
fn wants_of_object_under_raw() -> Trace {
    let mut trace = Trace::new();
    trace.end = End { exit: Some(Exit::TimedOut), ..WHOLE };
    let started =
        trace.spec.events.iter().find(|event| event.name == "ThreadStart").expect("it exists").number;
    trace
        .add(1, Body::Event { environment: 1, event: started, args: vec![Value::Pointer(8), Value::Opaque] });
    trace.call(1, "RawMonitorEnter", &[MONITOR], 0);
    trace.add(1, Body::JavaMonitor { object: ObjectId(7), change: MonitorChange::Wanted, site: 1 });
    trace
}

/// A callback on thread 2 tells that it has entered the monitor of the object.
fn contended(trace: &mut Trace) -> u16 {
    let event = trace.spec.events.iter().find(|event| event.name == "MonitorContendedEntered");
    let event = event.expect("it exists").number;
    let args = vec![Value::Pointer(8), Value::Opaque, Value::Object(ObjectId(7))];
    trace.add(2, Body::Event { environment: 1, event, args });
    event
}

#[test]
fn a_callback_tells_what_java_code_has_entered() {
    let mut trace = wants_of_object_under_raw();
    let event = contended(&mut trace);
    assert!(!trace.breaks("monitor/deadlock") && !trace.breaks("monitor/order"));
    trace.begin(2, "RawMonitorEnter", &[MONITOR]);
    assert!(trace.breaks("monitor/deadlock") && !trace.breaks("monitor/kept"));

    // When the callback has returned, nothing tells what the thread holds.
    let mut trace = wants_of_object_under_raw();
    assert_eq!(contended(&mut trace), event);
    trace.add(2, Body::EventEnd { event });
    trace.begin(2, "RawMonitorEnter", &[MONITOR]);
    assert!(!trace.breaks("monitor/deadlock") && !trace.breaks("monitor/order"));
}

#[test]
fn a_callback_that_waits_for_java_code_keeps_others_out() {
    let at = |trace: &mut Trace, at: u64| trace.records.last_mut().expect("there is one").at = at;
    let mut trace = wants_of_object_under_raw();
    trace.begin(3, "RawMonitorEnter", &[MONITOR]);
    assert!(!trace.breaks("monitor/kept"));
    trace.add(1, Body::LocalsKnown { known: false });
    at(&mut trace, 3_000_000_000);
    let findings = trace.findings();
    let found = findings.iter().find(|finding| finding.rule == "monitor/kept").expect("found");
    assert!(found.what.contains("which Java code holds"), "{found:?}");
    // Native code holds that monitor: it may be about to exit it.
    let mut trace = wants_of_object_under_raw();
    trace.add(4, Body::JavaMonitor { object: ObjectId(7), change: MonitorChange::Entered, site: 1 });
    trace.begin(3, "RawMonitorEnter", &[MONITOR]);
    trace.add(1, Body::LocalsKnown { known: false });
    at(&mut trace, 3_000_000_000);
    assert!(!trace.breaks("monitor/kept"));
}

#[test]
fn a_loop_exits_what_it_enters() {
    let breaks = |times: usize, leaves: bool| {
        let mut trace = Trace::new();
        trace.add(1, Body::Event { environment: 1, event: VM_START, args: Vec::new() });
        trace.add(1, Body::EventEnd { event: VM_START });
        for _ in 0..times {
            trace.call(1, "RawMonitorEnter", &[MONITOR], 0);
            if leaves {
                trace.call(1, "RawMonitorExit", &[MONITOR], 0);
            }
        }
        trace.breaks("monitor/left-entered")
    };
    assert!(breaks(32, false));
    assert!(!breaks(31, false) && !breaks(100, true));
}

/// The callback for VMInit on thread 1 waits for a notification until the program is killed, after `more` on other threads.
fn waits(timeout: i64, more: &dyn Fn(&mut Trace)) -> bool {
    let mut trace = Trace::new();
    trace.add(9, Body::Event { environment: 9, event: VM_START, args: Vec::new() });
    let init = trace.spec.events.iter().find(|event| event.name == "VMInit").expect("it exists").number;
    trace.add(1, Body::Event { environment: 1, event: init, args: vec![Value::Pointer(8), Value::Opaque] });
    trace.call(1, "RawMonitorEnter", &[MONITOR], 0);
    more(&mut trace);
    trace.begin(1, "RawMonitorWait", &[MONITOR, Value::Int(timeout)]);
    trace.add(0, Body::GlobalsKnown { known: true });
    trace.records.last_mut().expect("there are some").at += 3_000_000_000;
    trace.end = End { whole: false, gapless: true, exit: Some(Exit::TimedOut) };
    trace.breaks("callback/stuck")
}

#[test]
fn a_callback_waits_in_vain_if_all_threads_of_the_agent_wait() {
    assert!(waits(0, &|_| {}));
    // With a time-out, it waits again and again.
    assert!(waits(100, &|_| {}));
    // It may notify.
    let calls = |trace: &mut Trace| trace.call(2, "GetPhase", &[Value::Pointer(8)], 0);
    assert!(!waits(0, &calls));
    assert!(waits(0, &|trace| {
        calls(trace);
        trace.add(2, Body::ThreadEnds);
    }));
    assert!(waits(0, &|trace| {
        calls(trace);
        trace.begin(2, "RawMonitorWait", &[MONITOR, Value::Int(0)]);
    }));
}

/// A callback on thread 1 does not return before the JVM tells thread 2 that it ends.
fn stopped(exit: Exit) -> bool {
    let mut trace = Trace::new();
    let event = |name: &str| trace.spec.events.iter().find(|event| event.name == name).unwrap().number;
    let [started, death] = [event("ThreadStart"), event("VMDeath")];
    let args = vec![Value::Pointer(8), Value::Opaque];
    trace.add(1, Body::Event { environment: 1, event: started, args });
    trace.add(2, Body::Event { environment: 9, event: death, args: Vec::new() });
    trace.records.last_mut().expect("there are some").at += 3_000_000_000;
    trace.add(1, Body::EventEnd { event: started });
    trace.end = End { whole: true, gapless: true, exit: Some(exit) };
    trace.breaks("callback/stuck")
}

#[test]
fn what_keeps_a_program_from_going_on_counts_before_it_is_told_to_end() {
    assert!(stopped(Exit::TimedOut) && !stopped(Exit::Code(0)));
}
