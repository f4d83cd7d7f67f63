//! A rule on events that are enabled for a thread and disabled for all in their callback, or the other way round, and come all the
//! same.

use jvmti_wire::Value;
use jvmti_wire::trace::Record;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static ELSEWHERE: Info = Info {
    id: "event/disabled-elsewhere",
    severity: Severity::Warning,
    anchor: "SetEventNotificationMode",
    says: "disable an event as you enabled it: one that is enabled for a thread comes until it is disabled for that thread, and one that is enabled \
           for all until it is disabled for all",
};

/// An event that is enabled for threads only, and was disabled for all, or the other way round.
struct Disabled {
    site: u32,
    when: When,
    /// Whether it was disabled for one thread.
    for_one: bool,
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
            TraceEvent::Returned { call, code: 0, outputs, .. }
                if state.names.function(call.function) == "SetEventNotificationMode" =>
            {
                let [Value::Int(mode), Value::Int(event), thread, ..] = call.args.as_slice() else { return };
                let Ok(event) = u16::try_from(*event) else { return };
                let of = (call.environment, event);
                // Elsewhere it may be meant to make sure that no other thread gets the event, or not this one.
                let is_within = state.delivery(record.thread).is_some_and(|delivery| {
                    delivery.environment == call.environment && delivery.event == Some(event)
                });
                let disabled = |for_one| Disabled { site: call.site, when: record.into(), for_one };
                match (*mode == 1, *thread == Value::Null) {
                    (true, true) => drop(self.for_all.insert(of)),
                    (true, false) => *self.for_some.entry(of).or_default() += 1,
                    (false, true) => {
                        let was_for_all = self.for_all.remove(&of);
                        if !was_for_all && is_within && self.for_some.contains_key(&of) {
                            self.disabled.insert(of, disabled(false));
                            return;
                        }
                    }
                    (false, false) => {
                        let was_for_some = self.for_some.remove(&of).is_some();
                        let own = state.names.definitions().thread_object(record.thread);
                        let is_own = |(param, value): &(u16, Value)| {
                            *param == 2 && own.is_some_and(|own| *value == Value::Object(own))
                        };
                        let is_for_all = self.for_all.contains(&of) && !was_for_some;
                        if is_for_all && is_within && outputs.iter().any(is_own) {
                            self.disabled.insert(of, disabled(true));
                            return;
                        }
                    }
                }
                self.disabled.remove(&of);
            }
            // The thread that disabled it cannot have been on its way into the callback.
            TraceEvent::Entered(delivery, _) => {
                let Some(of) = delivery.event.map(|event| (delivery.environment, event)) else { return };
                let is_own = |disabled: &&Disabled| disabled.when.thread == record.thread;
                let Some(Disabled { site, when, for_one }) = self.disabled.get(&of).filter(is_own) else {
                    return;
                };
                let name = &delivery.name;
                found.add(&ELSEWHERE, (state, *when), (*site, "SetEventNotificationMode"), || {
                    let (disabled, enabled) = match for_one {
                        true => ("this thread", "all"),
                        false => ("all threads", "single threads"),
                    };
                    format!(
                        "{name} of environment {} was disabled for {disabled}, but came again: it is enabled for {enabled}",
                        delivery.environment
                    )
                });
            }
            _ => {}
        }
    }
}
