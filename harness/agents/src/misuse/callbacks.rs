//! Rules on what an agent may do inside callbacks.

use jvmti_wire::trace::{Body, CodePlace, Record};
use rustc_hash::FxHashSet;

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, Call, Frame, TraceEvent};
use crate::symbols::file_name;

pub(super) static UNSAFE: Info = Info {
    id: "callback/unsafe",
    severity: Severity::Error,
    anchor: "heapCallbacks",
    says: "call only callback-safe functions in heap callbacks and in callbacks of garbage collection events",
};
pub(super) static JNI: Info = Info {
    id: "callback/jni",
    severity: Severity::Error,
    anchor: "heapCallbacks",
    says: "do not use JNI during a heap walk, nor in callbacks of garbage collection events",
};

#[derive(Default)]
pub(super) struct Callbacks {
    /// Threads that called a function outside of heap walks and callbacks: the JVM's own threads never do.
    agents_own: FxHashSet<u32>,
}

impl MisuseRule for Callbacks {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Begun(call) => {
                if walking(state).is_none() && state.stack(record.thread).is_empty() {
                    self.agents_own.insert(record.thread);
                }
                let Some(within) = within(state, record.thread) else { return };
                let is_safe = state.names.facts(call.function).is_some_and(|function| function.callback_safe);
                if !is_safe {
                    let name = state.names.function(call.function);
                    found.add(&UNSAFE, (state, record), (call.site, &name), || format!("{name} in {within}"));
                }
            }
            // JVMs may walk the heap on a thread of their own, from which an agent may call nothing.
            TraceEvent::Returned { call, code, .. } if *code != 0 => {
                let is_agents =
                    self.agents_own.contains(&record.thread) || is_threads_own(state.site(call.site));
                let Some(walking) = walking(state).filter(|_| is_unattached(state, *code) && !is_agents)
                else {
                    return;
                };
                let name = state.names.function(call.function);
                found.add(&UNSAFE, (state, record), (call.site, &name), || {
                    format!("{name} in a callback of {}", state.names.function(walking.function))
                });
            }
            TraceEvent::Other => {
                if let Body::JniUsed { function, site } = &record.body {
                    let outer = walking(state).map(|call| state.names.function(call.function));
                    let within = within(state, record.thread)
                        .or_else(|| outer.map(|outer| format!("a callback of {outer}")));
                    let name = jvmti_traces::jni::name(*function);
                    found.add(&JNI, (state, record), (*site, &name), || {
                        let within = within.unwrap_or_else(|| "a callback that forbids it".to_owned());
                        format!("JNI function {name} in {within}")
                    });
                }
            }
            _ => {}
        }
    }
}

/// What the thread is in, if it may call only callback-safe functions there.
fn within(state: &AgentState<'_>, thread: u32) -> Option<String> {
    let spec = state.names.spec();
    match state.stack(thread).last()? {
        // No other function calls back on the thread that called it.
        Frame::Call(number) => {
            let outer = state.calls.get(number)?;
            let function = state.names.facts(outer.function)?;
            takes_heap_callback(function).then(|| format!("a callback of {}", function.name))
        }
        Frame::Delivery(delivery) => {
            let event = spec.events.iter().find(|e| Some(e.number) == delivery.event)?;
            event.callback_safe_only.then(|| format!("the callback of {}", delivery.name))
        }
    }
}

/// A call that walks the heap and has not returned.
fn walking<'s>(state: &'s AgentState<'_>) -> Option<&'s Call> {
    state.calls.values().find(|call| {
        let function = state.names.facts(call.function);
        function.is_some_and(takes_heap_callback)
    })
}

fn is_unattached(state: &AgentState<'_>, code: i32) -> bool {
    state.names.spec().error_by_number(code).is_some_and(|error| error.name == "UNATTACHED_THREAD")
}

/// Whether the call stack reaches the C library, which runs the threads that an agent starts: no code of the JVM called the
/// agent there.
fn is_threads_own(stack: &[CodePlace]) -> bool {
    let outermost = stack.last().map(|place| file_name(&place.library)).unwrap_or_default();
    ["libc.", "libc-", "libpthread", "ld-musl", "libsystem_pthread"]
        .iter()
        .any(|prefix| outermost.starts_with(prefix))
}

fn takes_heap_callback(function: &jvmti_spec::edition::Function) -> bool {
    function.params.iter().any(|param| {
        let bare = param.c_type.trim_start_matches("const ").trim_end_matches('*').trim();
        bare == "jvmtiHeapCallbacks"
            || (bare.starts_with("jvmti") && bare.ends_with("Callback") && bare.contains("Heap"))
            || matches!(
                bare,
                "jvmtiHeapRootCallback" | "jvmtiStackReferenceCallback" | "jvmtiObjectReferenceCallback"
            )
    })
}
