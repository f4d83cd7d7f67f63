//! A rule on threads that an agent starts although their objects were never constructed.

use jvmti_wire::trace::{Body, NativeCode, Record};

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static UNMADE: Info = Info {
    id: "thread/not-constructed",
    severity: Severity::Error,
    anchor: "RunAgentThread",
    says: "call a constructor of the thread that RunAgentThread gets, as NewObject does: AllocObject calls none, and newer JVMs end at such a thread",
};

pub(super) struct UnmadeThreads;

impl MisuseRule for UnmadeThreads {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        if let (TraceEvent::Other, Body::Native(NativeCode::ThreadUnmade { site })) =
            (trace_event, &record.body)
        {
            found.add(&UNMADE, (state, record), (*site, "RunAgentThread"), || {
                "RunAgentThread started a thread whose object has no group: none of its constructors was called"
                    .to_owned()
            });
        }
    }
}
