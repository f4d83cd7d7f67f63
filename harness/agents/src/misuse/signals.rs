//! A rule on signal handlers.

use jvmti_wire::trace::{Record, SIGNAL_HANDLER};

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static HANDLER: Info = Info {
    id: "signal/handler",
    severity: Severity::Warning,
    anchor: "",
    says: "call no functions of JVM TI in signal handlers: no function is said to be async-signal-safe, and the thread may be \
           anywhere in the JVM",
};

/// Looks for signal handlers among the callers of functions.
pub(super) struct Signals;

impl MisuseRule for Signals {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let TraceEvent::Begun(call) = trace_event else { return };
        if state.site(call.site).iter().any(|place| place.symbol == SIGNAL_HANDLER) {
            let name = state.names.function(call.function);
            found
                .add(&HANDLER, (state, record), (call.site, &name), || format!("{name} in a signal handler"));
        }
    }
}
