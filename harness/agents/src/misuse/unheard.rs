//! A rule on breakpoints, watches and frames whose events no environment of the agent ever enables.

use std::collections::BTreeMap;

use jvmti_wire::Value;
use jvmti_wire::trace::Record;
use rustc_hash::FxHashSet;

use super::{End, Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static UNHEARD: Info = Info {
    id: "event/never-enabled",
    severity: Severity::Warning,
    anchor: "SetEventNotificationMode",
    says: "enable the event that you set breakpoints or watches for, or ask to be told of frames by: otherwise they only cost time",
};

/// What asks for an event, and that event.
const ASKED: [(&str, &str); 4] = [
    ("SetBreakpoint", "Breakpoint"),
    ("SetFieldAccessWatch", "FieldAccess"),
    ("SetFieldModificationWatch", "FieldModification"),
    ("NotifyFramePop", "FramePop"),
];

/// The first call that asked for an event, and the event.
struct Asked {
    event: &'static str,
    site: u32,
    when: When,
}

#[derive(Default)]
pub(super) struct Unheard {
    /// By environment and function.
    asked: BTreeMap<(u32, &'static str), Asked>,
    /// Environments and the events that they enabled at some time.
    enabled: FxHashSet<(u32, i64)>,
}

impl MisuseRule for Unheard {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        let TraceEvent::Returned { call, code: 0, .. } = trace_event else { return };
        let name = state.names.function(call.function);
        if let ("SetEventNotificationMode", [Value::Int(1), Value::Int(event), ..]) =
            (name.as_ref(), call.args.as_slice())
        {
            self.enabled.insert((call.environment, *event));
        } else if let Some((function, event)) = ASKED.iter().find(|(function, _)| *function == name) {
            let asked = || Asked { event, site: call.site, when: record.into() };
            self.asked.entry((call.environment, function)).or_insert_with(asked);
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        // An agent that was cut short may have been about to enable it.
        for ((environment, function), asked) in self.asked.iter().filter(|_| end.is_orderly()) {
            let name = asked.event;
            let event = state.names.spec().events.iter().find(|event| event.name == name);
            let Some(number) = event.map(|event| i64::from(event.number)) else { continue };
            let library = state.library(*environment);
            let is_enabled = |(of, event): &(u32, i64)| *event == number && state.library(*of) == library;
            if self.enabled.iter().any(is_enabled) {
                continue;
            }
            found.add(&UNHEARD, (state, asked.when), (asked.site, function), || {
                format!("{function} succeeded in environment {environment}, but {name} was never enabled")
            });
        }
    }
}
