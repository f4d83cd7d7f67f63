//! A rule on what a callback for CompiledMethodUnload does with the method that it gets.

use jvmti_wire::Value;
use jvmti_wire::trace::Record;
use rustc_hash::FxHashMap;

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static UNLOADED: Info = Info {
    id: "method/unloaded",
    severity: Severity::Warning,
    anchor: "CompiledMethodUnload",
    says: "use the method id of CompiledMethodUnload only to recognise the method, not as an argument: its class may be gone",
};

/// The method whose code was unloaded, by the thread that is in the callback.
#[derive(Default)]
pub(super) struct CompiledMethods(FxHashMap<u32, u64>);

impl MisuseRule for CompiledMethods {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Entered(delivery, args) if delivery.name == "CompiledMethodUnload" => {
                if let Some(Value::Method(method)) = args.first() {
                    self.0.insert(record.thread, *method);
                }
            }
            TraceEvent::Left { delivery, .. } if delivery.name == "CompiledMethodUnload" => {
                self.0.remove(&record.thread);
            }
            TraceEvent::Begun(call) => {
                let Some(method) = self.0.get(&record.thread) else { return };
                if !call.args.contains(&Value::Method(*method)) {
                    return;
                }
                let name = state.names.function(call.function);
                found.add(&UNLOADED, (state, record), (call.site, &name), || {
                    format!("{name} of the method whose code was unloaded, in the callback of CompiledMethodUnload")
                });
            }
            _ => {}
        }
    }
}
