//! A rule on callbacks that do not come back.

use jvmti_wire::trace::Record;

use super::{End, Info, MisuseRule, Place, Severity, Violations, When};
use crate::agent_state::{AgentState, Frame, TraceEvent};

pub(super) static STUCK: Info = Info {
    id: "callback/stuck",
    severity: Severity::Warning,
    anchor: "eventIntro",
    says: "return from a callback: the thread of the program waits for it. A lock of the agent's that the thread holds already, or that \
           others hold in another order, or a condition that nobody signals any more, keeps it for good",
};

#[derive(Default)]
pub(super) struct Stuck;

impl MisuseRule for Stuck {
    fn observe(&mut self, _: &AgentState<'_>, _: &Record, _: &TraceEvent<'_>, _: &mut Violations) {}

    fn finish(&mut self, state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
        if !end.is_killed() {
            return;
        }
        for (thread, stack) in &state.stacks {
            // In a call of JVM TI it waits for the JVM, or for what other rules tell of.
            let Some(Frame::Delivery(delivery)) = stack.last() else { continue };
            let when = When { thread: *thread, at: delivery.at };
            if !when.is_long_before(last) {
                continue;
            }
            let of_same =
                |frame: &&Frame| matches!(frame, Frame::Delivery(outer) if outer.name == delivery.name);
            let within = match stack.iter().filter(of_same).count() {
                1 => String::new(),
                _ => ", within another one for this event".to_owned(),
            };
            let place = Place::Callback(delivery.environment, delivery.event.unwrap_or(0));
            found.add(&STUCK, (state, when), (place, &delivery.name), || {
                format!(
                    "the callback of {} on thread {} had not returned when the program was killed{within}, and was in no call of JVM TI",
                    delivery.name,
                    state.names.thread(*thread)
                )
            });
        }
    }
}
