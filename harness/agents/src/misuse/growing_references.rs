//! A rule on global and weak global references that callback after callback creates and nobody deletes.

use jvmti_wire::trace::{Body, Record, ReferenceKind};

use super::growth::{Growing, Growth};
use super::{End, Info, MisuseRule, Place, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static GROWING: Info = Info {
    id: "reference/growing",
    severity: Severity::Warning,
    anchor: "refs",
    says: "delete the global references that a callback creates, weak ones too: here each callback keeps more of them",
};

/// Environment and event of a callback, and whether it is about weak references.
type Creator = (u32, u16, bool);

#[derive(Default)]
pub(super) struct GrowingReferences(Growth<Creator>);

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
                let Some(delivery) = state.delivery(record.thread) else { return };
                let Some(event) = delivery.event else { return };
                self.0.created(record, delivery, (delivery.environment, event, *weak), *handle);
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
        for Growing { creator: (environment, event, weak), kept, all, callbacks, first } in self.0.growing() {
            let name = state.names.event(event);
            found.add(&GROWING, (state, first), (Place::Callback(environment, event), &name), || {
                let kind = if weak { "weak global" } else { "global" };
                format!(
                    "{kept} of {all} {kind} references that the callback of {name} created were never deleted, in \
                     {callbacks} callbacks"
                )
            });
        }
    }
}
