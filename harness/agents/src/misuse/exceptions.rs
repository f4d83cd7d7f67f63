//! Rules on JNI exceptions and callbacks, and on JNI in states that forbid it.

use jvmti_wire::trace::{Body, JniMisuse, NativeCode, Record};
use rustc_hash::FxHashMap;

use super::{Info, MisuseRule, Place, Severity, Violations, lifetimes, poison};
use crate::agent_state::{AgentState, Delivery, TraceEvent};

pub(super) static LEFT: Info = Info {
    id: "exception/left",
    severity: Severity::Warning,
    anchor: "eventIntro",
    says: "clear the JNI exceptions that a callback raises before it returns: otherwise the program gets them",
};
pub(super) static CLEARED: Info = Info {
    id: "exception/cleared",
    severity: Severity::Error,
    anchor: "eventIntro",
    says: "preserve the JNI exception that is pending when a callback begins: it belongs to the program",
};

pub(super) static PENDING: Info = Info {
    id: "jni/exception-pending",
    severity: Severity::Error,
    anchor: "eventIntro",
    says: "clear a pending exception before you use JNI functions other than those that handle exceptions and release what \
           you hold",
};
pub(super) static CRITICAL: Info = Info {
    id: "jni/critical-region",
    severity: Severity::Error,
    anchor: "eventIntro",
    says: "use no JNI functions between GetPrimitiveArrayCritical or GetStringCritical and the release, and no functions that wait \
           for other threads, and release before a callback returns",
};

pub(super) static OTHER_THREAD: Info = Info {
    id: "jni/other-thread",
    severity: Severity::Error,
    anchor: "eventIntro",
    says: "use a JNIEnv only on the thread that got it: each thread has its own",
};

pub(super) static OTHER_CLASS: Info = Info {
    id: "jni/other-class",
    severity: Severity::Error,
    anchor: "jmethodID",
    says: "use ids of methods and fields only with objects of the class that they come from, or with that class",
};

pub(super) static OTHER_KIND: Info = Info {
    id: "jni/other-kind",
    severity: Severity::Warning,
    anchor: "jmethodID",
    says: "call each method by the function for its result, and static methods by those for static ones; get and set each field by \
           the functions for its type",
};

pub(super) static TEXT: Info = Info {
    id: "jni/text",
    severity: Severity::Warning,
    anchor: "mUTF",
    says: "pass JNI text in modified UTF-8: no character takes four bytes there, and text in the encoding of the platform has to be \
           converted",
};

pub(super) static CONTENTS: Info = Info {
    id: "jni/contents",
    severity: Severity::Error,
    anchor: "eventIntro",
    says: "release the contents of a string or an array once, by the function that belongs to the one that got them",
};

pub(super) static DEAD: Info = Info {
    id: "jni/dead-phase",
    severity: Severity::Error,
    anchor: "onunload",
    says: "use JNI until the callback for VMDeath returns, and not in Agent_OnUnload: the objects and the threads are no longer there",
};

const OF_OTHER_KIND: &str = "with the id of a method or field that has another type, or is static where the function is for those \
                             that are not, or the other way round";
const RELEASED: &str = "with contents that were released before, or that another function got";

pub(super) static THREAD: Info = Info {
    id: "exception/thread",
    severity: Severity::Warning,
    anchor: "RunAgentThread",
    says: "clear the JNI exceptions that an agent thread raises before its function returns: nobody else does",
};

#[derive(Default)]
pub(super) struct Exceptions {
    /// Threads that are in a critical region, and when the callback began in which they entered it.
    critical: FxHashMap<u32, Option<u64>>,
    /// Where JNI was first used in the dead phase, and which function.
    dead: Option<(u32, String)>,
}

