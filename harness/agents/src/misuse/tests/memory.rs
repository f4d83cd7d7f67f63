//! Memory in traces that are written down here.

use super::*;

/// Asks for the same memory twice, with `between`.
fn given_twice(between: &dyn Fn(&mut Trace)) -> Trace {
    let mut trace = Trace::new();
    for n in 0..2 {
        let call = trace.begin(1, "GetThreadInfo", &[Value::Opaque, Value::Pointer(8)]);
        trace.add(1, Body::Blocks { call, blocks: vec![(1, 0x3000)] });
        trace.end(1, call, 0, &[(0, Value::Object(ObjectId(n)))]);
        between(&mut trace);
    }
    trace
}

#[test]
fn memory_that_is_given_again_was_freed() {
    let freed = given_twice(&|_| {});
    let rules: Vec<&str> = freed.findings().iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, ["memory/foreign-free"]);
    let deallocated = given_twice(&|trace| trace.call(1, "Deallocate", &[Value::Pointer(0x3000)], 0));
    assert!(deallocated.findings().is_empty());
    let event =
        deallocated.spec.events.iter().find(|event| event.name == "ClassFileLoadHook").unwrap().number;
    // The JVM frees it.
    let taken = given_twice(&|trace| {
        trace.add(1, Body::MemoryTaken { event, at: 0x3000 });
    });
    assert!(!taken.breaks("memory/foreign-free"));
    // The trace may lack what deallocated it.
    let mut lossy = given_twice(&|_| {});
    lossy.end = End { whole: false, gapless: false, exit: None };
    assert!(!lossy.breaks("memory/foreign-free"));
}

#[test]
fn what_describes_extensions_is_left_by_mistake_if_its_addresses_are_gone() {
    let leaks = |deallocated: &[u64]| {
        let mut trace = Trace::new();
        let call = trace.begin(1, "GetExtensionEvents", &[Value::Pointer(8), Value::Pointer(16)]);
        // The block that has the addresses of the others comes last.
        let blocks = vec![(1, 0x3000), (1, 0x4000), (1, 0x5000)];
        trace.add(1, Body::Blocks { call, blocks });
        trace.end(1, call, 0, &[]);
        for block in deallocated {
            trace.call(1, "Deallocate", &[Value::Pointer(*block)], 0);
        }
        trace.breaks("memory/leak")
    };
    assert!(leaks(&[0x5000]));
    // The agent may keep what it looks at.
    assert!(!leaks(&[]) && !leaks(&[0x5000, 0x4000]) && !leaks(&[0x5000, 0x4000, 0x3000]));
}
