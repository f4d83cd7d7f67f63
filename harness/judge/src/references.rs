//! What a case's expectations refer to: bound objects, stated facts, outputs of earlier steps, classes, methods.

use std::collections::{HashMap, HashSet};

use jvmti_cases::model::{Case, EventPattern, Matcher, Reference};
use jvmti_traces::Names;
use jvmti_wire::plan::PathPart;
use jvmti_wire::value::Value;

use super::case_trace::StepTrace;
use super::truth::Cause;

/// The fact that tells how often threads that were to wait went on for no reason: it matters to every case.
pub(super) const ROUSED: &str = "roused";
/// The fact that names the class of the platform that a scenario needs and the runtime lacks: it matters to every case.
pub(super) const LACKING: &str = "scenario-lacks";

/// What a reference refers to.
pub(super) enum Referent<'s> {
    Value(&'s Value),
    Class(&'s str),
    Method { class: &'s str, name: &'s str, signature: Option<&'s str> },
}

/// What the scenarios said, as far as any case refers to it.
#[derive(Default)]
pub(super) struct Statements {
    wanted: HashSet<String>,
    named: HashMap<String, Vec<Stated>>,
    facts: HashMap<String, Vec<Stated>>,
}

struct Stated {
    seq: u64,
    run: Option<u32>,
    value: Value,
}

impl Statements {
    /// Keeps what these cases refer to.
    pub(super) fn wanted_by(cases: &[Case]) -> Self {
        let mut wanted = HashSet::from([ROUSED, LACKING].map(str::to_owned));
        let mut want = |reference: &Reference| {
            if let Reference::Named(name) | Reference::Fact(name) = reference {
                wanted.insert(name.clone());
            }
        };
        cases.iter().for_each(|case| each_reference(case, &mut want));
        Statements { wanted, ..Statements::default() }
    }

    /// Whether any case refers to this name or key.
    pub(super) fn wants(&self, name: &str) -> bool {
        self.wanted.contains(name)
    }

    pub(super) fn bind(&mut self, name: String, seq: u64, run: Option<u32>, value: Value) {
        self.named.entry(name).or_default().push(Stated { seq, run, value });
    }

    pub(super) fn state(&mut self, key: String, seq: u64, run: Option<u32>, value: Value) {
        self.facts.entry(key).or_default().push(Stated { seq, run, value });
    }
}

/// The latest before `seq`, else the first after, of what was said in this scenario run or before any.
fn pick(stated: Option<&Vec<Stated>>, run: Option<u32>, seq: u64) -> Option<&Value> {
    let in_run = |s: &&Stated| run.is_none() || s.run.is_none() || s.run == run;
    let all = stated?;
    let before = all.iter().rev().filter(in_run).find(|s| s.seq < seq);
    before.or_else(|| all.iter().find(in_run)).map(|s| &s.value)
}

/// The point of view from which references are resolved: a case, at a moment.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    pub names: &'s Names<'s>,
    pub statements: &'s Statements,
    pub steps: &'s [StepTrace],
    pub saved: &'s [Option<&'s str>],
    pub run: Option<u32>,
    pub seq: u64,
}

impl<'s> Scope<'s> {
    /// What the reference refers to.
    pub(super) fn target(&self, reference: &'s Reference) -> Result<Referent<'s>, Cause> {
        match reference {
            Reference::Named(name) => pick(self.statements.named.get(name), self.run, self.seq)
                .or_else(|| self.step(name).and_then(|s| s.jni.as_ref()))
                .map(Referent::Value)
                .ok_or_else(|| Cause::NotBound(name.clone())),
            Reference::Fact(key) => {
                self.fact(key).map(Referent::Value).ok_or_else(|| Cause::NoFact(key.clone()))
            }
            Reference::Output { step, param, path } => self
                .output(step, *param, path)
                .unwrap_or_else(|| Err(Cause::NoOutput(step.clone())))
                .map(Referent::Value),
            Reference::Class(signature) => Ok(Referent::Class(signature)),
            Reference::Method { class, name, signature } => {
                Ok(Referent::Method { class, name, signature: signature.as_deref() })
            }
        }
    }

    /// What the scenario has stated under the key.
    pub(super) fn fact(&self, key: &str) -> Option<&'s Value> {
        pick(self.statements.facts.get(key), self.run, self.seq)
    }

