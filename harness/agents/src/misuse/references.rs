//! Rules on local references that accumulate.
//!
//! JNI ensures room for sixteen local references, and for as many more as the agent asks for. To hold more is no error: a
//! JVM may have more room, and the specification lets callbacks that make few calls ignore their references. So one rule
//! warns about references that more calls returned than there is room for, and another notes that a few calls returned
//! many. References from JNI functions accumulate in loops; the probe counts the calls of those.

use jvmti_wire::trace::{Body, JNI_FUNCTION, NativeCode, Record};
use rustc_hash::FxHashMap;

use super::{End, Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

/// JNI ensures that native code has room for this many local references without asking.
pub const ENSURED: u32 = 16;

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

/// The counts at the moment at which native code held the most.
struct Most {
    when: When,
    held: u32,
    calls: u32,
    room: u32,
    given: Vec<(u16, u32, u32)>,
}

/// The largest counts by thread and by the event in whose callback the references are held; `None` for an agent thread.
#[derive(Default)]
pub(super) struct References(FxHashMap<(u32, Option<u16>), Most>);

impl MisuseRule for References {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        match (trace_event, &record.body) {
            (TraceEvent::Other, Body::ReferencesHeld { event, held, calls, room, given }) => {
                // What libraries of the JDK do with JNI is not for the author of an agent to change.
                let of_jdk = |(function, site, _): &&(u16, u32, u32)| {
                    function & JNI_FUNCTION != 0 && state.is_in_jdk(*site)
                };
                let left_out: u32 = given.iter().filter(of_jdk).map(|(_, _, count)| *count).sum();
                let most = Most {
                    when: record.into(),
                    held: held.saturating_sub(left_out),
                    calls: calls.saturating_sub(left_out),
                    room: *room,
                    given: given.iter().filter(|given| !of_jdk(given)).copied().collect(),
                };
                let key = (record.thread, *event);
                if self.0.get(&key).is_none_or(|before| before.held <= most.held) {
                    self.0.insert(key, most);
                }
            }
            (TraceEvent::Left { delivery, .. }, _) if delivery.event.is_some() => {
                if let Some(most) = self.0.remove(&(record.thread, delivery.event)) {
                    most.add(state, delivery.event, found);
                }
            }
            (TraceEvent::Other, Body::Native(NativeCode::MethodLeft))
                if state.native_method(record.thread).is_some() =>
            {
                if let Some(most) = self.0.remove(&(record.thread, None)) {
                    most.add(state, None, found);
                }
            }
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, _: End, found: &mut Violations) {
        let mut left: Vec<_> = self.0.drain().collect();
        left.sort_by_key(|(_, most)| most.when.at);
        left.into_iter().for_each(|((_, event), most)| most.add(state, event, found));
    }
}

impl Most {
    fn add(self, state: &AgentState<'_>, event: Option<u16>, found: &mut Violations) {
        let Some((function, site, _)) = self.given.first().copied() else { return };
        if self.held <= self.room {
            return;
        }
        let info = if self.calls > self.room { &HELD } else { &ROOM };
        found.add(info, (state, self.when), (site, &state.names.function(function)), || {
            let within = match event {
                Some(event) => format!("in the callback of {}", state.names.event(event)),
                None => match state.native_method(self.when.thread) {
                    Some(method) => format!("in native method {}", method.name),
                    None => "on an agent thread".to_owned(),
                },
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
            let calls = match calls {
                0 => String::new(),
                1 => " from one call".to_owned(),
                _ => format!(" from {calls} calls"),
            };
            format!(
                "{held} local references{calls} held at once {within}, with an ensured capacity of {room}: {}",
                given.join(", ")
            )
        });
    }
}
