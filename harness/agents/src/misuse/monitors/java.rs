//! What the trace tells of the monitors of Java objects.

use jvmti_wire::Value;
use jvmti_wire::trace::{MonitorChange, Record};
use jvmti_wire::value::ObjectId;

use super::super::held_monitors::{Entries, told};
use super::{ADDRESS, Held, JAVA, Monitors};
use crate::agent_state::{AgentState, Delivery};

impl Monitors {
    /// A thread does something with the monitor of a Java object.
    pub(super) fn java(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        (object, change, site): (ObjectId, MonitorChange, u32),
    ) {
        let monitor = JAVA | object.0 & ADDRESS;
        if change == MonitorChange::Wanted {
            let name = || format!("of {}", state.names.value(&Value::Object(object)));
            self.names.entry(monitor).or_insert_with(name);
        }
        match change {
            MonitorChange::Wanted => self.wants(site, monitor, record),
            MonitorChange::Entered => self.entered(site, monitor, record),
            MonitorChange::Refused => drop(self.waiting.remove(&record.thread)),
            MonitorChange::Exited => self.exited(record.thread, (monitor, site)),
            MonitorChange::Unfollowed => {
                self.held.values_mut().for_each(|held| held.retain(|held| held.monitor & JAVA == 0));
            }
        }
    }

    /// A callback tells that Java code of its thread has entered a monitor, which it does not exit before the callback returns.
    pub(super) fn java_code(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        (delivery, args): (&Delivery, &[Value]),
    ) {
        // Threads that the probe cannot tell apart have the number 0.
        let Some(object) = told(delivery, args).filter(|_| record.thread != 0) else { return };
        let monitor = JAVA | object.0 & ADDRESS;
        let name = || format!("of {}", state.names.value(&Value::Object(object)));
        self.names.entry(monitor).or_insert_with(name);
        let held = self.held.entry(record.thread).or_default();
        if held.iter().all(|held| held.monitor != monitor) {
            held.push(Held { monitor, entries: Entries::new(0), ended: None, told: Some(delivery.at) });
        }
    }

    /// The callback has returned: from now on nothing tells what Java code has entered.
    pub(super) fn java_code_goes_on(&mut self, thread: u32, delivery: &Delivery) {
        if let Some(held) = self.held.get_mut(&thread) {
            held.retain(|held| held.told != Some(delivery.at));
        }
    }

    /// The thread has no monitor of a Java object any more: its native code has returned, or it ends.
    pub(super) fn has_no_java(&mut self, thread: u32) {
        if let Some(held) = self.held.get_mut(&thread) {
            held.retain(|held| held.monitor & JAVA == 0);
        }
    }
}
