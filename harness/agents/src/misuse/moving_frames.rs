//! A rule on agents that go through the frames of a thread that runs meanwhile.

use jvmti_wire::Value;
use jvmti_wire::trace::Record;
use rustc_hash::FxHashMap;

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static MOVED: Info = Info {
    id: "frame/moved",
    severity: Severity::Warning,
    anchor: "GetStackTrace",
    says: "suspend a thread before you go through its frames one by one, or get all of them by GetStackTrace: those of a running \
           thread change between the calls",
};

/// The thread and the number of its frames that each thread was told last.
#[derive(Default)]
pub(super) struct MovingFrames(FxHashMap<u32, (u64, i64)>);

impl MisuseRule for MovingFrames {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let TraceEvent::Returned { call, code, outputs, .. } = trace_event else { return };
        let Some(Value::Reference(thread)) = call.args.first() else { return };
        let name = state.names.function(call.function);
        if name == "GetFrameCount" {
            match outputs.first() {
                Some((_, Value::Int(count))) if *code == 0 => {
                    self.0.insert(record.thread, (*thread, *count));
                }
                _ => drop(self.0.remove(&record.thread)),
            }
            return;
        }
        let error = state.names.spec().error_by_number(*code);
        if error.is_none_or(|error| error.name != "NO_MORE_FRAMES") {
            return;
        }
        let (Some(Value::Int(depth)), Some((counted, count))) =
            (call.args.get(1), self.0.get(&record.thread))
        else {
            return;
        };
        if counted == thread && depth < count {
            found.add(&MOVED, (state, record), (call.site, &name), || {
                format!(
                    "{} → {}, after GetFrameCount had told of {count} frames",
                    state.names.call(call.function, &call.args),
                    state.names.error(*code)
                )
            });
        }
    }
}
