//! A rule on signal handlers.

use jvmti_wire::trace::{Body, NativeCode, Record, SIGNAL_HANDLER};

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static HANDLER: Info = Info {
    id: "signal/handler",
    severity: Severity::Warning,
    anchor: "",
    says: "call no functions of JVM TI or JNI in signal handlers: no function is said to be async-signal-safe, and the thread may be \
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
        let (site, name) = match (trace_event, &record.body) {
            (TraceEvent::Begun(call), _) => (call.site, state.names.function(call.function)),
            // Of JNI, what the probe sees on each thread.
            (TraceEvent::Other, Body::Native(NativeCode::GlobalCreated { weak, site, .. })) => {
                (*site, if *weak { "NewWeakGlobalRef" } else { "NewGlobalRef" }.into())
            }
            _ => return,
        };
        if state.site(site).iter().any(|place| place.symbol == SIGNAL_HANDLER) {
            found.add(&HANDLER, (state, record), (site, &name), || format!("{name} in a signal handler"));
        }
    }
}
