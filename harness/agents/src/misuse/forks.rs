//! A rule on processes that an agent makes by `fork`.

use jvmti_wire::trace::{Body, NativeCode, Record};

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static FORKED: Info = Info {
    id: "process/forked",
    severity: Severity::Warning,
    anchor: "whatIs",
    says: "call no functions in a process that fork has made: it has none of the JVM's other threads, and what they held stays held",
};

pub(super) struct Forks;

impl MisuseRule for Forks {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let (TraceEvent::Other, Body::Native(NativeCode::CalledInFork { function, site })) =
            (trace_event, &record.body)
        else {
            return;
        };
        let name = state.names.function(*function);
        found.add(&FORKED, (state, record), (*site, &name), || {
            format!("{name} in a process that fork has made")
        });
    }
}
