//! A rule on raw monitors that callback after callback creates and nobody destroys.

use std::collections::BTreeMap;

use jvmti_wire::Value;
use jvmti_wire::trace::Record;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{End, Info, MANY_CALLBACKS, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static GROWING: Info = Info {
    id: "monitor/growing",
    severity: Severity::Warning,
    anchor: "DestroyRawMonitor",
    says: "destroy the raw monitors that a callback creates: here there are more with each callback",
};

/// A raw monitor that a callback created: the call site, and when the callback began.
struct Created {
    site: u32,
    began: u64,
    when: When,
}

#[derive(Default)]
pub(super) struct GrowingMonitors {
    alive: FxHashMap<u64, Created>,
    /// How many monitors callbacks have created at each call site.
    all: FxHashMap<u32, u64>,
}

impl MisuseRule for GrowingMonitors {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        match trace_event {
            // Before the end of the call is recorded, another one may be created at the address.
            TraceEvent::Begun(call) if state.names.function(call.function) == "DestroyRawMonitor" => {
                if let Some(Value::Pointer(monitor)) = call.args.first() {
                    self.alive.remove(monitor);
                }
            }
            TraceEvent::Returned { call, code: 0, outputs, .. }
                if state.names.function(call.function) == "CreateRawMonitor" =>
            {
                let monitor = outputs.iter().find_map(|(_, value)| match value {
                    Value::Pointer(monitor) => Some(*monitor),
                    _ => None,
                });
                let (Some(monitor), Some(delivery)) = (monitor, state.delivery(record.thread)) else {
                    return;
                };
                *self.all.entry(call.site).or_default() += 1;
                let created = Created { site: call.site, began: delivery.at, when: record.into() };
                self.alive.insert(monitor, created);
            }
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        let mut kept: BTreeMap<u32, (u64, When, FxHashSet<u64>)> = BTreeMap::new();
        for created in self.alive.values().filter(|_| end.gapless) {
            let new = || (0, created.when, FxHashSet::default());
            let (count, first, callbacks) = kept.entry(created.site).or_insert_with(new);
            *count += 1;
            if created.when.at < first.at {
                *first = created.when;
            }
            callbacks.insert(created.began);
        }
        for (site, (count, first, callbacks)) in kept {
            let (all, callbacks) = (self.all.get(&site).copied().unwrap_or(0), callbacks.len());
            if callbacks < MANY_CALLBACKS || count * 2 < all {
                continue;
            }
            found.add(&GROWING, (state, first), (site, "CreateRawMonitor"), || {
                format!(
                    "{count} of {all} raw monitors from here were never destroyed, in {callbacks} callbacks"
                )
            });
        }
    }
}
