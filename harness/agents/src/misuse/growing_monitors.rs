//! A rule on raw monitors that callback after callback creates and nobody destroys.

use jvmti_wire::Value;
use jvmti_wire::trace::Record;

use super::growth::{Growing, Growth};
use super::{End, Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static GROWING: Info = Info {
    id: "monitor/growing",
    severity: Severity::Warning,
    anchor: "DestroyRawMonitor",
    says: "destroy the raw monitors that a callback creates: here there are more with each callback",
};

/// By call site.
#[derive(Default)]
pub(super) struct GrowingMonitors(Growth<u32>);

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
                    self.0.ended(*monitor);
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
                self.0.created(record, delivery.at, call.site, monitor);
            }
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        if !end.gapless {
            return;
        }
        for Growing { creator: site, kept, all, rounds: callbacks, first } in self.0.growing() {
            found.add(&GROWING, (state, first), (site, "CreateRawMonitor"), || {
                format!(
                    "{kept} of {all} raw monitors from here were never destroyed, in {callbacks} callbacks"
                )
            });
        }
    }
}
