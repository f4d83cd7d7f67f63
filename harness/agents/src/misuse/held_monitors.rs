//! The monitors that each thread has entered and not exited: raw ones, and those of Java objects that it entered by JNI.

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, MonitorChange, Record};
use jvmti_wire::value::ObjectId;
use rustc_hash::FxHashMap;

use super::When;
use crate::agent_state::{AgentState, Call, Delivery, TraceEvent};

/// The bit of the key of a Java object's monitor; the others are the object's number. That of a raw monitor is its address.
pub(super) const JAVA: u64 = 1 << 63;

/// The event that tells that a thread has entered the monitor of a Java object.
pub(super) const CONTENDED_ENTERED: &str = "MonitorContendedEntered";

/// The Java object whose monitor the callback tells that Java code of its thread has entered.
pub(super) fn told(delivery: &Delivery, args: &[Value]) -> Option<ObjectId> {
    match args.last() {
        Some(Value::Object(object)) if delivery.name == CONTENDED_ENTERED => Some(*object),
        _ => None,
    }
}

/// A monitor that a thread holds.
pub(super) struct Held {
    pub(super) monitor: u64,
    times: u32,
    pub(super) site: u32,
    pub(super) when: When,
    /// The callback in which the thread entered it: when that began, and the event.
    pub(super) within: Option<(u64, String)>,
}

/// What the threads hold.
#[derive(Default)]
pub(super) struct HeldMonitors(FxHashMap<u32, Vec<Held>>);

impl HeldMonitors {
    /// What the thread holds.
    pub(super) fn of(&self, thread: u32) -> &[Held] {
        self.0.get(&thread).map_or(&[], Vec::as_slice)
    }

    /// What all threads hold.
    pub(super) fn all(&self) -> impl Iterator<Item = &Held> {
        self.0.values().flatten()
    }

    /// Takes the next trace event.
    pub(super) fn take(&mut self, state: &AgentState<'_>, record: &Record, trace_event: &TraceEvent<'_>) {
        match trace_event {
            TraceEvent::Returned { call, code: 0, .. } | TraceEvent::Brief(call) => {
                self.called(state, record, call);
            }
            TraceEvent::Other => match &record.body {
                Body::JavaMonitor { object, change, site } => match change {
                    MonitorChange::Entered => self.entered(state, record, (JAVA | object.0, *site)),
                    MonitorChange::Exited => self.exited(record.thread, JAVA | object.0),
                    MonitorChange::Unfollowed => {
                        self.0.values_mut().for_each(|held| held.retain(|held| held.monitor & JAVA == 0));
                    }
                    MonitorChange::Wanted | MonitorChange::Refused => {}
                },
                // Another rule tells of raw monitors.
                Body::ThreadEnds => {
                    let held = self.0.entry(record.thread).or_default();
                    held.retain(|held| held.monitor & JAVA != 0);
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// A call has succeeded.
    fn called(&mut self, state: &AgentState<'_>, record: &Record, call: &Call) {
        let Some(Value::Pointer(monitor)) = call.args.first() else { return };
        match state.names.function(call.function).as_ref() {
            "RawMonitorEnter" => self.entered(state, record, (*monitor, call.site)),
            "RawMonitorExit" => self.exited(record.thread, *monitor),
            "DestroyRawMonitor" => {
                self.0.values_mut().for_each(|held| held.retain(|held| held.monitor != *monitor));
            }
            _ => {}
        }
    }

    fn entered(&mut self, state: &AgentState<'_>, record: &Record, (monitor, site): (u64, u32)) {
        // Threads that the probe cannot tell apart have the number 0.
        if record.thread == 0 {
            return;
        }
        let held = self.0.entry(record.thread).or_default();
        if let Some(again) = held.iter_mut().find(|held| held.monitor == monitor) {
            again.times += 1;
            return;
        }
        let within = state.delivery(record.thread).map(|delivery| (delivery.at, delivery.name.clone()));
        held.push(Held { monitor, times: 1, site, when: record.into(), within });
    }

    fn exited(&mut self, thread: u32, monitor: u64) {
        let Some(held) = self.0.get_mut(&thread) else { return };
        for held in held.iter_mut().filter(|held| held.monitor == monitor) {
            held.times = held.times.saturating_sub(1);
        }
        held.retain(|held| held.times > 0);
    }
}
