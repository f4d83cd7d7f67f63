//! Rules on JNI exceptions and callbacks.

use jvmti_wire::trace::{Body, Record};

use super::{Info, MisuseRule, Place, Severity, Violations};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static LEFT: Info = Info {
    id: "exception/left",
    severity: Severity::Warning,
    anchor: "eventIntro",
    says: "clear the JNI exceptions that a callback raises before it returns: otherwise the program gets them",
};
pub(super) static CLEARED: Info = Info {
    id: "exception/cleared",
    severity: Severity::Error,
    anchor: "eventIntro",
    says: "preserve the JNI exception that is pending when a callback begins: it belongs to the program",
};

pub(super) struct Exceptions;

impl MisuseRule for Exceptions {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let (TraceEvent::Other, Body::ExceptionChanged { event, pending }) = (trace_event, &record.body)
        else {
            return;
        };
        let environment = state.environment_of(record.thread, *event).unwrap_or(0);
        let name = state.names.event(*event);
        let (info, what) = match pending {
            true => (&LEFT, "returned with an exception pending, which it had raised"),
            false => (&CLEARED, "cleared an exception that was pending before"),
        };
        found.add(info, (state, record), (Place::Callback(environment, *event), &name), || {
            format!("the callback of {name} {what}")
        });
    }
}
