//! What ends, or does not, in traces that are written down here.

use jvmti_wire::trace::{NativeCode, ReferenceKind};

use super::*;

fn event(trace: &Trace, name: &str) -> u16 {
    trace.spec.events.iter().find(|event| event.name == name).expect("it exists").number
}

fn enter(trace: &mut Trace, thread: u32, name: &str, args: &[Value]) -> u16 {
    let event = event(trace, name);
    trace.add(thread, Body::Event { environment: 1, event, args: args.to_vec() });
    trace.add(thread, Body::LocalsKnown { known: true });
    event
}

/// A callback on thread 1 gets a reference, and the thread ends; then one on thread 2, which may get others, passes it on.
fn left_by_a_thread(more: &dyn Fn(&mut Trace)) -> Trace {
    let mut trace = Trace::new();
    let started = enter(&mut trace, 1, "ThreadStart", &[Value::Pointer(8), Value::Reference(0x7000)]);
    trace.add(1, Body::EventEnd { event: started });
    trace.add(1, Body::ThreadEnds);
    enter(&mut trace, 2, "ThreadStart", &[Value::Pointer(8), Value::Reference(0x7100)]);
    more(&mut trace);
    trace.add(2, Body::Native(NativeCode::ReferenceUsed { function: 24, site: 1, handle: 0x7000 }));
    trace.add(2, Body::EventEnd { event: started });
    trace
}

#[test]
fn the_references_of_a_thread_end_with_it() {
    assert!(left_by_a_thread(&|_| {}).breaks("reference/returned"));
    // The native code may have got the value, or did, or it is that of a global reference.
    for body in [
        Body::LocalsKnown { known: false },
        Body::ReferencesGiven { handles: vec![0x7000] },
        Body::GlobalCreated { handle: 0x7000, weak: false },
        Body::GlobalsKnown { known: false },
    ] {
        let trace = left_by_a_thread(&|trace| {
            trace.add(2, body.clone());
        });
        assert!(!trace.breaks("reference/returned"), "{body:?}");
    }
    // Another thread has got the value, and may still have it.
    let trace = left_by_a_thread(&|trace| {
        trace.add(3, Body::ReferencesGiven { handles: vec![0x7000] });
    });
    assert!(!trace.breaks("reference/returned"));
}

#[test]
fn a_reference_is_deleted_once() {
    let deleted = |kind| Body::ReferenceDeleted { handle: 0x9000, kind, site: 1 };
    let created = Body::GlobalCreated { handle: 0x9000, weak: false };
    let breaks = |bodies: &[Body]| {
        let mut trace = Trace::new();
        enter(&mut trace, 1, "ThreadStart", &[Value::Pointer(8), Value::Reference(0x7000)]);
        for body in bodies {
            trace.add(1, body.clone());
        }
        trace.breaks("reference/deleted")
    };
    let global = deleted(ReferenceKind::Global);
    assert!(breaks(&[created.clone(), global.clone(), global.clone()]));
    assert!(!breaks(&[created.clone(), global.clone(), created, global]));
    let (local, given) = (deleted(ReferenceKind::Local), Body::ReferencesGiven { handles: vec![0x9000] });
    assert!(breaks(&[given.clone(), local.clone(), local.clone()]));
    assert!(!breaks(&[given.clone(), local.clone(), given.clone(), local.clone()]));
    // The native code may have got the value again.
    assert!(!breaks(&[given, local.clone(), Body::LocalsKnown { known: false }, local]));
}

#[test]
fn a_callback_pops_what_it_pushes() {
    let breaks = |pushes: &[bool]| {
        let mut trace = Trace::new();
        let event = enter(&mut trace, 1, "VMInit", &[Value::Pointer(8), Value::Reference(0x7000)]);
        for pushed in pushes {
            trace.add(1, Body::Native(NativeCode::LocalFrame { pushed: *pushed }));
        }
        trace.add(1, Body::EventEnd { event });
        trace.breaks("jni/local-frames")
    };
    assert!(breaks(&[true]) && breaks(&[false]) && breaks(&[true, false, false]));
    assert!(!breaks(&[]) && !breaks(&[true, true, false, false]));
}

#[test]
fn the_method_of_unloaded_code_is_no_argument() {
    let breaks = |method: u64, within: bool| {
        let mut trace = Trace::new();
        let event = event(&trace, "CompiledMethodUnload");
        let args = vec![Value::Method(0x30), Value::Pointer(0x40)];
        trace.add(1, Body::Event { environment: 1, event, args });
        if !within {
            trace.add(1, Body::EventEnd { event });
        }
        trace.call(1, "GetMethodName", &[Value::Method(method), Value::Null, Value::Null, Value::Null], 0);
        trace.breaks("method/unloaded")
    };
    assert!(breaks(0x30, true));
    assert!(!breaks(0x38, true) && !breaks(0x30, false));
}

/// In the callback for VMInit, thread 1 enters a monitor for which thread 2 waits when the program ends after `more`.
fn kept(exit: Exit, more: &dyn Fn(&mut Trace)) -> bool {
    let mut trace = Trace::new();
    enter(&mut trace, 1, "VMInit", &[Value::Pointer(8), Value::Reference(0x7000)]);
    trace.call(1, "RawMonitorEnter", &[MONITOR], 0);
    trace.begin(2, "RawMonitorEnter", &[MONITOR]);
    more(&mut trace);
    trace.add(0, Body::GlobalsKnown { known: true });
    trace.records.last_mut().expect("there are some").at += 3_000_000_000;
    trace.end = End { whole: matches!(exit, Exit::Code(_)), gapless: true, exit: Some(exit) };
    trace.breaks("monitor/kept")
}

#[test]
fn a_monitor_is_kept_when_the_program_is_killed() {
    assert!(kept(Exit::TimedOut, &|_| {}));
    assert!(!kept(Exit::Code(0), &|_| {}));
    assert!(!kept(Exit::TimedOut, &|trace| trace.call(1, "RawMonitorExit", &[MONITOR], 0)));
    // Another rule tells of a thread that waits for a monitor itself.
    assert!(!kept(Exit::TimedOut, &|trace| {
        trace.begin(1, "RawMonitorEnter", &[Value::Pointer(0x2000)]);
    }));
}

#[test]
fn a_user_thread_is_attached_when_the_program_is_killed() {
    let breaks = |exit: Exit, detaches: bool| {
        let mut trace = Trace::new();
        let place = CodePlace { library: "/opt/libfoo.so".into(), offset: 16, symbol: String::new() };
        trace.add(1, Body::SiteSeen { site: 1, stack: vec![place] });
        trace.add(2, Body::Native(NativeCode::UserThread { attached: true, site: 1 }));
        if detaches {
            trace.add(2, Body::Native(NativeCode::UserThread { attached: false, site: 1 }));
        }
        trace.add(1, Body::GlobalsKnown { known: true });
        trace.records.last_mut().expect("there are some").at += 3_000_000_000;
        trace.end = End { whole: matches!(exit, Exit::Code(_)), gapless: true, exit: Some(exit) };
        trace.breaks("thread/user")
    };
    assert!(breaks(Exit::TimedOut, false));
    assert!(!breaks(Exit::TimedOut, true) && !breaks(Exit::Code(0), false));
}
