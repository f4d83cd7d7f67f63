//! The steps of a case in the order in which it takes them: its own, those that its file puts around them, and those
//! that it repeats.

use super::Layers;
use crate::context::Context;
use crate::each::{self, Bindings};
use crate::yaml::Node;

/// Keys of steps that are repeated.
pub const KEYS: [&str; 3] = ["each", "given", "steps"];
/// What stands for the case's own steps among those of its file.
pub const OWN: &str = "case";

/// A step as it is written.
pub struct Written<'n> {
    /// The step.
    pub node: &'n Node,
    /// What names in it stand for, if that is more than in the rest of the case.
    pub bindings: Option<Bindings>,
}

impl Written<'_> {
    /// The name under which the step is saved.
    pub fn name(&self, cx: &Context<'_>) -> Option<String> {
        let name = self.node.get("as")?.as_str()?;
        Some(match &self.bindings {
            Some(bindings) => cx.binding(bindings.clone()).substituted(name).into_owned(),
            None => cx.substituted(name).into_owned(),
        })
    }
}

/// The steps of a case, one after the other.
pub fn of<'n>(cx: &Context<'_>, layers: &Layers<'n>) -> Vec<Written<'n>> {
    let own = layers.case.get("steps");
    let mut steps = Vec::new();
    let Some(frame) = layers.file.and_then(|file| file.get("steps")) else {
        append(cx, own, None, &mut steps);
        return steps;
    };
    for node in cx.list(frame, "a list of steps") {
        if node.as_str() == Some(OWN) {
            append(cx, own, None, &mut steps);
        } else {
            append_one(cx, node, None, &mut steps);
        }
    }
    steps
}

fn append<'n>(
    cx: &Context<'_>,
    list: Option<&'n Node>,
    bindings: Option<&Bindings>,
    into: &mut Vec<Written<'n>>,
) {
    for node in list.map(|list| cx.list(list, "a list of steps")).unwrap_or_default() {
        append_one(cx, node, bindings, into);
    }
}

fn append_one<'n>(
    cx: &Context<'_>,
    node: &'n Node,
    bindings: Option<&Bindings>,
    into: &mut Vec<Written<'n>>,
) {
    let Some(each) = node.get("each") else {
        return into.push(Written { node, bindings: bindings.cloned() });
    };
    let Some(fields) = cx.fields(node, "repeated steps", &KEYS) else { return };
    let Some(steps) = fields.require(cx, "steps", "repeated steps") else { return };
    if cx.is_given(&fields) {
        for combination in each::combinations(cx, each) {
            append(&cx.binding(combination.clone()), Some(steps), Some(&combination), into);
        }
    }
}
