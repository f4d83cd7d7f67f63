//! Rules on agents that ask for frames that a thread does not have: it ran on meanwhile, or never had them.

use jvmti_wire::Value;
use jvmti_wire::trace::Record;
use rustc_hash::FxHashMap;

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, Call, TraceEvent};

pub(super) static MOVED: Info = Info {
    id: "frame/moved",
    severity: Severity::Warning,
    anchor: "GetStackTrace",
    says: "suspend a thread before you go through its frames one by one, or get all of them by GetStackTrace: those of a running \
           thread change between the calls",
};

pub(super) static BEYOND: Info = Info {
    id: "frame/beyond",
    severity: Severity::Warning,
    anchor: "GetFrameCount",
    says: "ask only for frames that a thread has: depths count from 0, so that the last one is one less than the number of frames",
};

/// What a thread was told of the frames of another one, or of its own.
struct Told {
    /// The function that told it.
    by: String,
    /// The reference to the thread; 0 for the current one.
    thread: u64,
    count: i64,
    /// Where and for which depth it got a frame last.
    last: Option<(u32, i64)>,
}

/// By the thread that asked last.
#[derive(Default)]
pub(super) struct MovingFrames(FxHashMap<u32, Told>);

impl MisuseRule for MovingFrames {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let (call, code, outputs) = match trace_event {
            TraceEvent::Returned { call, code, outputs, .. } => (call, code, outputs),
            // The same reference may mean another thread from now on, or the thread may have other frames.
            TraceEvent::Entered(..) | TraceEvent::Left { .. } => {
                self.0.remove(&record.thread);
                return;
            }
            _ => return,
        };
        // Null stands for the current thread.
        let thread = match call.args.first() {
            Some(Value::Reference(thread)) => thread,
            Some(Value::Null) => &0,
            _ => return,
        };
        let name = state.names.function(call.function);
        let counted = counted(&name, call, outputs);
        if let Some(count) = counted {
            match count.filter(|_| *code == 0) {
                Some(count) => {
                    let told = Told { by: name.into_owned(), thread: *thread, count, last: None };
                    self.0.insert(record.thread, told);
                }
                None => {
                    self.0.remove(&record.thread);
                }
            }
            return;
        }
        let (Some(Value::Int(depth)), Some(told)) = (call.args.get(1), self.0.get_mut(&record.thread)) else {
            return;
        };
        let last = told.last.filter(|_| *code != 0);
        told.last = (*code == 0).then_some((call.site, *depth));
        let error = state.names.spec().error_by_number(*code);
        if error.is_none_or(|error| error.name != "NO_MORE_FRAMES") {
            return;
        }
        // Some go from frame to frame until there is none.
        let goes_on = last == Some((call.site, depth - 1));
        let (count, by) = (told.count, &told.by);
        if told.thread == *thread && !(goes_on && *depth >= count) {
            let info = if *depth < count { &MOVED } else { &BEYOND };
            found.add(info, (state, record), (call.site, &name), || {
                format!(
                    "{} → {}, after {by} had told of {count} frames",
                    state.names.call(call.function, &call.args),
                    state.names.error(*code)
                )
            });
        }
    }
}

/// How many frames the call tells of, if it tells of all; `None` within: it failed.
fn counted(name: &str, call: &Call, outputs: &[(u16, Value)]) -> Option<Option<i64>> {
    // There may be outputs that identify the thread.
    let number = outputs.iter().find_map(|(_, value)| match value {
        Value::Int(count) => Some(*count),
        _ => None,
    });
    match (name, call.args.get(1), call.args.get(2), number) {
        ("GetFrameCount", ..) => Some(number),
        // All frames, from the topmost one on.
        ("GetStackTrace", Some(Value::Int(0)), Some(Value::Int(most)), Some(count)) if count < *most => {
            Some(number)
        }
        _ => None,
    }
}
