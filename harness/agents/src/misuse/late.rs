//! A rule on capabilities that an agent requests too late.

use std::collections::BTreeSet;

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::FxHashMap;

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, TraceEvent};
use crate::digest::{capabilities, named_in};

pub(super) static LATE: Info = Info {
    id: "capability/late",
    severity: Severity::Warning,
    anchor: "AddCapabilities",
    says: "add capabilities that a JVM offers only in OnLoad there; an agent that attaches later must do without them",
};

/// The capabilities that the JVM offers.
#[derive(Default)]
pub(super) struct Late {
    /// In OnLoad; empty if the JVM loaded the probe later.
    on_load: BTreeSet<String>,
    /// When each thread was last refused capabilities.
    now: FxHashMap<u32, BTreeSet<String>>,
    /// Some capabilities can be possessed by one environment at a time only.
    granted: BTreeSet<String>,
}

impl MisuseRule for Late {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        match (trace_event, &record.body) {
            (TraceEvent::Other, Body::Identity { key, value }) => {
                let names = || value.split_whitespace().map(str::to_owned).collect();
                match key.as_str() {
                    "capabilities.onload" => self.on_load = names(),
                    "capabilities.now" => drop(self.now.insert(record.thread, names())),
                    _ => {}
                }
            }
            (TraceEvent::Returned { call, code: 0, .. }, _) => {
                self.granted.extend(named_in(state, call, "AddCapabilities").unwrap_or_default());
            }
            (TraceEvent::Returned { call, .. }, _) => {
                let (Some(Value::Bytes(bits)), Some(now)) =
                    (call.args.first(), self.now.remove(&record.thread))
                else {
                    return;
                };
                let asked = capabilities(state.names.spec(), bits);
                let is_late = |name: &&String| self.on_load.contains(*name) && !self.granted.contains(*name);
                let late: Vec<&str> = asked.difference(&now).filter(is_late).map(String::as_str).collect();
                if !late.is_empty() {
                    found.add(&LATE, (state, record), (call.site, "AddCapabilities"), || {
                        format!("refused: {}, which this JVM offers only in OnLoad", late.join(", "))
                    });
                }
            }
            _ => {}
        }
    }
}
