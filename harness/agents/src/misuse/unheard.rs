//! A rule on breakpoints, watches and frames whose events no environment of the agent ever enables.

use std::collections::BTreeMap;

use jvmti_wire::Value;
use jvmti_wire::trace::Record;
use jvmti_wire::value::ObjectId;
use rustc_hash::FxHashSet;

use super::{End, Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, Call, TraceEvent};

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

/// Threads for which an agent has asked to be told of frames, and those for which it has enabled the event.
#[derive(Default)]
struct Frames {
    asked: BTreeMap<ObjectId, Asked>,
    enabled: FxHashSet<ObjectId>,
    /// Whether it enabled the event for all threads, or for one that is not known.
    for_others: bool,
}

#[derive(Default)]
pub(super) struct Unheard {
    /// By environment.
    frames: BTreeMap<u32, Frames>,
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
        let TraceEvent::Returned { call, code: 0, outputs, .. } = trace_event else { return };
        let name = state.names.function(call.function);
        self.asked_of_thread(state, record, (call, outputs));
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
        self.find_other_threads(state, end, found);
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

/// The event that tells of frames.
const FRAME_POP: &str = "FramePop";

impl Unheard {
    /// A call has succeeded.
    fn asked_of_thread(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        (call, outputs): (&Call, &[(u16, Value)]),
    ) {
        let thread = |param: usize| match call.args.get(param) {
            Some(Value::Null) => state.names.definitions().thread_object(record.thread),
            _ => outputs.iter().find_map(|(of, value)| match value {
                Value::Object(thread) if usize::from(*of) == param => Some(*thread),
                _ => None,
            }),
        };
        match (state.names.function(call.function).as_ref(), call.args.as_slice()) {
            ("NotifyFramePop", _) => {
                let asked = Asked { event: FRAME_POP, site: call.site, when: record.into() };
                if let Some(thread) = thread(0) {
                    self.frames.entry(call.environment).or_default().asked.entry(thread).or_insert(asked);
                }
            }
            ("SetEventNotificationMode", [Value::Int(1), Value::Int(event), of, ..])
                if u16::try_from(*event).is_ok_and(|event| state.names.event(event) == FRAME_POP) =>
            {
                let frames = self.frames.entry(call.environment).or_default();
                match thread(2).filter(|_| *of != Value::Null) {
                    Some(thread) => drop(frames.enabled.insert(thread)),
                    None => frames.for_others = true,
                }
            }
            _ => {}
        }
    }

    /// An environment enabled the event for some threads, and asked to be told of frames of others only.
    fn find_other_threads(&self, state: &AgentState<'_>, end: End, found: &mut Violations) {
        let some_enabled = |(_, frames): &(&u32, &Frames)| !frames.for_others && !frames.enabled.is_empty();
        for (environment, frames) in self.frames.iter().filter(some_enabled).filter(|_| end.is_orderly()) {
            let not_enabled = |(thread, _): &(&ObjectId, &Asked)| !frames.enabled.contains(*thread);
            for (thread, asked) in frames.asked.iter().filter(not_enabled) {
                found.add(&UNHEARD, (state, asked.when), (asked.site, "NotifyFramePop"), || {
                    let thread = state.names.value(&Value::Object(*thread));
                    format!(
                        "NotifyFramePop succeeded for {thread}, but environment {environment} enabled {FRAME_POP} for other threads only"
                    )
                });
            }
        }
    }
}
