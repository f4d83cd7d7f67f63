//! A rule on global and weak global references that callback after callback creates and nobody deletes.

use jvmti_wire::trace::{Body, NativeCode, Record, ReferenceKind};

use super::growth::{Growing, Growth};
use super::{End, Info, MisuseRule, Place, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static GROWING: Info = Info {
    id: "reference/growing",
    severity: Severity::Warning,
    anchor: "refs",
    says: "delete the global references that a callback or a round of a loop creates, weak ones too: here each one keeps more of them",
};

/// What creates references.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Creator {
    /// The callback of an environment for an event.
    Callback(u32, u16),
    /// A native method whose function begins at that place.
    Method(u32),
    /// A loop whose rounds begin with a call of that function at that call site.
    Loop(u16, u32),
}

impl Creator {
    /// Who creates references on that thread now, and when the callback or the round began.
    fn of(state: &AgentState<'_>, thread: u32) -> Option<(Creator, u64)> {
        if let Some(method) = state.native_method(thread) {
            return Some((Creator::Method(method.site), method.at));
        }
        let round = state.round(thread)?;
        let creator = match round.after {
            Some((function, site)) => Creator::Loop(function, site),
            None => {
                let delivery = state.delivery(thread)?;
                Creator::Callback(delivery.environment, delivery.event?)
            }
        };
        Some((creator, round.at))
    }
}

/// By creator, the place of the creation, 0 if it is not known, and whether it is about weak references.
#[derive(Default)]
pub(super) struct GrowingReferences(Growth<(Creator, u32, bool)>);

/// The reference that somebody has created, whether it is a weak one, and the place; 0: not known.
fn created(body: &Body) -> Option<(u64, bool, u32)> {
    match body {
        Body::GlobalCreated { handle, weak } => Some((*handle, *weak, 0)),
        Body::Native(NativeCode::GlobalCreated { handle, weak, site }) => Some((*handle, *weak, *site)),
        _ => None,
    }
}

impl MisuseRule for GrowingReferences {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        if let (TraceEvent::Other, Some((handle, weak, site))) = (trace_event, created(&record.body)) {
            self.0.ended(handle);
            let Some((creator, began)) = Creator::of(state, record.thread) else { return };
            // A library of the JDK that works for a callback is not the one to blame.
            let site = if state.is_agents(site) { site } else { 0 };
            // The Java code that a native method calls creates others.
            if matches!(creator, Creator::Method(_)) && site == 0 {
                return;
            }
            self.0.created(record, began, (creator, site, weak), handle);
        }
        match (trace_event, &record.body) {
            (TraceEvent::Other, Body::ReferenceDeleted { handle, kind, .. })
                if *kind != ReferenceKind::Local =>
            {
                self.0.ended(*handle);
            }
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        if !end.whole || !state.globals_known || state.is_cleaning_up() {
            return;
        }
        for Growing { creator: (creator, site, weak), kept, all, rounds, first } in self.0.growing() {
            let kind = if weak { "weak global" } else { "global" };
            match creator {
                Creator::Callback(environment, event) => {
                    let name = state.names.event(event);
                    let place =
                        if site == 0 { Place::Callback(environment, event) } else { Place::Site(site) };
                    found.add(&GROWING, (state, first), (place, &name), || {
                        format!(
                            "{kept} of {all} {kind} references that the callback of {name} created were never deleted, in \
                             {rounds} callbacks"
                        )
                    });
                }
                Creator::Method(_) => found.add(&GROWING, (state, first), (site, "NewGlobalRef"), || {
                    format!("{kept} of {all} {kind} references that a native method created were never deleted, in {rounds} calls")
                }),
                Creator::Loop(function, round)
                    if state.are_enough_rounds(Some((function, round)), rounds) =>
                {
                    let name = state.names.function(function);
                    let place = if site == 0 { round } else { site };
                    found.add(&GROWING, (state, first), (place, &name), || {
                        let thread = state.names.thread(first.thread);
                        format!(
                            "{kept} of {all} {kind} references that thread {thread} created between its calls of {name} were never \
                             deleted, in {rounds} rounds"
                        )
                    });
                }
                Creator::Loop(..) => {}
            }
        }
    }
}
