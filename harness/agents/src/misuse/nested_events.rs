//! A rule on callbacks that send their own event again and again.

use jvmti_wire::trace::Record;
use rustc_hash::FxHashSet;

use super::{Info, MisuseRule, Place, Severity, Violations};
use crate::agent_state::{AgentState, Delivery, Frame, TraceEvent};

pub(super) static ENDLESS: Info = Info {
    id: "event/endless",
    severity: Severity::Error,
    anchor: "eventIntro",
    says: "do not do in a callback for an event what sends this event again, unless the callback tells that it is its own doing: it \
           goes on until the stack is full",
};

/// So many callbacks within each other do not end.
const ENDLESS_CALLBACKS: usize = 32;

#[derive(Default)]
pub(super) struct NestedEvents {
    /// Environments and events that have been told of.
    told: FxHashSet<(u32, u16)>,
}

impl MisuseRule for NestedEvents {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let TraceEvent::Entered(Delivery { environment, event: Some(event), name, .. }, _) = trace_event
        else {
            return;
        };
        let stack = state.stack(record.thread);
        if stack.len() < ENDLESS_CALLBACKS || self.told.contains(&(*environment, *event)) {
            return;
        }
        let is_same = |frame: &&Frame| matches!(frame, Frame::Delivery(outer) if outer.name == *name && outer.environment == *environment);
        if stack.iter().filter(is_same).count() < ENDLESS_CALLBACKS {
            return;
        }
        self.told.insert((*environment, *event));
        let call = match stack.last() {
            Some(Frame::Call(number)) => state.calls.get(number),
            _ => None,
        };
        let place = call.map_or(Place::Callback(*environment, *event), |call| Place::Site(call.site));
        let by = call.map_or_else(|| "JNI".into(), |call| state.names.function(call.function));
        found.add(&ENDLESS, (state, record), (place, name), || {
            format!("{ENDLESS_CALLBACKS} callbacks of {name} are within each other: each sends the event again, by {by}")
        });
    }
}
