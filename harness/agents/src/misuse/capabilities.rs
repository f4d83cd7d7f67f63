//! Rules on capabilities that an agent adds and does not use, or relies on although the JVM refused them.

use std::collections::{BTreeMap, BTreeSet};

use jvmti_spec::Edition;
use jvmti_spec::edition::Phase;
use jvmti_wire::Value;
use jvmti_wire::trace::{Exit, Record};
use rustc_hash::FxHashMap;

use super::{End, Info, MisuseRule, SEPARATOR, Severity, Violations, When};
use crate::agent_state::{AgentState, Call, TraceEvent};
use crate::digest::named_in;
use crate::java_agents::attribute;

pub(super) static UNUSED: Info = Info {
    id: "capability/unused",
    severity: Severity::Warning,
    anchor: "capability",
    says: "add only capabilities that you use; `agent price` measures what each one costs",
};
pub(super) static IGNORED: Info = Info {
    id: "capability/refusal-ignored",
    severity: Severity::Error,
    anchor: "AddCapabilities",
    says: "do not rely on a capability that was refused",
};

/// Finds capabilities that an agent adds and never uses.
#[derive(Default)]
pub(super) struct Unused {
    /// Where, when and within what each environment got each capability.
    added: BTreeMap<(u32, String), (u32, When, Within)>,
}

/// What a call is made in: the thread, the phase, and when the callback began, if it is in one.
type Within = (u32, Phase, Option<u64>);

fn within(state: &AgentState<'_>, record: &Record) -> Within {
    (record.thread, state.phase, state.delivery(record.thread).map(|delivery| delivery.at))
}

impl MisuseRule for Unused {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        let TraceEvent::Returned { call, code, .. } = trace_event else { return };
        if let Some(asked) = named_in(state, call, "AddCapabilities").filter(|_| *code == 0) {
            let what = (call.site, record.into(), within(state, record));
            return self.added.extend(asked.into_iter().map(|name| ((call.environment, name), what)));
        }
        if let Some(given_back) = named_in(state, call, "RelinquishCapabilities").filter(|_| *code == 0) {
            // An agent may try whether it gets a capability.
            let is_trial = |of: &u32, name: &String, by: &Within| {
                *of == call.environment && given_back.contains(name) && *by == within(state, record)
            };
            return self.added.retain(|(of, name), (_, _, by)| !is_trial(of, name, by));
        }
        if self.added.is_empty() {
            return;
        }
        for name in used(state, call) {
            self.added.remove(&(call.environment, name.clone()));
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        // An agent that was cut short may have been about to use them.
        if !end.is_orderly() || state.phase == Phase::OnLoad || gave_up(state, end) {
            return;
        }
        for call in state.calls.values() {
            for name in used(state, call) {
                self.added.remove(&(call.environment, name.clone()));
            }
        }
        let mut together: BTreeMap<(u32, u32, When), Vec<&str>> = BTreeMap::new();
        for ((environment, name), (site, when, _)) in &self.added {
            // A trace shows only the use of capabilities that some function or event needs. An environment of the JVM's own
            // (of JFR, say) is nothing that an agent's author could change.
            if needed_by(state.names.spec(), name) && !state.library(*environment).starts_with("libjvm.") {
                together.entry((*environment, *site, *when)).or_default().push(name);
            }
        }
        for ((environment, site, when), names) in together {
            let of = names.join(SEPARATOR);
            found.add(&UNUSED, (state, when), (site, &of), || {
                let (was, them) = if names.len() == 1 { ("was", "it") } else { ("were", "them") };
                let asked = asked_by_manifest(state, environment, &names);
                format!(
                    "{of} {was} added to environment {environment}, but nothing that requires {them} was used{asked}"
                )
            });
        }
    }
}

/// Which attributes of a Java agent's manifest ask for the capabilities.
fn asked_by_manifest(state: &AgentState<'_>, environment: u32, names: &[&str]) -> String {
    let attributes: Vec<&str> = names.iter().filter_map(|name| attribute(name)).collect();
    match state.java_agents.agent(environment) {
        Some(agent) if !attributes.is_empty() => {
            format!("; the manifest of {} asks for it: {}", agent.jar, attributes.join(SEPARATOR))
        }
        _ => String::new(),
    }
}

/// Whether an agent ended the process because something was wrong: the JVM did not come to unload its agents.
fn gave_up(state: &AgentState<'_>, end: End) -> bool {
    state.phase != Phase::Dead && matches!(end.exit, Some(Exit::Code(code)) if code != 0)
}

