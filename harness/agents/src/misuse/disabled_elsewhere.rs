//! A rule on events that are enabled for a thread, disabled for all in their callback, and come all the same.

use jvmti_wire::Value;
use jvmti_wire::trace::Record;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static ELSEWHERE: Info = Info {
    id: "event/disabled-elsewhere",
    severity: Severity::Warning,
    anchor: "SetEventNotificationMode",
    says: "disable an event as you enabled it: one that is enabled for a thread comes until it is disabled for that thread",
};

/// An event that is enabled for threads only, and was disabled for all.
struct Disabled {
    site: u32,
    when: When,
}

/// An environment and one of its events.
type Enabling = (u32, u16);

#[derive(Default)]
pub(super) struct DisabledElsewhere {
    /// What is enabled for all threads.
    for_all: FxHashSet<Enabling>,
    /// What is enabled for some, and how many times for as many.
    for_some: FxHashMap<Enabling, u32>,
    disabled: FxHashMap<Enabling, Disabled>,
}

impl MisuseRule for DisabledElsewhere {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Returned { call, code: 0, .. }
                if state.names.function(call.function) == "SetEventNotificationMode" =>
            {
                let [Value::Int(mode), Value::Int(event), thread, ..] = call.args.as_slice() else { return };
                let Ok(event) = u16::try_from(*event) else { return };
                let of = (call.environment, event);
                match (*mode == 1, *thread == Value::Null) {
                    (true, true) => drop(self.for_all.insert(of)),
                    (true, false) => *self.for_some.entry(of).or_default() += 1,
                    (false, true) => {
                        let was_for_all = self.for_all.remove(&of);
                        // Elsewhere it may be meant to make sure that no other thread gets the event.
                        let is_within = state.delivery(record.thread).is_some_and(|delivery| {
                            delivery.environment == call.environment && delivery.event == Some(event)
                        });
                        if !was_for_all && is_within && self.for_some.contains_key(&of) {
                            self.disabled.insert(of, Disabled { site: call.site, when: record.into() });
                            return;
                        }
                    }
                    // Which thread it is cannot be told from the reference.
                    (false, false) => drop(self.for_some.remove(&of)),
                }
                self.disabled.remove(&of);
            }
            // The thread that disabled it cannot have been on its way into the callback.
            TraceEvent::Entered(delivery, _) => {
                let Some(of) = delivery.event.map(|event| (delivery.environment, event)) else { return };
                let is_own = |disabled: &&Disabled| disabled.when.thread == record.thread;
                let Some(Disabled { site, when }) = self.disabled.get(&of).filter(is_own) else { return };
                let name = &delivery.name;
                found.add(&ELSEWHERE, (state, *when), (*site, "SetEventNotificationMode"), || {
                    format!(
                        "{name} of environment {} was disabled for all threads, but came again: it is enabled for single threads",
                        delivery.environment
                    )
                });
            }
            _ => {}
        }
    }
}
