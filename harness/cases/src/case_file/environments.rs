//! The environments of a case, with their capabilities and events.

use jvmti_wire::plan::Made;

use super::Layers;
use crate::context::Context;
use crate::model::Environment;
use crate::yaml::{Node, Value};

/// The case's environments, at least one.
pub fn environments(cx: &Context<'_>, layers: &Layers<'_>) -> Vec<Environment> {
    let mut shared = Environment {
        name: "main".to_owned(),
        made: None,
        version: None,
        capabilities: layers.capabilities().into_iter().collect(),
        events: Vec::new(),
    };
    for node in layers.all("capabilities") {
        shared.capabilities.extend(capabilities(cx, node));
    }
    for node in layers.all("events") {
        shared.events.extend(events(cx, node));
    }
    let Some(list) = layers.get("environments") else {
        check_events(cx, layers.get("events"), &shared);
        return vec![shared];
    };
    let mut read: Vec<Environment> = Vec::new();
    for node in cx.list(list, "a list of environments") {
        if let Some(environment) = environment(cx, node, &shared) {
            if read.iter().any(|other| other.name == environment.name) {
                cx.error(node.span, format!("a second environment named `{}`", environment.name));
            }
            check_events(cx, Some(node), &environment);
            read.push(environment);
        }
    }
    if read.is_empty() { vec![shared] } else { read }
}

fn environment(cx: &Context<'_>, node: &Node, shared: &Environment) -> Option<Environment> {
    let fields = cx.fields(node, "an environment", &["name", "made", "version", "capabilities", "events"])?;
    let mut environment = shared.clone();
    environment.name = cx.text(fields.require(cx, "name", "an environment")?, "a name")?.into_owned();
    if let Some(made) = fields.get("made") {
        let known = [
            ("on_load", Made::OnLoad),
            ("vm_start", Made::VmStart),
            ("vm_init", Made::VmInit),
            ("run", Made::ScenarioRun),
            ("first_step", Made::FirstStep),
        ];
        let name = cx.text(made, "when the environment is made")?;
        environment.made = known.iter().find(|(n, _)| *n == name).map(|(_, made)| *made);
        if environment.made.is_none() {
            cx.unknown(made.span, "moment to make an environment", &name, known.iter().map(|(n, _)| *n));
        }
    }
    environment.version = fields.get("version").and_then(|n| cx.int(n, "a version such as 0x30010200"));
    if let Some(node) = fields.get("capabilities") {
        environment.capabilities.extend(capabilities(cx, node));
    }
    if let Some(node) = fields.get("events") {
        environment.events.extend(events(cx, node));
    }
    Some(environment)
}

/// Capabilities by name, or `{required_by: $function, except: $capability}`, or a list of such.
fn capabilities(cx: &Context<'_>, node: &Node) -> Vec<String> {
    match &node.value {
        Value::Map(_) => return required_by(cx, node).unwrap_or_default(),
        Value::List(items) => return items.iter().flat_map(|item| capabilities(cx, item)).collect(),
        _ => {}
    }
    let names = cx.texts(node, "a capability").into_iter();
    names.filter(|(name, span)| cx.capability(name, *span)).map(|(name, _)| name).collect()
}

fn required_by(cx: &Context<'_>, node: &Node) -> Option<Vec<String>> {
    let fields = cx.fields(node, "capabilities", &["required_by", "except"])?;
    let bound = |node: &Node| {
        let name = cx.text(node, "a name")?.into_owned();
        Some(name.strip_prefix('$').and_then(|n| cx.bound(n)).map(str::to_owned).unwrap_or(name))
    };
    let of_node = fields.require(cx, "required_by", "capabilities")?;
    let of = bound(of_node)?;
    let required = match cx.edition.event(&of) {
        Some(event) => &event.capabilities.required,
        None => &cx.function(&of, of_node.span)?.capabilities.required,
    };
    let except = fields.get("except").and_then(bound);
    Some(required.iter().filter(|c| Some(*c) != except.as_ref()).cloned().collect())
}

fn events(cx: &Context<'_>, node: &Node) -> Vec<String> {
    let names = cx.texts(node, "an event").into_iter();
    names.filter(|(name, span)| cx.event(name, *span).is_some()).map(|(name, _)| name).collect()
}

/// Notes events that the environment can't enable for want of a capability.
fn check_events(cx: &Context<'_>, at: Option<&Node>, environment: &Environment) {
    for event in environment.events.iter().filter_map(|name| cx.edition.event(name)) {
        for capability in event.capabilities.required.iter().filter(|c| !environment.capabilities.contains(c))
        {
            let message = format!("event {} needs the capability {capability}", event.name);
            let help = format!("add `{capability}` to `capabilities`");
            cx.error_with_help(at.map(|n| n.span).unwrap_or_default(), message, Some(help));
        }
    }
}
