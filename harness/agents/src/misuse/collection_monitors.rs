//! A rule on raw monitors that callbacks of garbage collection events enter.

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::FxHashMap;

use super::held_monitors::{HeldMonitors, JAVA};
use super::{End, Info, MisuseRule, Place, Related, Severity, Violations, When};
use crate::agent_state::{AgentState, Frame, TraceEvent};

pub(super) static STOPPED: Info = Info {
    id: "monitor/collection",
    severity: Severity::Warning,
    anchor: "GarbageCollectionStart",
    says: "hold a raw monitor that a callback of a garbage collection event or of ObjectFree enters only over callback-safe functions: in others the \
           thread may be stopped for the collection, which then waits for the monitor for good",
};

/// A call that a thread made while it held a monitor.
struct Held {
    function: String,
    site: u32,
    when: When,
}

#[derive(Default)]
pub(super) struct CollectionMonitors {
    held: HeldMonitors,
    /// Monitors that threads held while they called functions that are not callback-safe.
    over: FxHashMap<u64, Held>,
    /// Monitors that callbacks of these events entered: the event and the call site.
    within: FxHashMap<u64, (String, u32)>,
}

impl CollectionMonitors {
    /// The thread calls that while it holds what it holds.
    fn held_over(&mut self, thread: u32, function: &str) {
        let held = self.held.of(thread).iter().filter(|held| held.monitor & JAVA == 0);
        for held in held {
            self.over.entry(held.monitor).or_insert_with(|| Held {
                function: function.to_owned(),
                site: held.entries.site(),
                when: held.when,
            });
        }
    }
}

/// Whether the callback for the event of that name may run while the JVM is stopped for a collection. HotSpot up to 14 sends
/// ObjectFree then.
fn is_within_collection(event: &str) -> bool {
    event.starts_with("GarbageCollection") || event == "ObjectFree"
}

impl MisuseRule for CollectionMonitors {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        let delivery = state.delivery(record.thread);
        let collection = delivery.filter(|delivery| is_within_collection(&delivery.name));
        if let (TraceEvent::Other, None) = (trace_event, collection) {
            // References that no call of JVM TI gives come from JNI, or with an event that Java code sends.
            let is_jni = !matches!(state.stack(record.thread).last(), Some(Frame::Call(_)));
            if let Body::ReferencesGiven { .. } = &record.body
                && is_jni
            {
                self.held_over(record.thread, "JNI, which may allocate or run Java code,");
            }
        }
        if let TraceEvent::Begun(call) | TraceEvent::Brief(call) = trace_event {
            let is_safe = state.names.facts(call.function).is_none_or(|function| function.callback_safe);
            let function = state.names.function(call.function);
            match (collection, call.args.first()) {
                (Some(delivery), Some(Value::Pointer(monitor))) if function == "RawMonitorEnter" => {
                    self.within.entry(*monitor).or_insert_with(|| (delivery.name.clone(), call.site));
                }
                (None, _) if !is_safe => self.held_over(record.thread, &function),
                (_, Some(Value::Pointer(monitor))) if function == "DestroyRawMonitor" => {
                    self.over.remove(monitor);
                    self.within.remove(monitor);
                }
                _ => {}
            }
        }
        self.held.take(state, record, trace_event);
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, _: End, found: &mut Violations) {
        for (monitor, (event, site)) in &self.within {
            let Some(Held { function, site: entered, when }) = self.over.get(monitor) else { continue };
            found.add(&STOPPED, (state, *when), (*entered, "RawMonitorEnter"), || {
                let thread = state.names.thread(when.thread);
                format!("thread {thread} calls {function} while it holds a monitor that the callback of {event} enters")
            });
            found.relate(&STOPPED, (*entered, "RawMonitorEnter"), || Related {
                what: format!("the callback of {event} enters it"),
                place: Place::Site(*site).stack(state),
            });
        }
    }
}
