//! What grows with the work of agents, in traces that are written down here.

use jvmti_wire::trace::{NativeCode, ReferenceKind};

use super::*;

/// Calls on thread 1, `each` of them in a round of a loop, or in the callback for ThreadStart.
fn rounds(count: u64, in_callback: bool, each: &dyn Fn(&mut Trace, u64)) -> Trace {
    let mut trace = Trace::new();
    let event = trace.spec.events.iter().find(|event| event.name == "ThreadStart").expect("it exists").number;
    for n in 1..=count {
        if in_callback {
            trace.add(1, Body::Event { environment: 1, event, args: Vec::new() });
        } else {
            trace.call(1, "RawMonitorWait", &[MONITOR, Value::Int(10)], 0);
        }
        each(&mut trace, n);
        if in_callback {
            trace.add(1, Body::EventEnd { event });
        }
    }
    trace
}

fn gives(trace: &mut Trace, function: &str, blocks: &[u64]) {
    let call = trace.begin(1, function, &[Value::Method(7), Value::Pointer(8), Value::Pointer(16)]);
    trace.add(1, Body::Blocks { call, blocks: blocks.iter().map(|block| (2, *block)).collect() });
    trace.end(1, call, 0, &[]);
}

#[test]
fn one_of_many_blocks_of_each_call_grows_too() {
    let kept = |count: u64| {
        rounds(count, true, &|trace, n| {
            let blocks = [1, 2, 3, 4].map(|block| n << 16 | block << 8);
            gives(trace, "GetLocalVariableTable", &blocks);
            for block in &blocks[1..] {
                trace.call(1, "Deallocate", &[Value::Pointer(*block)], 0);
            }
        })
    };
    let findings = kept(40).findings();
    let found = findings.iter().find(|finding| finding.rule == "memory/growing").expect("found");
    assert!(found.what.starts_with("memory within table_ptr of GetLocalVariableTable"), "{found:?}");
    assert!(found.what.ends_with("40 of 160 blocks from here were never deallocated, in 40 callbacks"));
    assert!(!kept(20).breaks("memory/growing"));
}

#[test]
fn a_loop_on_a_thread_may_keep_memory() {
    let kept = |frees: bool| {
        rounds(40, false, &|trace, n| {
            gives(trace, "GetLocalVariableTable", &[n << 8]);
            if frees {
                trace.call(1, "Deallocate", &[Value::Pointer(n << 8)], 0);
            }
        })
    };
    let findings = kept(false).findings();
    let found = findings.iter().find(|finding| finding.rule == "memory/growing").expect("found");
    assert!(found.what.ends_with("in 40 rounds of a loop, each after a call of RawMonitorWait"), "{found:?}");
    assert!(!kept(true).breaks("memory/growing"));
}

#[test]
fn a_loop_on_a_thread_may_keep_references() {
    let kept = |count: u64, deletes: bool| {
        rounds(count, false, &|trace, n| {
            trace.add(1, Body::GlobalCreated { handle: n << 8, weak: false });
            if deletes {
                let kind = ReferenceKind::Global;
                trace.add(1, Body::ReferenceDeleted { handle: n << 8, kind, site: 1 });
            }
        })
    };
    let findings = kept(40, false).findings();
    let found = findings.iter().find(|finding| finding.rule == "reference/growing").expect("found");
    assert_eq!(found.of, "RawMonitorWait");
    assert!(!kept(40, true).breaks("reference/growing") && !kept(20, false).breaks("reference/growing"));
    // One round that creates many is no loop.
    let trace = rounds(1, false, &|trace, _| {
        for n in 1..100 {
            trace.add(1, Body::GlobalCreated { handle: n << 8, weak: false });
        }
    });
    assert!(!trace.breaks("reference/growing"));
}

/// Thread 1 looks at the state of two threads, over and over, and keeps a reference in each of the first rounds.
fn looks(count: u64, keeping: u64) -> Trace {
    let mut trace = Trace::new();
    for n in 1..=count {
        for thread in [0x9000, 0x9008] {
            trace.call(1, "GetThreadState", &[Value::Reference(thread)], 0);
        }
        if n <= keeping {
            trace.add(1, Body::GlobalCreated { handle: n << 16, weak: false });
        }
    }
    trace
}

#[test]
fn a_loop_that_looks_at_something_again_may_keep_references() {
    let findings = looks(40, 40).findings();
    let found = findings.iter().find(|finding| finding.rule == "reference/growing").expect("found");
    assert!(
        found.what.ends_with("its calls of GetThreadState were never deleted, in 39 rounds"),
        "{found:?}"
    );
    assert!(!looks(20, 20).breaks("reference/growing"));
    // What it remembers at first sight does not grow with the rounds.
    assert!(!looks(100, 40).breaks("reference/growing"));
}

#[test]
fn environments_grow_on_threads_of_agents_too() {
    let grows = |count: u32, disposed: bool| {
        let mut trace = Trace::new();
        for environment in 10..10 + count {
            trace.add(environment, Body::EnvironmentMade { environment, case: None, index: 0, code: 0 });
            let asked = Body::AgentEnvironment {
                environment,
                site: 1,
                version: 0x3001_0200,
                pointer: environment.into(),
            };
            trace.add(environment, asked);
            if disposed {
                trace.add(environment, Body::EnvironmentGone { environment });
            }
        }
        trace.breaks("environment/growing")
    };
    assert!(grows(40, false) && !grows(20, false) && !grows(40, true));
}

#[test]
fn global_references_grow_in_native_methods_too() {
    let grows = |deleted: bool| {
        let mut trace = Trace::new();
        let place = CodePlace { library: "/opt/libfoo.so".into(), offset: 16, symbol: String::new() };
        trace.add(1, Body::SiteSeen { site: 1, stack: vec![place] });
        for handle in 1..=40 {
            let entered = NativeCode::MethodEntered { name: "A.b".to_owned(), site: 1, handles: Vec::new() };
            trace.add(1, Body::Native(entered));
            trace.add(1, Body::Native(NativeCode::GlobalCreated { handle, weak: false, site: 1 }));
            if deleted {
                let kind = ReferenceKind::Global;
                trace.add(1, Body::ReferenceDeleted { handle, kind, site: 1 });
            }
            trace.add(1, Body::Native(NativeCode::MethodLeft));
        }
        trace.breaks("reference/growing")
    };
    assert!(grows(false) && !grows(true));
}
