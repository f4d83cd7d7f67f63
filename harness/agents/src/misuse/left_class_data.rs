//! A rule on the class file data that a callback for ClassFileLoadHook leaves to the JVM.

use jvmti_wire::trace::{Body, NativeCode, Record};

use super::{Info, MisuseRule, Place, Severity, Violations};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static MALFORMED: Info = Info {
    id: "class/left-malformed",
    severity: Severity::Error,
    anchor: "ClassFileLoadHook",
    says: "leave the JVM the whole class file of that class, and its exact length: the program gets an error in place of the class otherwise",
};

pub(super) struct LeftClassData;

impl MisuseRule for LeftClassData {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let (TraceEvent::Other, Body::Native(NativeCode::ClassDataMalformed { name })) =
            (trace_event, &record.body)
        else {
            return;
        };
        let event = "ClassFileLoadHook";
        let number = state.names.spec().event(event).map_or(0, |event| event.number);
        let environment = state.environment_of(record.thread, number).unwrap_or(0);
        found.add(&MALFORMED, (state, record), (Place::Callback(environment, number), event), || match name
            .as_str()
        {
            "" => format!("the callback of {event} left data that are no class file, or not all of it"),
            name => format!("the callback of {event} left data that define another class, {name}"),
        });
    }
}
