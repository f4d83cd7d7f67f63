//! Smallest well-formed arguments of each function, from `arguments.yaml`: what rules pass where they don't care.

use jvmti_spec::edition::{Function, Param};

use super::context::Context;
use super::yaml::{Node, Value};

/// The table: by C type, by parameter name, by function; the more specific one wins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    root: Option<Node>,
}

/// Which arguments there can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// There are no objects, or none any more (OnLoad, primordial and dead phase).
    Early,
    /// There are classes, but nothing that a scenario has bound (VMStart, VMInit, VMDeath).
    Start,
    /// The scenario has bound its names.
    Live,
}

impl Stage {
    fn key(self) -> &'static str {
        match self {
            Stage::Early => "early",
            Stage::Start => "start",
            Stage::Live => "live",
        }
    }

    /// The variant for this stage, if the node has variants; else the node. Where there is none for the start, it is
    /// the early one.
    fn of(self, node: &Node) -> Option<&Node> {
        match &node.value {
            Value::Map(entries)
                if !entries.is_empty()
                    && entries
                        .iter()
                        .all(|(key, _)| matches!(key.as_str(), Some("early" | "start" | "live"))) =>
            {
                let own = node.get(self.key());
                if self == Stage::Start { own.or_else(|| node.get(Stage::Early.key())) } else { own }
            }
            _ => Some(node),
        }
    }
}

impl Arguments {
    /// The table as read from its file.
    pub fn new(root: Node) -> Self {
        Arguments { root: Some(root) }
    }

    /// The argument for a parameter, given the name of the parameter that is being passed as null, if any: other
    /// parameters may then need other values.
    pub fn value(
        &self,
        function: &Function,
        param: &Param,
        stage: Stage,
        null: Option<&str>,
    ) -> Option<&Node> {
        let root = self.root.as_ref()?;
        let by_function = || {
            let entry = root.get("functions")?.get(&function.name)?;
            let when_null = null.and_then(|name| entry.get("when_null")?.get(name)?.get(&param.name));
            when_null.or_else(|| entry.get("with")?.get(&param.name))
        };
        let by_name = || root.get("parameters")?.get(&param.name);
        let by_type = || root.get("types")?.get(&param.c_type);
        [by_function(), by_name(), by_type()].into_iter().flatten().find_map(|node| stage.of(node))
    }

    /// Steps that must come before (`before`) or after (`after`) a call of that function.
    pub fn steps(&self, function: &Function, part: &str, stage: Stage) -> &[Node] {
        let node = self
            .root
            .as_ref()
            .and_then(|root| stage.of(root.get("functions")?.get(&function.name)?.get(part)?));
        match node.map(|node| &node.value) {
            Some(Value::List(steps)) => steps,
            _ => &[],
        }
    }

    /// Notes names in the table that no release has.
    pub fn check(&self, cx: &Context<'_>) {
        let Some(root) = &self.root else { return };
        let Some(parts) = cx.fields(root, "the argument table", &["types", "parameters", "functions"]) else {
            return;
        };
        let params = || cx.newest.functions.iter().flat_map(|f| &f.params);
        for (part, what) in [("types", "type"), ("parameters", "parameter")] {
            let name =
                |param: &'_ Param| if part == "types" { param.c_type.clone() } else { param.name.clone() };
            let entries = parts.get(part).and_then(|node| cx.entries(node, "a mapping by name"));
            for (key, at, _) in entries.into_iter().flatten() {
                if !params().any(|param| name(param) == key) {
                    let known: Vec<String> = params().map(name).collect();
                    cx.unknown(at.span, what, key, known.iter().map(String::as_str));
                }
            }
        }
        let functions = parts.get("functions").and_then(|node| cx.entries(node, "a mapping by function"));
        for (key, at, entry) in functions.into_iter().flatten() {
            let Some(function) = cx.newest.function(key) else {
                cx.unknown(at.span, "function", key, cx.newest.functions.iter().map(|f| f.name.as_str()));
                continue;
            };
            cx.fields(entry, "a function's arguments", &["with", "before", "after", "when_null"]);
            check_params(cx, function, entry.get("with"));
            check_params(cx, function, entry.get("when_null"));
            let overrides =
                entry.get("when_null").and_then(|node| cx.entries(node, "a mapping by parameter"));
            for (.., other) in overrides.into_iter().flatten() {
                check_params(cx, function, Some(other));
            }
        }
    }
}

fn check_params(cx: &Context<'_>, function: &Function, node: Option<&Node>) {
    let entries = node.and_then(|node| cx.entries(node, "a mapping by parameter"));
    for (name, key, _) in entries.into_iter().flatten() {
        if !function.params.iter().any(|param| param.name == name) {
            let what = format!("parameter of {}", function.name);
            cx.unknown(key.span, &what, name, function.params.iter().map(|p| p.name.as_str()));
        }
    }
}
