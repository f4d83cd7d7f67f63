//! Local references that pile up.
//!
//! Sixteen are ensured, or as many as are asked for. More are no error: a JVM may have room for them, and which callbacks
//! need no management the specification leaves to the agent, as long as they make a limited number of calls. So it is told
//! apart whether more calls than that gave what is held, or a few calls gave many.

use jvmti_wire::trace::{Body, Record};
use rustc_hash::FxHashMap;

use super::{Info, Rule, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static HELD: Info = Info {
    id: "reference/held",
    severity: Severity::Warning,
    anchor: "refs",
    says: "delete local references that are no longer needed, or create them in a frame that you pop",
};
pub(super) static ROOM: Info = Info {
    id: "reference/room",
    severity: Severity::Note,
    anchor: "refs",
    says: "ensure the capacity for more than 16 local references: a JVM need not have more by default",
};

/// The most that were held.
struct Most {
    when: When,
    held: u32,
    calls: u32,
    room: u32,
    given: Vec<(u16, u32, u32)>,
}

/// By thread, and event in whose callback they are held; none for an agent thread.
#[derive(Default)]
pub(super) struct References(FxHashMap<(u32, Option<u16>), Most>);

impl Rule for References {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Other => {
                let Body::ReferencesHeld { event, held, calls, room, given } = &record.body else { return };
                let most = Most {
                    when: record.into(),
                    held: *held,
                    calls: *calls,
                    room: *room,
                    given: given.clone(),
                };
                let key = (record.thread, *event);
                if self.0.get(&key).is_none_or(|before| before.held <= most.held) {
                    self.0.insert(key, most);
                }
            }
            TraceEvent::Left { delivery, .. } if delivery.event.is_some() => {
                if let Some(most) = self.0.remove(&(record.thread, delivery.event)) {
                    most.add(state, delivery.event, found);
                }
            }
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, _whole: bool, found: &mut Violations) {
        let mut left: Vec<_> = self.0.drain().collect();
        left.sort_by_key(|(_, most)| most.when.at);
        left.into_iter().for_each(|((_, event), most)| most.add(state, event, found));
    }
}

impl Most {
    fn add(self, state: &AgentState<'_>, event: Option<u16>, found: &mut Violations) {
        let Some((function, site, _)) = self.given.first().copied() else { return };
        let info = if self.calls > self.room { &HELD } else { &ROOM };
        found.add(info, (state, self.when), (site, &state.names.function(function)), || {
            let within = match event {
                Some(event) => format!("in the callback of {}", state.names.event(event)),
                None => "on an agent thread".to_owned(),
            };
            let given: Vec<String> = self
                .given
                .iter()
                .map(|(function, from, count)| {
                    let name = state.names.function(*function);
                    let at = if *from == site { "here".to_owned() } else { format!("at {}", state.site_text(*from)) };
                    format!("{count} by {name} {at}")
                })
                .collect();
            let Most { held, calls, room, .. } = self;
            let calls = if calls == 1 { "one call".to_owned() } else { format!("{calls} calls") };
            format!(
                "{held} local references from {calls} held at once {within}, with an ensured capacity of {room}: {}",
                given.join(", ")
            )
        });
    }
}
