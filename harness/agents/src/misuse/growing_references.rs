//! A rule on global and weak global references that callback after callback creates and nobody deletes.

use jvmti_wire::trace::{Body, Record, ReferenceKind};

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
    /// A loop whose rounds begin with a call of that function at that call site.
    Loop(u16, u32),
}

impl Creator {
    /// Who creates references on that thread now, and when the callback or the round began.
    fn of(state: &AgentState<'_>, thread: u32) -> Option<(Creator, u64)> {
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

/// By creator, and whether it is about weak references.
#[derive(Default)]
pub(super) struct GrowingReferences(Growth<(Creator, bool)>);

impl MisuseRule for GrowingReferences {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        match (trace_event, &record.body) {
            (TraceEvent::Other, Body::GlobalCreated { handle, weak }) => {
                self.0.ended(*handle);
                let Some((creator, began)) = Creator::of(state, record.thread) else { return };
                self.0.created(record, began, (creator, *weak), *handle);
            }
            (TraceEvent::Other, Body::ReferenceDeleted { handle, kind, .. })
                if *kind != ReferenceKind::Local =>
            {
                self.0.ended(*handle);
            }
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        if !end.whole || !state.globals_known {
            return;
        }
        for Growing { creator: (creator, weak), kept, all, rounds, first } in self.0.growing() {
            let kind = if weak { "weak global" } else { "global" };
            match creator {
                Creator::Callback(environment, event) => {
                    let name = state.names.event(event);
                    found.add(&GROWING, (state, first), (Place::Callback(environment, event), &name), || {
                        format!(
                            "{kept} of {all} {kind} references that the callback of {name} created were never deleted, in \
                             {rounds} callbacks"
                        )
                    });
                }
                Creator::Loop(function, site) => {
                    let name = state.names.function(function);
                    found.add(&GROWING, (state, first), (site, &name), || {
                        let thread = state.names.thread(first.thread);
                        format!(
                            "{kept} of {all} {kind} references that thread {thread} created between its calls of {name} were never \
                             deleted, in {rounds} rounds"
                        )
                    });
                }
            }
        }
    }
}
