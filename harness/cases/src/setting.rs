//! What names mean within one case: its scenario, environments, saved steps and the moment of the step being read.

use std::cell::Cell;
use std::mem;

use jvmti_spec::edition::{EventParam, Function};
use jvmti_wire::plan::PathPart;

use super::catalogue::Scenario;
use super::context::Context;
use super::each::Bindings;
use super::model::Environment;
use super::source::Span;
use super::yaml::Node;

/// The surroundings of a step.
pub struct Setting<'c, 'a> {
    /// The release, the other files, the findings.
    pub cx: &'c Context<'a>,
    /// The case's scenario.
    pub scenario: Option<&'a Scenario>,
    /// The case's environments.
    pub environments: Vec<Environment>,
    /// Steps saved so far.
    pub saved: Vec<Saved<'a>>,
    /// Names of all steps that the case saves anywhere, to tell "later" from "never".
    pub saved_anywhere: Vec<String>,
    /// Whether the case itself adds capabilities or enables events by calls, so that they can't be told beforehand.
    pub adds_capabilities: bool,
    /// Whether the case says anywhere what it expects, so that calls without `expect` are helpers.
    pub expects_something: bool,
    /// Parameters of the event or callback in which the step is taken.
    pub happening: Option<&'a [EventParam]>,
    /// Whether the case has named a place in a method by an index in its bytecode.
    pub bytecode_indices: &'c Cell<bool>,
}

/// A step whose outputs can be referred to.
pub struct Saved<'a> {
    /// Name as written.
    pub name: String,
    /// Name in the plan, unique within the case.
    pub unique: String,
    /// The function called; `None`: a JNI operation.
    pub function: Option<&'a Function>,
}

/// What `$name` refers to.
pub enum Meaning {
    /// The thread that makes the call.
    CurrentThread,
    /// An object bound by the scenario.
    Bound(String),
    /// An output of an earlier step.
    Output {
        /// Name of the step in the plan.
        step: String,
        /// Index of the parameter.
        param: u16,
        /// Way into it.
        path: Vec<PathPart>,
    },
}

impl<'a> Setting<'_, 'a> {
    /// Reads something in which names stand for what is bound here.
    pub fn binding<R>(&mut self, bindings: Bindings, read: impl FnOnce(&mut Setting<'_, 'a>) -> R) -> R {
        let cx = self.cx.binding(bindings);
        let mut inner = Setting {
            cx: &cx,
            environments: mem::take(&mut self.environments),
            saved: mem::take(&mut self.saved),
            saved_anywhere: mem::take(&mut self.saved_anywhere),
            ..*self
        };
        let result = read(&mut inner);
        let Setting { environments, saved, saved_anywhere, happening, .. } = inner;
        (self.environments, self.saved, self.saved_anywhere) = (environments, saved, saved_anywhere);
        self.happening = happening;
        result
    }
}

impl Setting<'_, '_> {
    /// What a `$…` text refers to. `text` is without the `$`.
    pub fn meaning(&self, text: &str, span: Span) -> Option<Meaning> {
        if text == "current_thread" {
            return Some(Meaning::CurrentThread);
        }
        let mut parts = text.split(['.', '[']).map(|part| part.trim_end_matches(']'));
        let name = parts.next().unwrap_or_default();
        let Some(saved) = self.saved.iter().rev().find(|saved| saved.name == name) else {
            return self.bound(text, name, span);
        };
        let step = saved.unique.clone();
        let Some(function) = saved.function else {
            // Of memory, the length.
            let path = parts.map(|part| PathPart::Field(part.to_owned())).collect();
            return Some(Meaning::Output { step, param: 0, path });
        };
        let outputs = || function.params.iter().filter(|p| p.dir.is_output()).map(|p| p.name.as_str());
        let Some(output) = parts.next() else {
            let help = format!(
                "say which output: {}",
                outputs().map(|o| format!("${name}.{o}")).collect::<Vec<_>>().join(", ")
            );
            self.cx.error_with_help(span, format!("`${name}` is a step, not a value"), Some(help));
            return None;
        };
        let Some(param) = output_index(function, output) else {
            self.cx.unknown(span, &format!("output of {}", function.name), output, outputs());
            return None;
        };
        let path = parts
            .map(|part| {
                part.parse().map(PathPart::Index).unwrap_or_else(|_| PathPart::Field(part.to_owned()))
            })
            .collect();
        Some(Meaning::Output { step, param, path })
    }

    fn bound(&self, text: &str, name: &str, span: Span) -> Option<Meaning> {
        let bound = self.scenario.map(|scenario| scenario.binds.as_slice()).unwrap_or_default();
        if bound.iter().any(|b| b.name == text) {
            return Some(Meaning::Bound(text.to_owned()));
        }
        if self.saved_anywhere.iter().any(|later| later == name) {
            self.cx.error(span, format!("step `{name}` comes later than this"));
            return None;
        }
        let steps = self.saved.iter().map(|saved| saved.name.as_str());
        let known = bound.iter().map(|b| b.name.as_str()).chain(steps).chain(["current_thread"]);
        self.cx.unknown(
            span,
            "name",
            &format!("${text}"),
            known.map(|n| format!("${n}")).collect::<Vec<_>>().iter().map(String::as_str),
        );
        None
    }

    /// Ids of assertions; notes those that the release doesn't have.
    pub fn citations(&self, node: Option<&Node>) -> Vec<String> {
        let Some(node) = node else { return Vec::new() };
        let cites = self.cx.texts(node, "the id of an assertion");
        if let Some(known) = self.cx.assertions {
            for (id, span) in cites.iter().filter(|(id, _)| !known.contains(id)) {
                self.cx.unknown(*span, "assertion", id, known.iter().map(String::as_str));
            }
        }
        cites.into_iter().map(|(id, _)| id).collect()
    }

    /// Index of an environment by name.
    pub fn environment(&self, name: &str, span: Span) -> Option<u8> {
        let index = self.environments.iter().position(|e| e.name == name);
        if index.is_none() {
            let known = self.environments.iter().map(|e| e.name.as_str());
            self.cx.unknown(span, "environment", name, known);
        }
        index.and_then(|i| u8::try_from(i).ok())
    }

    /// Index of a parameter of the event or callback in which the step is taken.
    pub fn event_param(&self, name: &str, span: Span) -> Option<u16> {
        let Some(params) = self.happening else {
            self.cx.error(span, format!("`event.{name}` outside an event's step or handler"));
            return None;
        };
        param_index(params, name).or_else(|| {
            self.cx.unknown(span, "event parameter", name, params.iter().map(|p| p.name.as_str()));
            None
        })
    }
}

/// Index of an output parameter by name, with or without its `_ptr`.
pub fn output_index(function: &Function, name: &str) -> Option<u16> {
    let is_meant = |published: &str| published == name || published.strip_suffix("_ptr") == Some(name);
    let found = function.params.iter().position(|p| p.dir.is_output() && is_meant(&p.name));
    found.and_then(|index| u16::try_from(index).ok())
}

/// Index of an event's or callback's parameter by name, with or without its `_ptr`.
pub fn param_index(params: &[EventParam], name: &str) -> Option<u16> {
    let is_meant = |published: &str| published == name || published.strip_suffix("_ptr") == Some(name);
    params.iter().position(|p| is_meant(&p.name)).and_then(|index| u16::try_from(index).ok())
}
