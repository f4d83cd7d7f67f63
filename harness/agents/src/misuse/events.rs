//! Rules on enabling events and on setting callbacks for them.

use std::collections::BTreeMap;

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{End, Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static NOWHERE: Info = Info {
    id: "event/no-callback",
    severity: Severity::Warning,
    anchor: "SetEventCallbacks",
    says: "set a callback for every event that you enable",
};
pub(super) static LEFT: Info = Info {
    id: "event/left-enabled",
    severity: Severity::Note,
    anchor: "SetEventNotificationMode",
    says: "disable all events before the agent is unloaded",
};

#[derive(Default)]
pub(super) struct Enabled {
    /// Where and when each environment enabled each event.
    enabled: BTreeMap<(u32, u16), (u32, When)>,
    /// Environments and events that had a callback at some time.
    served: FxHashSet<(u32, u16)>,
    /// The events that have a callback now, by environment; none if the environment has removed all.
    current: FxHashMap<u32, Vec<u16>>,
    /// The size in bytes of the callbacks that each environment has passed last.
    sizes: FxHashMap<u32, i64>,
    /// Environments and extension events that had a callback at some time: it is set otherwise.
    extensions: FxHashSet<(u32, u16)>,
}

impl MisuseRule for Enabled {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Returned { call, code: 0, .. }
                if state.names.function(call.function) == "SetEventNotificationMode" =>
            {
                let [Value::Int(mode), Value::Int(event), ..] = call.args.as_slice() else { return };
                let Ok(event) = u16::try_from(*event) else { return };
                match mode {
                    1 => drop(self.enabled.insert((call.environment, event), (call.site, record.into()))),
                    _ => drop(self.enabled.remove(&(call.environment, event))),
                }
            }
            TraceEvent::Returned { call, code: 0, .. }
                if state.names.function(call.function) == "SetEventCallbacks" =>
            {
                if let [Value::Pointer(_), Value::Int(size)] = call.args.as_slice() {
                    self.sizes.insert(call.environment, *size);
                }
            }
            // SetExtensionEventCallback enables the event and sets its callback at once.
            TraceEvent::Returned { call, code: 0, .. }
                if state.names.function(call.function) == "SetExtensionEventCallback" =>
            {
                let [Value::Int(event), function] = call.args.as_slice() else { return };
                let Ok(event) = u16::try_from(*event) else { return };
                match function {
                    Value::Null => drop(self.enabled.remove(&(call.environment, event))),
                    _ => {
                        self.served.insert((call.environment, event));
                        self.extensions.insert((call.environment, event));
                    }
                }
            }
            TraceEvent::Other => match &record.body {
                Body::CallbacksSet { environment, functions } => {
                    self.served.extend(functions.iter().map(|(event, _)| (*environment, *event)));
                    let events = functions.iter().map(|(event, _)| *event).collect();
                    self.current.insert(*environment, events);
                }
                Body::EnvironmentGone { environment } => {
                    self.enabled.retain(|(of, _), _| of != environment);
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        if !end.whole {
            return;
        }
        for ((environment, event), (site, when)) in &self.enabled {
            if self.is_cut_off(*environment, *event) {
                continue;
            }
            let name = state.names.event(*event);
            let (info, what) = if !self.served.contains(&(*environment, *event)) {
                (&NOWHERE, "is enabled, but no callback was ever set for it")
            } else if !ONCE.contains(&name.as_str()) && self.is_replaced(*environment, *event) {
                (&NOWHERE, "is enabled, but a later SetEventCallbacks removed its callback and set others")
            } else if end.is_orderly() {
                (&LEFT, "was still enabled when the trace ended")
            } else {
                // An agent whose program is killed has no time to disable it.
                continue;
            };
            found.add(info, (state, *when), (*site, &name), || {
                format!("{name} of environment {environment} {what}")
            });
        }
    }
}

/// Events that do not come again: their callbacks are no longer needed.
const ONCE: [&str; 2] = ["VMStart", "VMInit"];

/// The first event, and the first one that a later version has added.
const FIRST: u16 = 50;
const FIRST_ADDED: u16 = 86;

impl Enabled {
    /// Whether the environment passed callbacks with a size that no version has, and that of the event lies beyond: another rule
    /// tells of the size.
    fn is_cut_off(&self, environment: u32, event: u16) -> bool {
        let size = self.sizes.get(&environment).filter(|size| **size > 0);
        let end = i64::from(event.saturating_sub(FIRST) + 1) * size_of::<usize>() as i64;
        (FIRST..FIRST_ADDED).contains(&event) && size.is_some_and(|size| *size < end)
    }

    /// Whether the environment has callbacks now, but none for this event, which is none of an extension.
    fn is_replaced(&self, environment: u32, event: u16) -> bool {
        let current = self.current.get(&environment).filter(|current| !current.is_empty());
        current.is_some_and(|current| !current.contains(&event))
            && !self.extensions.contains(&(environment, event))
    }
}
