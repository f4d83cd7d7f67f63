//! A rule on the contents of strings and arrays that callback after callback gets by JNI and nobody releases.

use std::collections::BTreeMap;

use jvmti_wire::trace::{Body, NativeCode, Record};

use super::{End, Info, MANY_CALLBACKS, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static KEPT: Info = Info {
    id: "jni/growing",
    severity: Severity::Warning,
    anchor: "eventIntro",
    says: "release the contents of strings and arrays that you get: here each callback, or each round of a loop, keeps more memory",
};

/// What the callbacks got at a call site that kept some of it.
struct Kept {
    callbacks: usize,
    contents: u64,
    first: When,
}

#[derive(Default)]
pub(super) struct KeptContents {
    kept: BTreeMap<(u16, u32), Kept>,
    /// What callbacks released beyond what they had got.
    released: u64,
    /// What threads hold that are in no callback and no native method: how many, and where the first ones come from.
    threads: BTreeMap<u32, (u32, (u16, u32), When)>,
}

impl MisuseRule for KeptContents {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        let (TraceEvent::Other, Body::Native(NativeCode::ContentsKept { function, site, got, released })) =
            (trace_event, &record.body)
        else {
            return;
        };
        if state.delivery(record.thread).is_none() && state.native_method(record.thread).is_none() {
            let held = got.saturating_sub(*released);
            self.threads.insert(record.thread, (held, (*function, *site), record.into()));
            return;
        }
        match got.checked_sub(*released) {
            None => self.released += u64::from(released - got),
            Some(contents) => {
                let new = || Kept { callbacks: 0, contents: 0, first: record.into() };
                let kept = self.kept.entry((*function, *site)).or_insert_with(new);
                kept.callbacks += 1;
                kept.contents += u64::from(contents);
            }
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        for (thread, (held, (function, site), when)) in self.threads.iter().filter(|_| end.gapless) {
            if *held >= MANY_CALLBACKS as u32 {
                let name = jvmti_traces::jni::name(*function);
                found.add(&KEPT, (state, *when), (*site, &name), || {
                    let thread = state.names.thread(*thread);
                    format!("thread {thread} got {held} strings or arrays more, from {name} for one, than it released")
                });
            }
        }
        for ((function, site), kept) in self.kept.iter().filter(|_| end.gapless) {
            let (callbacks, contents) = (kept.callbacks, kept.contents);
            if callbacks < MANY_CALLBACKS || self.released * 2 > contents {
                continue;
            }
            let name = jvmti_traces::jni::name(*function);
            found.add(&KEPT, (state, kept.first), (*site, &name), || {
                format!("{callbacks} callbacks or native methods got {contents} strings or arrays more, from {name} for one, than they released")
            });
        }
    }
}
