//! Checks the argument table, `arguments.yaml`, against the specification.

use jvmti_spec::edition::{Function, Param};

use super::arguments::Arguments;
use super::context::Context;
use super::yaml::Node;

/// Notes names in the table that no release has.
pub fn check(cx: &Context<'_>, arguments: &Arguments) {
    let Some(root) = arguments.root() else { return };
    let Some(parts) = cx.fields(root, "the argument table", &["types", "parameters", "functions"]) else {
        return;
    };
    let params = || cx.newest.functions.iter().flat_map(|f| &f.params);
    for (part, what) in [("types", "type"), ("parameters", "parameter")] {
        let name = |param: &'_ Param| if part == "types" { param.c_type.clone() } else { param.name.clone() };
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
        let overrides = entry.get("when_null").and_then(|node| cx.entries(node, "a mapping by parameter"));
        for (.., other) in overrides.into_iter().flatten() {
            check_params(cx, function, Some(other));
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
