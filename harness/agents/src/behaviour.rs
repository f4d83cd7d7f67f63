//! How an agent behaved, in a form in which two recordings can be compared: by call site and thread, not by time.

use std::collections::{BTreeMap, BTreeSet};

use jvmti_traces::{Names, code_place};

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Exit, Record};
use serde::Serialize;

use super::agent_state::{AgentState, Call, TraceEvent};
use super::digest::{Digest, Open};
use super::times::Times;
use crate::misuse::{Severity, Violation};
use crate::symbols::file_name;

/// Where calls come from: the call site, the function and the thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Origin {
    /// File name of the library.
    pub library: String,
    /// Distance from where the library is loaded.
    pub offset: u64,
    /// The function of the interface.
    pub function: String,
    /// Name of the thread; empty if it is not known.
    pub thread: String,
}

/// The results of the calls from one call site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// How many calls there were.
    pub calls: u64,
    /// Error codes, and how often each.
    pub codes: BTreeMap<i32, u64>,
    /// Outputs that were the same each time, by parameter; `None`: they were not.
    pub outputs: BTreeMap<u16, Option<String>>,
    /// How long the calls took.
    pub times: Times,
}

impl Answers {
    /// The time that half of the calls did not exceed, in nanoseconds.
    pub fn median(&self) -> u64 {
        self.times.percentile(50.0)
    }

    /// Adds the results of calls from another call site.
    pub fn merge(&mut self, other: &Answers) {
        self.calls += other.calls;
        for (code, count) in &other.codes {
            *self.codes.entry(*code).or_default() += count;
        }
        for (param, value) in &other.outputs {
            self.note(*param, value.clone());
        }
        self.times.merge(&other.times);
    }

    fn note(&mut self, param: u16, value: Option<String>) {
        match self.outputs.get_mut(&param) {
            Some(known) if *known != value => *known = None,
            Some(_) => {}
            None => drop(self.outputs.insert(param, value)),
        }
    }
}

/// How the agents of one recording behaved.
#[derive(Debug, Default)]
pub struct Behaviour {
    /// Calls by where they come from.
    pub calls: BTreeMap<Origin, Answers>,
    /// Callbacks: how many, by event and library.
    pub events: BTreeMap<(String, String), u64>,
    /// Events enabled, by library.
    pub enabled: BTreeSet<(String, String)>,
    /// Capabilities granted, by library.
    pub granted: BTreeSet<(String, String)>,
    /// Capabilities refused, by library.
    pub refused: BTreeSet<(String, String)>,
    /// Rules broken, and what was seen.
    pub misuse: BTreeMap<(String, String), String>,
    /// Capabilities requested, by library.
    pub asked: BTreeSet<(String, String)>,
    /// Calls and callbacks that did not return.
    pub open: Vec<Open>,
    /// How the process ended, if the trace says so.
    pub ended: Option<Exit>,
    /// The identity of the JVM, by key.
    pub identity: BTreeMap<String, String>,
}

impl Behaviour {
    /// Takes the next trace event.
    pub fn observe(&mut self, state: &AgentState<'_>, record: &Record, trace_event: &TraceEvent<'_>) {
        match trace_event {
            TraceEvent::Returned { call, code, outputs, took } => {
                let answers = self.calls.entry(origin(state, call)).or_default();
                answers.calls += 1;
                *answers.codes.entry(*code).or_default() += 1;
                took.wall.into_iter().for_each(|wall| answers.times.add(wall));
                let function = state.names.facts(call.function);
                // After an error they are what the recording has put there.
                for (param, value) in outputs.iter().filter(|_| *code == 0) {
                    let is_output = function
                        .and_then(|f| f.params.get(usize::from(*param)))
                        .is_some_and(|p| p.dir.is_output());
                    if let (true, Some(shown)) =
                        (is_output, comparable(&state.names, call.function, *param, value))
                    {
                        answers.note(*param, Some(shown));
                    }
                }
                if let (0, Some(Value::Int(1)), Some(Value::Int(event)), "SetEventNotificationMode") =
                    (*code, call.args.first(), call.args.get(1), state.names.function(call.function).as_ref())
                {
                    let event = state.names.event(u16::try_from(*event).unwrap_or_default());
                    self.enabled.insert((state.library(call.environment), event));
                }
            }
            TraceEvent::Entered(delivery, _) => {
                let key = (state.library(delivery.environment), delivery.name.clone());
                *self.events.entry(key).or_default() += 1;
            }
            TraceEvent::Other => {
                if let Body::Identity { key, value } = &record.body {
                    self.identity.insert(key.clone(), value.clone());
                }
            }
            _ => {}
        }
    }

