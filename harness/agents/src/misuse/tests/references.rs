//! Local references in traces that are written down here.

use jvmti_wire::trace::ReferenceKind;

use super::*;

/// A callback on thread 1 gets a reference, and thread 2 passes it on.
fn handed_over(more: &dyn Fn(&mut Trace)) -> Trace {
    let mut trace = Trace::new();
    let event = trace.spec.events.iter().find(|e| e.name == "ThreadStart").expect("it exists").number;
    let args = vec![Value::Pointer(8), Value::Reference(0x7000)];
    trace.add(1, Body::Event { environment: 1, event, args });
    trace.add(1, Body::EventEnd { event });
    more(&mut trace);
    trace.call(2, "GetThreadState", &[Value::Reference(0x7000)], 0);
    trace
}

#[test]
fn a_reference_is_good_on_one_thread_only() {
    let mut trace = handed_over(&|_| {});
    // The first thread may have ended, and the second one may have got its memory.
    assert!(!trace.breaks("reference/other-thread"));
    trace.call(1, "GetPhase", &[Value::Pointer(8)], 0);
    assert!(trace.breaks("reference/other-thread"));
}

#[test]
fn what_another_thread_got_itself_is_its_own() {
    let mut trace = handed_over(&|trace| {
        let call = trace.begin(2, "GetCurrentThread", &[Value::Pointer(8)]);
        trace.add(2, Body::ReferencesGiven { handles: vec![0x7000] });
        trace.end(2, call, 0, &[(0, Value::Object(ObjectId(3)))]);
    });
    trace.call(1, "GetPhase", &[Value::Pointer(8)], 0);
    assert!(!trace.breaks("reference/other-thread"));
    let mut trace = handed_over(&|trace| {
        trace.add(1, Body::ThreadEnds);
    });
    trace.call(1, "GetPhase", &[Value::Pointer(8)], 0);
    assert!(!trace.breaks("reference/other-thread"));
}

#[test]
fn a_global_reference_may_have_the_value_of_a_local_one() {
    let created = Body::GlobalCreated { handle: 0x7000, weak: false };
    let mut trace = handed_over(&|trace| {
        trace.add(1, created.clone());
    });
    trace.call(1, "GetPhase", &[Value::Pointer(8)], 0);
    assert!(!trace.breaks("reference/other-thread"));
    assert!(!kept(&[Body::LocalsKnown { known: true }, created]).breaks("reference/returned"));
}

/// Thread 1 uses a global reference, of which `before` tells what has happened to it.
fn used(before: &[Body]) -> Trace {
    let mut trace = Trace::new();
    before.iter().for_each(|body| {
        trace.add(2, body.clone());
    });
    trace.call(1, "GetObjectHashCode", &[Value::Reference(0x9000)], 0);
    trace
}

const CREATED: Body = Body::GlobalCreated { handle: 0x9000, weak: false };
const DELETED: Body = Body::ReferenceDeleted { handle: 0x9000, kind: ReferenceKind::Global, site: 1 };

#[test]
fn a_deleted_global_reference_is_gone_until_another_has_its_value() {
    assert!(used(&[CREATED, DELETED]).breaks("reference/deleted"));
    assert!(used(&[DELETED]).breaks("reference/deleted"));
    assert!(!used(&[CREATED]).breaks("reference/deleted"));
    assert!(!used(&[CREATED, DELETED, CREATED]).breaks("reference/deleted"));
    // Somebody may have got it unseen.
    assert!(!used(&[DELETED, Body::GlobalsKnown { known: false }]).breaks("reference/deleted"));
    let mut lossy = used(&[DELETED]);
    lossy.end = End { whole: false, gapless: false, exit: None };
    assert!(!lossy.breaks("reference/deleted"));
}

#[test]
fn a_weak_reference_may_be_to_nothing() {
    let trace = |weak: bool| {
        let mut trace = Trace::new();
        trace.add(1, Body::GlobalCreated { handle: 0x9000, weak });
        let invalid = trace.spec.error("INVALID_OBJECT").unwrap().number;
        trace.call(1, "GetObjectHashCode", &[Value::Reference(0x9000)], invalid);
        trace
    };
    assert!(trace(true).breaks("reference/cleared") && !trace(true).breaks("object/invalid"));
    assert!(!trace(false).breaks("reference/cleared") && trace(false).breaks("object/invalid"));
}

/// Two callbacks on thread 1. The first gets a reference, the second uses it after `between`.
fn kept(between: &[Body]) -> Trace {
    let mut trace = Trace::new();
    let event = trace.spec.events.iter().find(|e| e.name == "ThreadStart").expect("it exists").number;
    let begin =
        Body::Event { environment: 1, event, args: vec![Value::Pointer(8), Value::Reference(0x7000)] };
    trace.add(1, begin).add(1, Body::EventEnd { event });
    trace.add(
        1,
        Body::Event { environment: 1, event, args: vec![Value::Pointer(8), Value::Reference(0x7008)] },
    );
    between.iter().for_each(|body| {
        trace.add(1, body.clone());
    });
    trace.call(1, "GetThreadState", &[Value::Reference(0x7000)], 0);
    trace
}

#[test]
fn a_local_reference_is_gone_when_its_callback_has_returned() {
    const KNOWN: Body = Body::LocalsKnown { known: true };
    const UNKNOWN: Body = Body::LocalsKnown { known: false };
    assert!(kept(&[KNOWN]).breaks("reference/returned"));
    // JNI may have given another one with the same value.
    assert!(!kept(&[]).breaks("reference/returned"));
    assert!(!kept(&[KNOWN, UNKNOWN]).breaks("reference/returned"));
    assert!(!kept(&[KNOWN, Body::ReferencesGiven { handles: vec![0x7000] }]).breaks("reference/returned"));
    let deleted = Body::ReferenceDeleted { handle: 0x7000, kind: ReferenceKind::Local, site: 1 };
    assert!(kept(&[KNOWN, UNKNOWN, deleted.clone()]).breaks("reference/deleted"));
    assert!(!kept(&[KNOWN, deleted, UNKNOWN]).breaks("reference/deleted"));
}

#[test]
fn what_an_agent_finds_when_it_attaches_is_for_one_thread_too() {
    let trace = |ends: bool| {
        let mut trace = Trace::new();
        trace.add(1, Body::ReferencesGiven { handles: vec![0x7000] });
        if ends {
            trace.add(1, Body::ThreadEnds);
        }
        trace.call(2, "GetClassStatus", &[Value::Reference(0x7000)], 0);
        trace
    };
    assert!(trace(false).breaks("reference/other-thread"));
    assert!(!trace(true).breaks("reference/other-thread"));
}

#[test]
fn in_a_heap_callback_the_thread_does_not_matter() {
    let mut trace = handed_over(&|trace| {
        trace.begin(2, "IterateThroughHeap", &[]);
    });
    trace.call(1, "GetPhase", &[Value::Pointer(8)], 0);
    assert!(trace.breaks("callback/unsafe") && !trace.breaks("reference/other-thread"));
}