/// The capabilities that a call uses.
pub(super) fn used<'s>(state: &AgentState<'s>, call: &Call) -> Vec<&'s String> {
    let Some(function) = state.names.facts(call.function) else { return Vec::new() };
    let of = |table: &'s jvmti_spec::edition::Capabilities| table.required.iter().chain(&table.optional);
    let mut used: Vec<&String> = Vec::new();
    if state.names.function(call.function) != "SetEventNotificationMode" {
        used.extend(of(&function.capabilities));
    } else if let (Some(Value::Int(1)), Some(Value::Int(number))) = (call.args.first(), call.args.get(1)) {
        let event = state.names.spec().events.iter().find(|e| i64::from(e.number) == *number);
        used.extend(event.into_iter().flat_map(|event| of(&event.capabilities)));
        let enabling = &function.capabilities.event_enabling;
        let enables = |events: &Vec<String>| event.is_some_and(|event| events.contains(&event.name));
        used.extend(enabling.iter().filter(|(_, events)| enables(events)).map(|(name, _)| name));
    }
    used
}

fn needed_by(spec: &Edition, name: &String) -> bool {
    let by_function = spec.functions.iter().any(|f| f.capabilities.required.contains(name));
    by_function || spec.events.iter().any(|e| e.capabilities.required.contains(name))
}

/// Finds calls that need a capability which the JVM has refused.
#[derive(Default)]
pub(super) struct Refused {
    refused: FxHashMap<u32, (BTreeSet<String>, u32)>,
}

impl MisuseRule for Refused {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let TraceEvent::Returned { call, code, .. } = trace_event else { return };
        let spec = state.names.spec();
        match named_in(state, call, "AddCapabilities") {
            Some(asked) if *code != 0 => {
                self.refused.insert(call.environment, (asked, call.site));
            }
            Some(asked) => {
                if let Some((refused, _)) = self.refused.get_mut(&call.environment) {
                    refused.retain(|name| !asked.contains(name));
                }
            }
            None if *code != 0 => {
                let is_lack =
                    spec.error_by_number(*code).is_some_and(|e| e.name == "MUST_POSSESS_CAPABILITY");
                let Some((refused, at)) = self.refused.get(&call.environment).filter(|_| is_lack) else {
                    return;
                };
                let Some(lacking) = used(state, call).into_iter().find(|name| refused.contains(*name)) else {
                    return;
                };
                let name = state.names.function(call.function);
                found.add(&IGNORED, (state, record), (call.site, &name), || {
                    format!(
                        "{name} requires {lacking}, which AddCapabilities refused at {}",
                        state.site_text(*at)
                    )
                });
            }
            None => {}
        }
    }
}

/// What is known of capabilities that calls lack.
#[derive(Default)]
pub(super) struct Lacking {
    /// The capabilities that each environment has been given.
    given: BTreeMap<u32, BTreeSet<String>>,
    /// The first call that lacked capabilities, by environment and capabilities: all others have the same cause.
    missing: BTreeMap<(u32, String), (u32, String)>,
}

impl Lacking {
    /// The environment has been given capabilities.
    pub fn added(&mut self, environment: u32, names: impl IntoIterator<Item = String>) {
        self.given.entry(environment).or_default().extend(names);
    }

    /// The first call that lacked the capabilities that this one of that function does: its place and its function.
    pub fn first(&mut self, state: &AgentState<'_>, call: &Call, name: &str) -> (u32, String) {
        let needed: Vec<&str> = used(state, call).into_iter().map(String::as_str).collect();
        let key = (call.environment, needed.join(SEPARATOR));
        self.missing.entry(key).or_insert_with(|| (call.site, name.to_owned())).clone()
    }

    /// Which other environment of the agent has the capability that the call lacks, in words.
    pub fn elsewhere(&self, state: &AgentState<'_>, call: &Call) -> String {
        let library = state.library(call.environment);
        let others = self.given.iter().filter(|(other, _)| {
            **other != call.environment
                && state.library(**other) == library
                && state.environments.get(other).is_some_and(|environment| !environment.gone)
        });
        let needed = used(state, call);
        let mut both = others.filter_map(|(other, has)| {
            needed.iter().find(|name| has.contains(**name)).map(|name| (*other, *name))
        });
        both.next().map_or_else(String::new, |(other, name)| {
            format!(
                "; environment {other} of the agent has {name}, but environment {}, which it passed, has not",
                call.environment
            )
        })
    }
}
