//! Rules on addresses of a callback's local variables: what a JVM keeps is no address of theirs any more when the callback has
//! returned, and what it writes must not reach beyond them.

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, NativeCode, Record};
use rustc_hash::FxHashMap;

use super::{Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, Call, TraceEvent};

pub(super) static KEPT: Info = Info {
    id: "memory/stack-address",
    severity: Severity::Warning,
    anchor: "",
    says: "store no address of a local variable: its memory is used for something else when the callback has returned",
};
pub(super) static SMALL: Info = Info {
    id: "memory/small-buffer",
    severity: Severity::Error,
    anchor: "",
    says: "pass a buffer that has room for all that you ask for: the JVM writes beyond a smaller one",
};

/// The size of jvmtiFrameInfo in bytes.
const FRAME: u64 = 16;

/// How many bytes the call asks for, if it passes a buffer of its own to be filled.
pub(super) fn wanted(state: &AgentState<'_>, call: &Call) -> Option<u64> {
    match (state.names.function(call.function).as_ref(), call.args.get(2)) {
        ("GetStackTrace", Some(Value::Int(most))) => u64::try_from(*most).ok()?.checked_mul(FRAME),
        _ => None,
    }
}

/// An address that was stored.
struct Stored {
    function: u16,
    site: u32,
    when: When,
    /// When the callback began whose frames it is in.
    within: u64,
}

#[derive(Default)]
pub(super) struct StackAddresses {
    /// By thread: the function that is about to be passed such an address, and the bytes from there to the end of the frames.
    announced: FxHashMap<u32, (u16, u64)>,
    /// By thread.
    stored: FxHashMap<u32, Vec<Stored>>,
}

impl StackAddresses {
    fn begun(&mut self, state: &AgentState<'_>, record: &Record, call: &Call, found: &mut Violations) {
        let announced = self.announced.remove(&record.thread).filter(|(of, _)| *of == call.function);
        let Some((function, room)) = announced else {
            // The address may be replaced now.
            if let Some(stored) = self.stored.get_mut(&record.thread) {
                stored.retain(|stored| stored.function != call.function);
            }
            return;
        };
        let Some(delivery) = state.delivery(record.thread) else { return };
        let name = state.names.function(function);
        if name != "GetStackTrace" {
            let stored = Stored { function, site: call.site, when: record.into(), within: delivery.at };
            self.stored.entry(record.thread).or_default().push(stored);
        } else if let Some(wanted) = wanted(state, call).filter(|wanted| *wanted > room) {
            found.add(&SMALL, (state, record), (call.site, &name), || {
                format!(
                    "{name} may write {wanted} bytes to a buffer on the stack, where the callback of {} has no more than {room}",
                    delivery.name
                )
            });
        }
    }
}

impl MisuseRule for StackAddresses {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Other => {
                if let Body::Native(NativeCode::StackAddress { function, room, .. }) = &record.body {
                    self.announced.insert(record.thread, (*function, *room));
                }
            }
            TraceEvent::Begun(call) => self.begun(state, record, call, found),
            TraceEvent::Left { delivery, .. } => {
                let all = self.stored.remove(&record.thread).unwrap_or_default();
                for stored in all.into_iter().filter(|stored| stored.within >= delivery.at) {
                    let name = state.names.function(stored.function);
                    found.add(&KEPT, (state, stored.when), (stored.site, &name), || {
                        format!("{name} stored the address of a local variable of the callback of {}, which returned", delivery.name)
                    });
                }
            }
            _ => {}
        }
    }
}
