//! A rule on what heap callbacks return.

use jvmti_wire::trace::{Body, NativeCode, Record};

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static ANSWER: Info = Info {
    id: "callback/heap-answer",
    severity: Severity::Warning,
    anchor: "Heap",
    says: "return from heap callbacks what the function that walks understands: JVMTI_VISIT_OBJECTS and JVMTI_VISIT_ABORT, both or neither; to those of the older functions a jvmtiIterationControl",
};

pub(super) struct HeapAnswers;

impl MisuseRule for HeapAnswers {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let (TraceEvent::Other, Body::Native(NativeCode::HeapAnswer { function, site, answer, count })) =
            (trace_event, &record.body)
        else {
            return;
        };
        let name = state.names.function(*function);
        found.add(&ANSWER, (state, record), (*site, &name), || {
            let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
            format!("this callback of {name} returned {} {times}", in_words(*answer))
        });
    }
}

/// An answer, with the name that it may have been taken for.
fn in_words(answer: i32) -> String {
    match answer {
        1 => "1 (JVMTI_ITERATION_CONTINUE, or true)".to_owned(),
        2 => "2 (JVMTI_ITERATION_IGNORE)".to_owned(),
        0x100 => "0x100 (JVMTI_VISIT_OBJECTS)".to_owned(),
        0x8000 => "0x8000 (JVMTI_VISIT_ABORT)".to_owned(),
        3..0x10000 => format!("{answer:#x}"),
        _ => answer.to_string(),
    }
}