    fn step(&self, name: &str) -> Option<&'s StepTrace> {
        let i = self.saved.iter().position(|saved| *saved == Some(name))?;
        self.steps.get(i)
    }

    fn output(&self, name: &str, param: u16, path: &[PathPart]) -> Option<Result<&'s Value, Cause>> {
        let step = self.step(name)?;
        let mut value = match (&step.end, &step.jni) {
            (Some(end), _) => end.output(param)?,
            (None, Some(result)) if param == 0 => result,
            _ => return None,
        };
        for part in path {
            value = match (part, value) {
                (PathPart::Index(i), Value::List(items)) => match items.get(usize::try_from(*i).ok()?) {
                    Some(item) => item,
                    None => return Some(Err(Cause::NoElement(name.to_owned()))),
                },
                (PathPart::Index(_), Value::Null) => return Some(Err(Cause::NoElement(name.to_owned()))),
                (PathPart::Field(name), value) => value.field(name)?,
                _ => return None,
            };
        }
        Some(Ok(value))
    }
}

fn each_reference(case: &Case, found: &mut impl FnMut(&Reference)) {
    for expect in case.steps.iter().filter_map(|s| s.expect.as_ref()) {
        expect.outputs.iter().for_each(|o| in_matcher(&o.matcher, found));
        for callback in &expect.callbacks {
            callback.params.iter().for_each(|(_, _, m)| in_matcher(m, found));
            in_matcher(&callback.count, found);
        }
    }
    for (key, matcher) in case.occasion.iter().chain(&case.facts) {
        found(&Reference::Fact(key.clone()));
        in_matcher(matcher, found);
    }
    if let Some(life) = &case.life_expected {
        let conditions = life.counts.iter().map(|(_, m)| m);
        let outside = [&life.exit, &life.stdout, &life.stderr].into_iter().flatten();
        conditions.chain(outside).for_each(|m| in_matcher(m, found));
    }
    let Some(events) = &case.events else { return };
    let patterns = (events.in_order.iter())
        .chain(&events.never)
        .chain(events.counts.iter().map(|(p, _)| p))
        .chain(events.exactly.iter().flat_map(|e| e.of.iter().chain(&e.are)))
        .chain(events.between.iter().flat_map(|b| [&b.from, &b.to, &b.of]))
        .chain(events.per_thread_before.iter().flat_map(|(a, b)| [a, b]));
    patterns.for_each(|p| in_pattern(p, found));
    events.counts.iter().for_each(|(_, m)| in_matcher(m, found));
    events.between.iter().for_each(|b| in_matcher(&b.is, found));
}

fn in_pattern(pattern: &EventPattern, found: &mut impl FnMut(&Reference)) {
    pattern.params.iter().for_each(|(_, _, m)| in_matcher(m, found));
    if let Some(after) = &pattern.after {
        in_pattern(after, found);
    }
}

fn in_matcher(matcher: &Matcher, found: &mut impl FnMut(&Reference)) {
    match matcher {
        Matcher::Is(reference)
        | Matcher::SameThreadState(reference)
        | Matcher::AtLeast(reference)
        | Matcher::AtMost(reference)
        | Matcher::Plus(reference, _) => found(reference),
        Matcher::Loads { of, .. } => found(of),
        Matcher::ClassFile { files, since } => {
            found(files);
            since.iter().flat_map(|(survey, files)| [survey, files]).for_each(found);
        }
        Matcher::Constants(m)
        | Matcher::Length(m)
        | Matcher::Contains(m)
        | Matcher::Each(m)
        | Matcher::Not(m) => in_matcher(m, found),
        Matcher::Elements(all)
        | Matcher::Consecutive(all)
        | Matcher::Set(all)
        | Matcher::All(all)
        | Matcher::Any(all) => {
            all.iter().for_each(|m| in_matcher(m, found));
        }
        Matcher::Fields(fields) => fields.iter().for_each(|(_, m)| in_matcher(m, found)),
        _ => {}
    }
}

impl<'s> Scope<'s> {
    /// The value that a plain comparison compares with, for messages.
    pub(super) fn referred(&self, matcher: &'s Matcher) -> Option<&'s Value> {
        match matcher {
            Matcher::Is(reference) => match self.target(reference) {
                Ok(Referent::Value(value)) => Some(value),
                _ => None,
            },
            _ => None,
        }
    }
}
