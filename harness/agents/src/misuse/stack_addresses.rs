//! Rules on addresses of local variables of a callback, or of `Agent_OnLoad`: what a JVM keeps is no address of theirs any more when
//! it has returned, and what it writes must not reach beyond them.

use jvmti_spec::edition::Phase;
use jvmti_wire::Value;
use jvmti_wire::trace::{Body, CodePlace, NativeCode, Record};
use rustc_hash::FxHashMap;

use super::{Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, Call, TraceEvent};

pub(super) static KEPT: Info = Info {
    id: "memory/stack-address",
    severity: Severity::Warning,
    anchor: "",
    says: "store no address of a local variable: its memory is used for something else when the function has returned",
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

/// An agent thread that was started with such an address, and has not begun.
struct Started {
    site: u32,
    argument: u64,
    by: When,
    /// When the callback began whose frames it is in.
    within: u64,
    /// The event whose callback has returned meanwhile.
    returned: Option<String>,
}

#[derive(Default)]
pub(super) struct StackAddresses {
    /// By thread: the function that is about to be passed such an address, and the bytes from there to the end of the frames.
    announced: FxHashMap<u32, (u16, u64)>,
    /// By thread: the call site that is about to pass an address in the data of a library.
    statics: FxHashMap<u32, (u32, CodePlace)>,
    /// By thread: the call site that is about to pass the address of memory of the C library, and the bytes from there to its end.
    allocated: FxHashMap<u32, (u32, u64)>,
    /// By thread.
    stored: FxHashMap<u32, Vec<Stored>>,
    /// Stored by an `Agent_OnLoad`, with the environment.
    loading: Vec<(Stored, u32)>,
    started: Vec<Started>,
}

impl StackAddresses {
    fn begun(&mut self, state: &AgentState<'_>, record: &Record, call: &Call, found: &mut Violations) {
        let announced = self.announced.remove(&record.thread).filter(|(of, _)| *of == call.function);
        let Some((function, room)) = announced else {
            // The address may be replaced now.
            if let Some(stored) = self.stored.get_mut(&record.thread) {
                stored.retain(|stored| stored.function != call.function);
            }
            self.loading.retain(|(stored, of)| (stored.function, *of) != (call.function, call.environment));
            return;
        };
        let stored = Stored { function, site: call.site, when: record.into(), within: 0 };
        let Some(delivery) = state.delivery(record.thread) else {
            if state.phase == Phase::OnLoad {
                self.loading.push((stored, call.environment));
            }
            return;
        };
        let name = state.names.function(function);
        if let ("RunAgentThread", Some(Value::Pointer(argument))) = (name.as_ref(), call.args.get(2)) {
            let (site, argument, by) = (call.site, *argument, record.into());
            self.started.push(Started { site, argument, by, within: delivery.at, returned: None });
        } else if name != "GetStackTrace" {
            let stored = Stored { within: delivery.at, ..stored };
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

    /// A call begins that was announced to pass an address in the data of a library.
    fn begun_static(&mut self, state: &AgentState<'_>, record: &Record, call: &Call, found: &mut Violations) {
        let announced = self.statics.remove(&record.thread).filter(|(site, _)| *site == call.site);
        let (Some((_, place)), Some(wanted)) = (announced, wanted(state, call)) else { return };
        let Some((variable, room)) = state.symbols.variable(&place).filter(|(_, room)| wanted > *room) else {
            return;
        };
        let name = state.names.function(call.function);
        found.add(&SMALL, (state, record), (call.site, &name), || {
            format!("{name} may write {wanted} bytes to the variable {variable}, which has no more than {room} from there on")
        });
    }

    /// A call begins that was announced to pass the address of memory of the C library.
    fn begun_allocated(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        call: &Call,
        found: &mut Violations,
    ) {
        let announced = self.allocated.remove(&record.thread).filter(|(site, _)| *site == call.site);
        let (Some((_, room)), Some(wanted)) = (announced, wanted(state, call)) else { return };
        if wanted > room {
            let name = state.names.function(call.function);
            found.add(&SMALL, (state, record), (call.site, &name), || {
                format!("{name} may write {wanted} bytes to memory of the C library (malloc, new), which has no more than {room} there")
            });
        }
    }

    /// The agents' `Agent_OnLoad` have returned.
    fn loaded(&mut self, state: &AgentState<'_>, found: &mut Violations) {
        for (stored, _) in self.loading.drain(..) {
            let name = state.names.function(stored.function);
            found.add(&KEPT, (state, stored.when), (stored.site, &name), || {
                format!("{name} stored the address of a local variable of Agent_OnLoad, which returned")
            });
        }
    }

    /// The function of an agent thread begins that was started at that place with that argument.
    fn began(&mut self, state: &AgentState<'_>, of: (u32, u64), found: &mut Violations) {
        let is_it = |started: &Started| (started.site, started.argument) == of;
        let Some(place) = self.started.iter().position(is_it) else { return };
        let started = self.started.remove(place);
        if let Some(event) = started.returned {
            found.add(&KEPT, (state, started.by), (started.site, "RunAgentThread"), || {
                format!(
                    "RunAgentThread was passed the address of a local variable of the callback of {event}, which returned \
                     before the function of the thread began"
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
                if let Body::Native(NativeCode::StaticAddress { site, place, .. }) = &record.body {
                    self.statics.insert(record.thread, (*site, place.clone()));
                }
                if let Body::Native(NativeCode::AllocatedAddress { site, room, .. }) = &record.body {
                    self.allocated.insert(record.thread, (*site, *room));
                }
                if let Body::Native(NativeCode::ThreadBegan { site, argument }) = &record.body {
                    self.began(state, (*site, *argument), found);
                }
                if state.phase != Phase::OnLoad {
                    self.loaded(state, found);
                }
            }
            TraceEvent::Begun(call) => {
                self.begun_static(state, record, call, found);
                self.begun_allocated(state, record, call, found);
                self.begun(state, record, call, found);
            }
            TraceEvent::Left { delivery, .. } => {
                let is_its = |started: &&mut Started| {
                    started.by.thread == record.thread && started.within >= delivery.at
                };
                for started in self.started.iter_mut().filter(is_its) {
                    started.returned.get_or_insert_with(|| delivery.name.clone());
                }
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
