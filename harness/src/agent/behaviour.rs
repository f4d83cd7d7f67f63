//! How an agent behaved, in a form that two recordings can be held against each other by: by the place that calls come
//! from and the thread, not by time.

use std::collections::{BTreeMap, BTreeSet};

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Record};
use serde::Serialize;

use super::digest::Digest;
use super::scene::{Call, Moment, Scene};
use crate::judge::misuse::{Finding, Severity};
use crate::render::Names;

/// Where calls come from.
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

/// What calls from one place came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Answers {
    /// How many calls there were.
    pub calls: u64,
    /// Error codes, and how often each.
    pub codes: BTreeMap<i32, u64>,
    /// Outputs that were the same each time, by parameter; `None`: they were not.
    pub outputs: BTreeMap<u16, Option<String>>,
    /// Time of the calls, in nanoseconds.
    pub times: Vec<u64>,
}

impl Answers {
    /// The time that half of the calls did not exceed, in nanoseconds.
    pub fn median(&self) -> u64 {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or(0)
    }

    /// Adds what calls from another place came to.
    pub fn merge(&mut self, other: &Answers) {
        self.calls += other.calls;
        for (code, count) in &other.codes {
            *self.codes.entry(*code).or_default() += count;
        }
        for (param, value) in &other.outputs {
            self.note(*param, value.clone());
        }
        self.times.extend(&other.times);
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
    /// What the JVM is, in its own words.
    pub jvm: String,
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
    /// Calls that did not return.
    pub open: Vec<String>,
}

impl Behaviour {
    /// Takes a moment.
    pub fn see(&mut self, scene: &Scene<'_>, record: &Record, moment: &Moment<'_>) {
        match moment {
            Moment::Returned { call, code, outputs, took } => {
                let answers = self.calls.entry(origin(scene, call)).or_default();
                answers.calls += 1;
                *answers.codes.entry(*code).or_default() += 1;
                answers.times.push(*took);
                let function = scene.names.spec().functions.iter().find(|f| f.slot == call.function);
                for (param, value) in *outputs {
                    let is_output = function
                        .and_then(|f| f.params.get(usize::from(*param)))
                        .is_some_and(|p| p.dir.is_output());
                    if let (true, Some(shown)) =
                        (is_output, comparable(&scene.names, call.function, *param, value))
                    {
                        answers.note(*param, Some(shown));
                    }
                }
                if let (0, Some(Value::Int(1)), Some(Value::Int(event)), "SetEventNotificationMode") =
                    (*code, call.args.first(), call.args.get(1), scene.names.function(call.function).as_str())
                {
                    let event = scene.names.event(u16::try_from(*event).unwrap_or_default());
                    self.enabled.insert((scene.library(call.environment), event));
                }
            }
            Moment::Entered(delivery, _) => {
                let key = (scene.library(delivery.environment), delivery.name.clone());
                *self.events.entry(key).or_default() += 1;
            }
            Moment::Other => {
                if let Body::Identity { key, value } = &record.body
                    && (key == "java.vm.name" || key == "java.vm.version")
                {
                    let gap = if self.jvm.is_empty() { "" } else { " " };
                    self.jvm = format!("{}{gap}{value}", self.jvm);
                }
            }
            _ => {}
        }
    }

    /// The trace is over.
    pub fn finish(&mut self, digest: &Digest, findings: &[Finding]) {
        for environment in digest.environments.values() {
            let of = |name: &String| (environment.library.clone(), name.clone());
            self.granted.extend(environment.granted.iter().map(of));
            self.refused.extend(environment.asked.difference(&environment.granted).map(of));
        }
        for finding in findings.iter().filter(|finding| finding.severity > Severity::Note) {
            let place = finding.place.first().map(crate::render::code_place).unwrap_or_default();
            self.misuse.entry((finding.rule.to_owned(), place)).or_insert_with(|| finding.what.clone());
        }
        self.open.clone_from(&digest.open);
    }

    /// The calls, told apart by less: by library and function only, where `coarse` says so of the library.
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

fn origin(scene: &Scene<'_>, call: &Call) -> Origin {
    let place = scene.site(call.site).first();
    let library = place.map(|place| place.library.rsplit('/').next().unwrap_or_default().to_owned());
    let thread = scene.names.thread_object(call.thread).and_then(|object| scene.names.name_of(object));
    Origin {
        library: library.unwrap_or_default(),
        offset: place.map_or(0, |place| place.offset),
        function: scene.names.function(call.function),
        thread: thread.unwrap_or_default().to_owned(),
    }
}

/// What of an output can be the same in two runs: not addresses, ids, times and counts of what happens to be there.
fn comparable(names: &Names<'_>, function: u16, param: u16, value: &Value) -> Option<String> {
    match value {
        Value::Int(_) => Some(names.parameter(function, param, value)),
        Value::Str(bytes) => Some(format!("{:?}", String::from_utf8_lossy(bytes))),
        Value::Null => Some("null".to_owned()),
        Value::Object(object) => Some(names.object(*object)).filter(|shown| !shown.contains('#')),
        _ => None,
    }
}
