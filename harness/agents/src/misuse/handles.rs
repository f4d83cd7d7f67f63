//! A rule on local references that an agent uses on another thread than the one that got them.
//!
//! A JVM keeps the local references of a thread in memory of that thread. As long as the thread lives, no other thread can get a
//! local reference with the same value, so whoever passes it on another thread got it from there. The rule therefore waits for a
//! sign of life from the first thread. A global reference may get the value, as HotSpot up to 8 keeps them in memory of the same
//! kind, so the trace has to tell of those that are created.

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, NativeCode, Record};
use rustc_hash::FxHashMap;

use super::{End, Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, Frame, TraceEvent};

pub(super) static ELSEWHERE: Info = Info {
    id: "reference/other-thread",
    severity: Severity::Error,
    anchor: "refs",
    says: "use a local reference only on the thread that got it, and only until the native code that got it returns: create a \
           global reference to keep an object",
};

/// How an agent got a reference.
#[derive(Clone)]
struct Given {
    thread: u32,
    from: String,
}

/// The use of a reference that another thread got.
struct Suspicion {
    when: When,
    site: u32,
    function: String,
    given: Given,
}

/// Where a reference comes from that a thread got outside of callbacks, such as in `Agent_OnAttach`.
const OUTSIDE: &str = "JNI";

/// The number of references that the rule tracks at most.
const MOST: usize = 1 << 20;

#[derive(Default)]
pub(super) struct Handles {
    given: FxHashMap<u64, Given>,
    /// By the thread that got the reference.
    suspicions: FxHashMap<u32, Vec<Suspicion>>,
}

impl Handles {
    fn give(&mut self, thread: u32, handles: impl Iterator<Item = u64>, from: &str) {
        for handle in handles {
            if thread != 0 && self.given.len() < MOST {
                self.given.insert(handle, Given { thread, from: from.to_owned() });
            }
        }
    }

    /// An agent passes references to a function.
    fn used(&mut self, record: &Record, handles: impl Iterator<Item = u64>, (function, site): (&str, u32)) {
        for handle in handles {
            let Some(given) = self.given.get(&handle) else { continue };
            if given.thread == record.thread || record.thread == 0 {
                continue;
            }
            let (when, function) = (record.into(), function.to_owned());
            let suspicion = Suspicion { when, site, function, given: given.clone() };
            self.suspicions.entry(given.thread).or_default().push(suspicion);
        }
    }

    /// The thread is alive: what others did with its references was wrong.
    fn lives(&mut self, state: &AgentState<'_>, thread: u32, found: &mut Violations) {
        for Suspicion { when, site, function, given } in self.suspicions.remove(&thread).into_iter().flatten()
        {
            found.add(&ELSEWHERE, (state, when), (site, &function), || {
                format!(
                    "{function} was passed a local reference that thread {} got from {}",
                    state.names.thread(given.thread),
                    given.from
                )
            });
        }
    }
}

/// The function, native method or callback from which the thread is getting references.
pub(super) fn origin(state: &AgentState<'_>, thread: u32) -> Option<String> {
    match (state.stack(thread).last(), state.native_method(thread)) {
        (Some(Frame::Call(number)), _) => {
            state.calls.get(number).map(|call| state.names.function(call.function).into_owned())
        }
        (_, Some(method)) => Some(format!("native method {}", method.name)),
        (Some(Frame::Delivery(delivery)), None) => Some(delivery.name.clone()),
        (None, None) => None,
    }
}

/// The handles among values.
pub(super) fn handles(values: &[Value]) -> impl Iterator<Item = u64> + '_ {
    values.iter().filter_map(|value| match value {
        Value::Reference(handle) => Some(*handle),
        _ => None,
    })
}

impl MisuseRule for Handles {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        if !self.suspicions.is_empty() {
            self.lives(state, record.thread, found);
        }
        match trace_event {
            TraceEvent::Begun(call) if state.globals_known => {
                let function = state.names.function(call.function);
                self.used(record, handles(&call.args), (&function, call.site));
            }
            TraceEvent::Returned { call, code: 0, outputs, .. } => {
                let returned =
                    outputs.iter().filter_map(|(_, value)| handles(std::slice::from_ref(value)).next());
                self.give(record.thread, returned, &state.names.function(call.function));
            }
            TraceEvent::Entered(delivery, args) => self.give(record.thread, handles(args), &delivery.name),
            TraceEvent::Other => match &record.body {
                Body::ReferencesGiven { handles } => {
                    let from = origin(state, record.thread).unwrap_or_else(|| OUTSIDE.to_owned());
                    self.give(record.thread, handles.iter().copied(), &from);
                }
                Body::GlobalCreated { handle, .. }
                | Body::Native(NativeCode::GlobalCreated { handle, .. }) => drop(self.given.remove(handle)),
                Body::Native(NativeCode::MethodEntered { name, handles, .. }) => {
                    let from = format!("native method {name}");
                    self.give(record.thread, handles.iter().copied(), &from);
                }
                Body::Native(NativeCode::ReferenceUsed { function, site, handle })
                    if state.globals_known && !state.is_foreign(*site) =>
                {
                    let function = jvmti_traces::jni::name(*function);
                    self.used(record, std::iter::once(*handle), (&function, *site));
                }
                // Another thread may get its memory.
                Body::ThreadEnds => {
                    self.suspicions.remove(&record.thread);
                    self.given.retain(|_, given| given.thread != record.thread);
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        if !end.gapless {
            return;
        }
        // A thread that runs `Agent_OnAttach` may never call the agent again; the trace would have its end.
        let threads: Vec<u32> = self.suspicions.keys().copied().collect();
        for thread in threads {
            self.suspicions.entry(thread).or_default().retain(|suspicion| suspicion.given.from == OUTSIDE);
            self.lives(state, thread, found);
        }
    }
}
