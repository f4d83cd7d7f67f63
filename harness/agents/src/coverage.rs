//! What of the specification recordings exercise: functions, error codes, events, capabilities, and statements.
//!
//! A statement counts as exercised if a recording has an occasion on which a JVM that breaks it could have shown that: the call in
//! that phase, the null argument, the code that was returned. Only statements that follow from the tables of the specification can
//! be recognised in this way ([`Kind`]s), not those of its prose.

use std::collections::{BTreeMap, BTreeSet};

use jvmti_spec::{Assertion, Edition, Release, Spec};
use jvmti_traces::phase;
use jvmti_wire::Value;
use serde::Serialize;

use crate::agent_state::{AgentState, Call, TraceEvent};
use crate::digest::{Digest, named_in};

/// Kinds of statements that a call or an event exercises: what stands behind the `#` of their ids, or begins it.
const KINDS: [&str; 12] = [
    "slot",
    "phase/",
    "null/",
    "errors/",
    "capability/",
    "output/",
    "local-refs/",
    "null-output/",
    "callback-safe",
    "enable",
    "phases",
    "params/",
];

/// Callbacks in which only callback-safe functions may be called.
const RESTRICTED: [&str; 3] = ["GarbageCollectionStart", "GarbageCollectionFinish", "ObjectFree"];

/// What one or several recordings exercise.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Coverage {
    /// The releases of the JVMs.
    pub releases: BTreeSet<u16>,
    /// How often each function was called.
    pub functions: BTreeMap<String, u64>,
    /// How often each function returned which error.
    pub errors: BTreeMap<String, BTreeMap<String, u64>>,
    /// How often each event came.
    pub events: BTreeMap<String, u64>,
    /// The capabilities that an agent was granted.
    pub capabilities: BTreeSet<String>,
    /// The ids of the statements.
    pub statements: BTreeSet<String>,
    /// The capabilities that each environment of the present recording possesses.
    #[serde(skip)]
    granted: BTreeMap<u32, BTreeSet<String>>,
}

/// Of a chapter, of the events, of the capabilities or of everything, how much was exercised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// The chapter's id, `events`, `capabilities` or `all`.
    pub part: String,
    /// Functions, events or capabilities that occurred, and how many there are.
    pub used: (usize, usize),
    /// Errors that a function returned, of those that it lists.
    pub errors: (usize, usize),
    /// Statements that were exercised, of those that can be recognised.
    pub statements: (usize, usize),
}

impl Coverage {
    /// Takes the next trace event of a recording.
    pub fn observe(&mut self, state: &AgentState<'_>, trace_event: &TraceEvent<'_>) {
        match trace_event {
            TraceEvent::Returned { call, code, outputs, .. } => self.returned(state, call, *code, outputs),
            TraceEvent::Entered(delivery, args) => {
                self.exercise(&delivery.name, "enable".to_owned());
                self.exercise(&delivery.name, "phases".to_owned());
                let event = state.names.spec().events.iter().find(|event| event.name == delivery.name);
                for (param, _) in event.iter().flat_map(|event| &event.params).zip(*args) {
                    self.exercise(&delivery.name, format!("params/{}", param.name));
                }
            }
            TraceEvent::Begun(_) | TraceEvent::Brief(_) | TraceEvent::Left { .. } | TraceEvent::Other => {}
        }
    }

    /// Takes the end of a recording on a JVM of that release.
    pub fn finish(&mut self, digest: &Digest, release: Release) {
        self.releases.insert(release.0);
        for (function, cost) in &digest.functions {
            *self.functions.entry(function.clone()).or_default() += cost.count;
        }
        for (event, cost) in &digest.events {
            *self.events.entry(event.clone()).or_default() += cost.count;
        }
        self.granted.clear();
        for environment in digest.environments.values() {
            self.capabilities.extend(environment.granted.iter().cloned());
        }
    }

    /// Follows which capabilities environments possess.
    fn track(&mut self, state: &AgentState<'_>, call: &Call, code: i32) {
        if code != 0 {
            return;
        }
        let granted = self.granted.entry(call.environment).or_default();
        if let Some(added) = named_in(state, call, "AddCapabilities") {
            granted.extend(added);
        } else if let Some(relinquished) = named_in(state, call, "RelinquishCapabilities") {
            granted.retain(|capability| !relinquished.contains(capability));
        }
    }

    fn exercise(&mut self, name: &str, what: String) {
        self.statements.insert(format!("{name}#{what}"));
    }

