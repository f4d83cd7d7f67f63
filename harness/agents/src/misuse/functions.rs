//! Rules on deprecated functions, and on calls through an environment that the agent has disposed of.

use jvmti_wire::trace::Record;

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static DEPRECATED: Info = Info {
    id: "function/deprecated",
    severity: Severity::Note,
    anchor: "",
    says: "use the replacements of deprecated functions",
};
pub(super) static DISPOSED: Info = Info {
    id: "environment/disposed",
    severity: Severity::Error,
    anchor: "DisposeEnvironment",
    says: "do not use an environment after disposing of it, whatever the JVM returns",
};

pub(super) struct Functions;

impl MisuseRule for Functions {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let TraceEvent::Begun(call) = trace_event else { return };
        let name = || state.names.function(call.function).into_owned();
        if state.names.facts(call.function).is_some_and(|function| function.deprecated) {
            found.add(&DEPRECATED, (state, record), (call.site, &name()), name);
        }
        if state.environments.get(&call.environment).is_some_and(|environment| environment.gone) {
            found.add(&DISPOSED, (state, record), (call.site, &name()), || {
                format!("{} of environment {}, which was disposed of", name(), call.environment)
            });
        }
    }
}
