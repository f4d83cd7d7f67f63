//! Local references in traces that are written down here.

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