impl MisuseRule for Exceptions {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let (event, pending) = match (trace_event, &record.body) {
            (TraceEvent::Begun(call), _) => {
                let name = state.names.function(call.function);
                if self.critical.contains_key(&record.thread) && waits(&name) {
                    found.add(&CRITICAL, (state, record), (call.site, &name), || {
                        format!("{name}, which may wait for other threads, in a critical region")
                    });
                }
                return;
            }
            (TraceEvent::Left { delivery, .. }, _) => return self.left(state, record, delivery, found),
            (TraceEvent::Other, Body::Native(NativeCode::MethodLeft)) => {
                return self.method_left(state, record, found);
            }
            (TraceEvent::Other, Body::Native(native)) => return self.native(state, record, native, found),
            (TraceEvent::Other, Body::ExceptionChanged { event, pending }) => (event, pending),
            (TraceEvent::Other, Body::JniMisused { function, site, misuse }) => {
                let name = jvmti_traces::jni::name(*function);
                let (info, state_of_thread) = match misuse {
                    JniMisuse::ExceptionPending => (&PENDING, "while an exception is pending"),
                    JniMisuse::CriticalRegion => (&CRITICAL, "in a critical region"),
                    // Other libraries use these functions, too.
                    JniMisuse::OtherThread if !state.is_agents(*site) => return,
                    JniMisuse::OtherThread => (&OTHER_THREAD, "with the JNIEnv of another thread"),
                    JniMisuse::Deallocated => (&poison::MEMORY, "with memory that was deallocated before"),
                    JniMisuse::OtherClass => {
                        (&OTHER_CLASS, "with the id of a method or field that the class does not have")
                    }
                    JniMisuse::OtherKind => (&OTHER_KIND, OF_OTHER_KIND),
                    JniMisuse::Text => (&TEXT, "with text that is not modified UTF-8"),
                    JniMisuse::Contents => (&CONTENTS, RELEASED),
                    JniMisuse::DeadPhase if !state.is_agents(*site) => return,
                    JniMisuse::DeadPhase => (&DEAD, "in the dead phase"),
                    JniMisuse::Cleared => {
                        (&lifetimes::CLEARED, "with a weak global reference whose object is gone")
                    }
                };
                let mut place = (*site, name);
                if *misuse == JniMisuse::DeadPhase {
                    // All of it is wrong there.
                    place = self.dead.get_or_insert(place).clone();
                }
                let (site, name) = place;
                found.add(info, (state, record), (site, &name), || {
                    format!("JNI function {name} {state_of_thread}")
                });
                return;
            }
            _ => return,
        };
        let environment = state.environment_of(record.thread, *event).unwrap_or(0);
        let name = state.names.event(*event);
        let (info, what) = match pending {
            true => (&LEFT, "returned with an exception pending, which it had raised"),
            false => (&CLEARED, "cleared an exception that was pending before"),
        };
        found.add(info, (state, record), (Place::Callback(environment, *event), &name), || {
            format!("the callback of {name} {what}")
        });
    }
}

impl Exceptions {
    /// A callback has returned.
    fn left(&mut self, state: &AgentState<'_>, record: &Record, delivery: &Delivery, found: &mut Violations) {
        if self.critical.remove(&record.thread) == Some(Some(delivery.at)) {
            let place = Place::Callback(delivery.environment, delivery.event.unwrap_or(0));
            found.add(&CRITICAL, (state, record), (place, &delivery.name), || {
                format!("the callback of {} returned in a critical region", delivery.name)
            });
        }
    }

    /// A native method is about to return.
    fn method_left(&mut self, state: &AgentState<'_>, record: &Record, found: &mut Violations) {
        let Some(method) = state.native_method(record.thread) else { return };
        if self.critical.get(&record.thread) == Some(&Some(method.at)) {
            self.critical.remove(&record.thread);
            found.add(&CRITICAL, (state, record), (method.site, &method.name), || {
                format!("native method {} returned in a critical region", method.name)
            });
        }
    }

    fn native(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        native: &NativeCode,
        found: &mut Violations,
    ) {
        match native {
            NativeCode::CriticalRegion { entered: true } => {
                let method = state.native_method(record.thread).map(|method| method.at);
                let within = method.or_else(|| state.delivery(record.thread).map(|delivery| delivery.at));
                self.critical.insert(record.thread, within);
            }
            NativeCode::CriticalRegion { entered: false } => drop(self.critical.remove(&record.thread)),
            NativeCode::ThreadThrew { site } => {
                found.add(&THREAD, (state, record), (*site, "RunAgentThread"), || {
                    let thread = state.names.thread(record.thread);
                    format!("the function of agent thread {thread} returned with an exception pending")
                });
            }
            _ => {}
        }
    }
}

/// Whether the JVM TI function of that name may wait for other threads.
fn waits(function: &str) -> bool {
    ["RawMonitorEnter", "RawMonitorWait", "ForceGarbageCollection", "FollowReferences"].contains(&function)
        || ["Suspend", "Iterate", "Redefine", "Retransform"].iter().any(|begin| function.starts_with(begin))
}
