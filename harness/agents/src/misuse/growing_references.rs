//! A rule on global and weak global references that callback after callback creates and nobody deletes.

use std::collections::BTreeMap;

use jvmti_wire::trace::{Body, Record, ReferenceKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{End, Info, MANY_CALLBACKS, MisuseRule, Place, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static GROWING: Info = Info {
    id: "reference/growing",
    severity: Severity::Warning,
    anchor: "refs",
    says: "delete the global references that a callback creates, weak ones too: here each callback keeps more of them",
};

/// Environment and event of a callback, and whether it is about weak references.
type Creator = (u32, u16, bool);

/// The callback that created a global reference.
struct Creation {
    callback: Creator,
    /// When it began.
    began: u64,
    when: When,
}

#[derive(Default)]
pub(super) struct GrowingReferences {
    alive: FxHashMap<u64, Creation>,
    /// How many references the callbacks for an event have created.
    created: FxHashMap<Creator, u64>,
}

impl MisuseRule for GrowingReferences {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        match (trace_event, &record.body) {
            (TraceEvent::Other, Body::GlobalCreated { handle, weak }) => {
                self.alive.remove(handle);
                let Some(delivery) = state.delivery(record.thread) else { return };
                let Some(event) = delivery.event else { return };
                let callback = (delivery.environment, event, *weak);
                *self.created.entry(callback).or_default() += 1;
                let created = Creation { callback, began: delivery.at, when: record.into() };
                self.alive.insert(*handle, created);
            }
            (TraceEvent::Other, Body::ReferenceDeleted { handle, kind, .. })
                if *kind != ReferenceKind::Local =>
            {
                self.alive.remove(handle);
            }
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        if !end.whole || !state.globals_known {
            return;
        }
        let mut kept: BTreeMap<Creator, (u64, When, FxHashSet<u64>)> = BTreeMap::new();
        for creation in self.alive.values() {
            let (count, first, callbacks) =
                kept.entry(creation.callback).or_insert_with(|| (0, creation.when, FxHashSet::default()));
            *count += 1;
            if creation.when.at < first.at {
                *first = creation.when;
            }
            callbacks.insert(creation.began);
        }
        for ((environment, event, weak), (count, first, callbacks)) in kept {
            let all = self.created.get(&(environment, event, weak)).copied().unwrap_or(0);
            if callbacks.len() < MANY_CALLBACKS || count * 2 < all {
                continue;
            }
            let name = state.names.event(event);
            found.add(&GROWING, (state, first), (Place::Callback(environment, event), &name), || {
                let (callbacks, kind) = (callbacks.len(), if weak { "weak global" } else { "global" });
                format!(
                    "{count} of {all} {kind} references that the callback of {name} created were never deleted, in \
                     {callbacks} callbacks"
                )
            });
        }
    }
}
