//! A rule on raw monitors that callbacks of garbage collection events enter.

use jvmti_wire::Value;
use jvmti_wire::trace::Record;
use rustc_hash::FxHashMap;

use super::held_monitors::{HeldMonitors, JAVA};
use super::{End, Info, MisuseRule, Place, Related, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static STOPPED: Info = Info {
    id: "monitor/collection",
    severity: Severity::Warning,
    anchor: "GarbageCollectionStart",
    says: "hold a raw monitor that a callback of a garbage collection event enters only over callback-safe functions: in others the \
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

impl MisuseRule for CollectionMonitors {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        if let TraceEvent::Begun(call) | TraceEvent::Brief(call) = trace_event {
            let delivery = state.delivery(record.thread);
            let collection = delivery.filter(|delivery| delivery.name.starts_with("GarbageCollection"));
            let is_safe = state.names.facts(call.function).is_none_or(|function| function.callback_safe);
            let function = state.names.function(call.function);
            match (collection, call.args.first()) {
                (Some(delivery), Some(Value::Pointer(monitor))) if function == "RawMonitorEnter" => {
                    self.within.entry(*monitor).or_insert_with(|| (delivery.name.clone(), call.site));
                }
                (None, _) if !is_safe => {
                    let held = self.held.of(record.thread).iter().filter(|held| held.monitor & JAVA == 0);
                    for held in held {
                        self.over.entry(held.monitor).or_insert_with(|| Held {
                            function: function.clone().into_owned(),
                            site: held.site,
                            when: held.when,
                        });
                    }
                }
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