    /// Takes the end of the trace.
    pub fn finish(&mut self, state: &AgentState<'_>, digest: &Digest, findings: &[Violation]) {
        for ((site, function), count) in &state.counted.calls {
            let place = origin_of(state, *site, *function);
            let is_there = |of: &Origin| {
                (&of.library, of.offset, &of.function) == (&place.library, place.offset, &place.function)
            };
            // Which thread made them was not counted: most were made by the one that most of the others were.
            let most = self.calls.iter_mut().filter(|(of, _)| is_there(of)).max_by_key(|(_, a)| a.calls);
            if let Some((_, answers)) = most {
                answers.calls += count;
            }
        }
        for ((environment, event), count) in &state.counted.events {
            let key = (state.library(*environment), state.names.event(*event));
            *self.events.entry(key).or_default() += count;
        }
        for environment in digest.environments.values() {
            let of = |name: &String| (environment.library.clone(), name.clone());
            self.asked.extend(environment.asked.iter().map(of));
            self.granted.extend(environment.granted.iter().map(of));
            self.refused.extend(environment.asked.difference(&environment.granted).map(of));
        }
        for finding in findings.iter().filter(|finding| finding.severity > Severity::Note) {
            let place = finding.place.first().map(|place| code_place(&place.code)).unwrap_or_default();
            self.misuse.entry((finding.rule.to_owned(), place)).or_insert_with(|| finding.what.clone());
        }
        self.open.clone_from(&digest.open);
        self.ended = digest.ended;
    }

    /// Name and version of the JVM.
    pub fn jvm(&self) -> String {
        let of = |key: &str| self.identity.get(key).map_or("", String::as_str);
        format!("{} {}", of("java.vm.name"), of("java.vm.version")).trim().to_owned()
    }

    /// Whether the process did not exit with code 0.
    pub fn ended_badly(&self) -> bool {
        !matches!(self.ended, None | Some(Exit::Code(0)))
    }

    /// The calls by call site; those of a library in `coarse` by function only.
    pub fn aligned(&self, coarse: &BTreeSet<String>) -> BTreeMap<Origin, Answers> {
        let mut aligned: BTreeMap<Origin, Answers> = BTreeMap::new();
        for (origin, answers) in &self.calls {
            let mut origin = origin.clone();
            if coarse.contains(&origin.library) {
                origin.offset = 0;
            }
            aligned.entry(origin).or_default().merge(answers);
        }
        aligned
    }

    /// The offsets from which a library calls.
    pub fn places(&self) -> BTreeMap<&str, BTreeSet<u64>> {
        let mut places: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for origin in self.calls.keys() {
            places.entry(&origin.library).or_default().insert(origin.offset);
        }
        places
    }
}

fn origin(state: &AgentState<'_>, call: &Call) -> Origin {
    let thread = state.names.thread_name(call.thread);
    Origin { thread: thread.unwrap_or_default().to_owned(), ..origin_of(state, call.site, call.function) }
}

/// The origin of the calls of a function from a call site, whatever the thread.
fn origin_of(state: &AgentState<'_>, site: u32, function: u16) -> Origin {
    let place = state.site(site).first();
    let library = place.map(|place| file_name(&place.library).to_owned());
    Origin {
        library: library.unwrap_or_default(),
        offset: place.map_or(0, |place| place.offset),
        function: state.names.function(function).into_owned(),
        thread: String::new(),
    }
}

/// An output as text, if it can be the same in two runs: addresses, ids, times and counts cannot.
fn comparable(names: &Names<'_>, function: u16, param: u16, value: &Value) -> Option<String> {
    match value {
        Value::Int(_) => Some(names.parameter(function, param, value)),
        Value::Str(bytes) => Some(format!("{:?}", String::from_utf8_lossy(bytes))),
        Value::Null => Some("null".to_owned()),
        Value::Object(object) => Some(names.object(*object)).filter(|shown| !shown.contains('#')),
        _ => None,
    }
}