    fn returned(&mut self, state: &AgentState<'_>, call: &Call, code: i32, outputs: &[(u16, Value)]) {
        let Some(function) = state.names.facts(call.function) else { return };
        let name = &function.name;
        self.exercise(name, "slot".to_owned());
        self.exercise(name, format!("phase/{}", phase(call.phase)));
        if state.delivery(call.thread).is_some_and(|delivery| RESTRICTED.contains(&delivery.name.as_str())) {
            self.exercise(name, "callback-safe".to_owned());
        }
        for (param, arg) in function.params.iter().zip(&call.args) {
            if *arg == Value::Null {
                self.exercise(name, format!("null/{}", param.name));
            }
        }
        self.track(state, call, code);
        let granted = self.granted.get(&call.environment).cloned().unwrap_or_default();
        if code != 0 {
            let error = state.names.error(code);
            if error == "MUST_POSSESS_CAPABILITY" {
                let lacking = function.capabilities.required.iter().filter(|c| !granted.contains(*c));
                lacking.for_each(|c| self.exercise(name, format!("capability/{c}")));
            }
            self.exercise(name, format!("errors/{error}"));
            *self.errors.entry(name.clone()).or_default().entry(error).or_default() += 1;
            return;
        }
        let optional = function.capabilities.optional.iter().filter(|c| granted.contains(*c));
        optional.for_each(|c| self.exercise(name, format!("capability/{c}")));
        for (param, value) in outputs {
            let Some(param) = function.params.get(usize::from(*param)).map(|param| &param.name) else {
                continue;
            };
            self.exercise(name, format!("output/{param}"));
            self.exercise(name, format!("local-refs/{param}"));
            if *value == Value::Null {
                self.exercise(name, format!("null-output/{param}"));
            }
        }
    }

    /// The newest specification that one of the recorded JVMs is held to.
    fn edition(&self) -> Edition {
        Spec::embedded().at(self.releases.last().map_or(Release::NEWEST, |release| Release(*release)))
    }

    /// The statements of that specification that a recording can exercise.
    fn recognisable(&self) -> Vec<Assertion> {
        let edition = self.edition();
        let is_kind = |a: &Assertion| {
            let kind = a.id.split_once('#').map(|(_, kind)| kind);
            kind.is_some_and(|kind| {
                KINDS.iter().any(|known| kind == *known || known.ends_with('/') && kind.starts_with(known))
            })
        };
        let all = Spec::embedded().assertions(edition.release).into_iter();
        // What is said of a capability has the same form.
        all.filter(is_kind).filter(|a| a.subject.as_ref().is_some_and(|s| !s.starts_with("can_"))).collect()
    }

    /// How much was exercised, by chapter, of the events, of the capabilities, and of all.
    pub fn shares(&self) -> Vec<Share> {
        let edition = self.edition();
        let statements = self.recognisable();
        let statements_of = |part: &str| {
            let those = statements.iter().filter(|a| a.chapter == part);
            (those.clone().filter(|a| self.statements.contains(&a.id)).count(), those.count())
        };
        let mut shares: Vec<Share> = Vec::new();
        for chapter in &edition.chapters {
            let functions = edition.functions.iter().filter(|f| f.chapter == chapter.id);
            let mut share = Share {
                part: chapter.id.clone(),
                statements: statements_of(&chapter.id),
                ..Share::default()
            };
            for function in functions {
                share.used = plus(share.used, (self.functions.contains_key(&function.name).into(), 1));
                let listed: BTreeSet<&String> = function.errors.iter().map(|row| &row.error).collect();
                let seen = |error: &&&String| {
                    self.errors.get(&function.name).is_some_and(|e| e.contains_key(**error))
                };
                share.errors = plus(share.errors, (listed.iter().filter(seen).count(), listed.len()));
            }
            shares.push(share);
        }
        let used = edition.events.iter().filter(|event| self.events.contains_key(&event.name)).count();
        let events = (used, edition.events.len());
        shares.push(Share {
            part: "events".into(),
            used: events,
            statements: statements_of("events"),
            ..Share::default()
        });
        let granted = edition.capabilities.iter().filter(|c| self.capabilities.contains(&c.name)).count();
        let capabilities = (granted, edition.capabilities.len());
        shares.push(Share { part: "capabilities".into(), used: capabilities, ..Share::default() });
        let all = shares.iter().fold(Share { part: "all".into(), ..Share::default() }, |all, share| Share {
            used: plus(all.used, share.used),
            errors: plus(all.errors, share.errors),
            statements: plus(all.statements, share.statements),
            ..all
        });
        shares.push(all);
        shares.retain(|share| share.used.1 > 0);
        shares
    }

    /// The functions, events and capabilities that no recording has, and the statements that none exercises.
    pub fn untouched(&self) -> Vec<String> {
        let edition = self.edition();
        let functions =
            edition.functions.iter().map(|f| &f.name).filter(|name| !self.functions.contains_key(*name));
        let events = edition.events.iter().map(|e| &e.name).filter(|name| !self.events.contains_key(*name));
        let capabilities =
            edition.capabilities.iter().map(|c| &c.name).filter(|name| !self.capabilities.contains(*name));
        let absent: BTreeSet<String> = functions.chain(events).chain(capabilities).cloned().collect();
        let statements = self.recognisable().into_iter();
        // Nobody needs the statements about a function that is missing as a whole.
        let statements =
            statements.filter(|a| a.subject.as_ref().is_none_or(|subject| !absent.contains(subject)));
        let statements = statements.map(|a| a.id).filter(|id| !self.statements.contains(id));
        absent.iter().cloned().chain(statements).collect()
    }
}

fn plus(a: (usize, usize), b: (usize, usize)) -> (usize, usize) {
    (a.0 + b.0, a.1 + b.1)
}
