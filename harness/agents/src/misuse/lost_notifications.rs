//! A rule on threads that wait for a notification which came before they waited.

use jvmti_wire::Value;
use jvmti_wire::trace::Record;
use rustc_hash::FxHashMap;

use super::{End, Info, MisuseRule, Place, Related, Severity, Violations, When};
use crate::agent_state::{AgentState, Call, TraceEvent};

pub(super) static LOST: Info = Info {
    id: "monitor/lost-notify",
    severity: Severity::Warning,
    anchor: "RawMonitorWait",
    says: "wait for a notification only as long as what it tells of has not happened: one that comes before the wait is lost",
};

/// A notification that nobody was waiting for.
#[derive(Clone, Copy)]
struct Notification {
    site: u32,
    when: When,
}

/// A call of RawMonitorWait in a callback which has not returned.
struct Wait {
    monitor: u64,
    site: u32,
    when: When,
    event: String,
    /// What came before.
    lost: Notification,
}

#[derive(Default)]
pub(super) struct LostNotifications {
    /// The last one, by monitor.
    lost: FxHashMap<u64, Notification>,
    /// By thread.
    waiting: FxHashMap<u32, Wait>,
}

/// The monitor that the call is about, and the time-out of a wait.
fn monitor(call: &Call) -> Option<(u64, Option<i64>)> {
    match call.args.as_slice() {
        [Value::Pointer(monitor), Value::Int(milliseconds), ..] => Some((*monitor, Some(*milliseconds))),
        [Value::Pointer(monitor), ..] => Some((*monitor, None)),
        _ => None,
    }
}

impl LostNotifications {
    fn notified(&mut self, state: &AgentState<'_>, call: &Call, when: When) {
        let Some((about, _)) = monitor(call) else { return };
        let is_wait = |other: &&Call| {
            state.names.function(other.function) == "RawMonitorWait"
                && monitor(other).is_some_and(|(awaited, _)| awaited == about)
        };
        self.waiting.retain(|_, wait| wait.monitor != about);
        match state.calls.values().find(is_wait) {
            Some(_) => drop(self.lost.remove(&about)),
            None => drop(self.lost.insert(about, Notification { site: call.site, when })),
        }
    }

    fn waits(&mut self, state: &AgentState<'_>, call: &Call, when: When) {
        let Some((about, Some(0))) = monitor(call) else { return };
        if let (Some(delivery), Some(lost)) = (state.delivery(when.thread), self.lost.get(&about)) {
            let (monitor, site, lost) = (about, call.site, *lost);
            let event = delivery.name.clone();
            self.waiting.insert(when.thread, Wait { monitor, site, when, event, lost });
        }
    }
}

impl MisuseRule for LostNotifications {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Begun(call) | TraceEvent::Brief(call) => {
                match state.names.function(call.function).as_ref() {
                    "RawMonitorNotify" | "RawMonitorNotifyAll" => self.notified(state, call, record.into()),
                    "RawMonitorWait" => self.waits(state, call, record.into()),
                    "DestroyRawMonitor" => {
                        monitor(call).and_then(|(about, _)| self.lost.remove(&about));
                    }
                    _ => {}
                }
            }
            TraceEvent::Returned { call, .. } if state.names.function(call.function) == "RawMonitorWait" => {
                self.waiting.remove(&record.thread);
                // Who waits again after that waits for something else.
                monitor(call).and_then(|(about, _)| self.lost.remove(&about));
            }
            _ => {}
        }
    }

    fn stop(&self, state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
        self.find(state, last, end, found);
    }

    fn finish(&mut self, state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
        self.find(state, last, end, found);
    }
}

impl LostNotifications {
    fn find(&self, state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
        if !end.is_cut_short() {
            return;
        }
        for wait in self.waiting.values().filter(|wait| wait.when.is_long_before(last)) {
            let Wait { site, when, event, lost, .. } = wait;
            found.add(&LOST, (state, *when), (*site, "RawMonitorWait"), || {
                format!("the callback of {event} waited until the program was killed for a monitor that was notified before, when nobody waited")
            });
            found.relate(&LOST, (*site, "RawMonitorWait"), || Related {
                what: format!("notified here, on thread {}", state.names.thread(lost.when.thread)),
                place: Place::Site(lost.site).stack(state),
            });
        }
    }
}
