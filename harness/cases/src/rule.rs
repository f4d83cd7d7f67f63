//! Rules: one case for every element of the specification that a selector names.

mod caller;
mod condition;
mod parameter;
mod selector;
mod thread;

use jvmti_spec::Edition;
use jvmti_spec::edition::{Capabilities, Event, Function};
use jvmti_wire::plan::Action;

use self::condition::ConditionSelector;
use self::parameter::ParameterSelector;
use self::selector::{Element, Selector};
use super::case_file::{Layers, Read, body, heading, releases};
use super::context::{Context, Fields};
use super::each::{self, Bindings};
use super::model::EventExpectation;
use super::step;
use super::yaml::{Node, Value};

/// Keys of a rule: its own, and those of a case, whose texts are templates here.
pub(super) const KEYS: [&str; 23] = [
    "rule",
    "for",
    "id",
    "about",
    "subject",
    "chapter",
    "scenario",
    "releases",
    "capabilities",
    "environments",
    "events",
    "sharing",
    "runs",
    "apart",
    "undefined",
    "vm_options",
    "steps",
    "handlers",
    "occasion",
    "expect_events",
    "expect_facts",
    "life",
    "preconditions",
];

/// The cases of a rule in the release read for.
pub fn cases(cx: &Context<'_>, root: &Node) -> Vec<Read> {
    let known: Vec<&str> = KEYS.into_iter().chain(step::KEYS).collect();
    let Some(fields) = cx.fields(root, "a rule", &known) else { return Vec::new() };
    let Some(quantifier) = fields.require(cx, "for", "a rule") else { return Vec::new() };
    let layers = Layers::new(root, None);
    // What it is over may not exist in other releases. A template says of each element in which releases its case is.
    let is_template = |node: &Node| matches!(&node.value, Value::Str(text) if text.contains('{'));
    let is_general = !fields.get("releases").is_some_and(is_template);
    if is_general && !releases(cx, &layers).contains(cx.edition.release) {
        return Vec::new();
    }
    let before = cx.findings();
    let elements = elements(cx, quantifier).unwrap_or_default();
    if elements.is_empty() && cx.findings() == before {
        cx.error(quantifier.span, "this selects nothing in the specification");
    }
    elements
        .into_iter()
        .filter_map(|element| case(&cx.binding(element.bindings), root, &fields, &layers, element.except))
        .collect()
}

fn case(
    cx: &Context<'_>,
    root: &Node,
    fields: &Fields<'_>,
    layers: &Layers<'_>,
    except: Option<String>,
) -> Option<Read> {
    match except {
        None => body(cx, root, fields, layers).map(without_idle_environments),
        Some(reason) => Some(heading(cx, root, fields, layers)?.inapplicable(reason)),
    }
}

/// Drops the last environments if neither a step of this element needs them nor an expectation is about their events.
fn without_idle_environments(mut read: Read) -> Read {
    if let Read::Case(case) = &mut read {
        let used = |index: usize| {
            let is_used = |action: &Action| matches!(action, Action::Call { environment, .. } if usize::from(*environment) == index);
            case.steps.iter().any(|step| is_used(&step.plan.action))
                || case.handlers.iter().flat_map(|h| &h.actions).any(is_used)
                || !case.environments[index].events.is_empty()
                || case.events.iter().flat_map(EventExpectation::patterns).any(|pattern| {
                    pattern.environment.is_some_and(|environment| usize::from(environment) == index)
                })
        };
        let needed = (0..case.environments.len()).rposition(used).map_or(1, |last| last + 1);
        case.environments.truncate(needed.max(1));
    }
    read
}

/// What `for` selects, each time with each of the values of `each`.
fn elements(cx: &Context<'_>, node: &Node) -> Option<Vec<Element>> {
    let keys =
        ["function", "event", "parameter", "condition", "capability", "error", "thread", "caller", "each"];
    let quantifier = cx.fields(node, "`for`", &keys)?;
    let mut elements = selected(cx, node, &quantifier)?;
    if let Some(selector) = quantifier.get("thread") {
        let threads = thread::selected(cx, selector)?;
        elements = elements.iter().flat_map(|e| threads.iter().map(move |t| thread::with(e, t))).collect();
    }
    if let Some(selector) = quantifier.get("caller") {
        elements = caller::with(cx, selector, &elements)?;
    }
    if let Some(node) = quantifier.get("each") {
        let combinations = each::combinations(cx, node);
        let with = |element: &Element, bindings: &Bindings| {
            bindings.iter().fold(element.clone(), |element, (name, value)| element.with(name, value, None))
        };
        elements = elements.iter().flat_map(|e| combinations.iter().map(move |b| with(e, b))).collect();
    }
    Some(elements)
}

fn selected(cx: &Context<'_>, node: &Node, quantifier: &Fields<'_>) -> Option<Vec<Element>> {
    if let Some(selector) = quantifier.get("function") {
        return of_functions(cx, functions(cx, selector)?, quantifier);
    }
    if let Some(selector) = quantifier.get("event") {
        let events = events(cx, selector)?;
        return match quantifier.get("capability") {
            None => Some(events.into_iter().map(|(_, element)| element).collect()),
            Some(capability) => with_capabilities(cx, capability, &events),
        };
    }
    if let Some(selector) = quantifier.get("error") {
        return errors(cx, selector);
    }
    if let Some(selector) = quantifier.get("capability") {
        return capabilities(cx, selector);
    }
    if quantifier.get("thread").is_some() {
        return Some(vec![Element::root()]);
    }
    cx.error(node.span, "`for` needs `function`, `event`, `capability`, `error` or `thread`");
    None
}

/// Functions, or what `condition`, `parameter` or `capability` selects of each.
fn of_functions(
    cx: &Context<'_>,
    functions: Vec<(&Function, Element)>,
    quantifier: &Fields<'_>,
) -> Option<Vec<Element>> {
    if let Some(condition) = quantifier.get("condition") {
        let selector = ConditionSelector::read(cx, condition)?;
        return Some(functions.iter().flat_map(|(f, e)| selector.elements(f, e)).collect());
    }
    match (quantifier.get("parameter"), quantifier.get("capability")) {
        (Some(parameter), None) => {
            let selector = ParameterSelector::read(cx, parameter)?;
            Some(functions.iter().flat_map(|(f, e)| selector.elements(f, e)).collect())
        }
        (None, Some(capability)) => {
            let functions: Vec<_> = functions.into_iter().map(|(f, e)| (&f.capabilities, e)).collect();
            with_capabilities(cx, capability, &functions)
        }
        (None, None) => Some(functions.into_iter().map(|(_, element)| element).collect()),
        (Some(_), Some(other)) => {
            cx.error(other.span, "a rule selects parameters or capabilities of functions, not both");
            None
        }
    }
}

/// Each element once for each of the capabilities that it requires, or of those that are optional to it.
fn with_capabilities(
    cx: &Context<'_>,
    node: &Node,
    elements: &[(&Capabilities, Element)],
) -> Option<Vec<Element>> {
    let of: fn(&Capabilities) -> &[String] = match node.as_str() {
        Some("required") => |capabilities| &capabilities.required,
        Some("optional") => |capabilities| &capabilities.optional,
        _ => {
            cx.expected(node, "`required` or `optional`");
            return None;
        }
    };
    let bound = |(capabilities, element): &(&Capabilities, Element)| {
        of(capabilities).iter().map(|c| element.with("capability", c, None)).collect::<Vec<_>>()
    };
    Some(elements.iter().flat_map(bound).collect())
}

/// Error codes: binds `error`, its short name.
fn errors(cx: &Context<'_>, node: &Node) -> Option<Vec<Element>> {
    let of = |edition: &Edition| edition.errors.iter().map(|e| e.name.clone()).collect();
    by_name(cx, node, "error", of)
}

/// Capabilities: binds `capability`.
fn capabilities(cx: &Context<'_>, node: &Node) -> Option<Vec<Element>> {
    let of = |edition: &Edition| edition.capabilities.iter().map(|c| c.name.clone()).collect();
    by_name(cx, node, "capability", of)
}

/// Things that a selector can only tell apart by their names.
fn by_name(
    cx: &Context<'_>,
    node: &Node,
    binds: &str,
    names: impl Fn(&Edition) -> Vec<String>,
) -> Option<Vec<Element>> {
    let selector = Selector::read(cx, node, &[])?;
    selector.check_names(cx, names(cx.newest).iter().map(String::as_str));
    let names = names(cx.edition).into_iter().filter(|name| selector.names(name));
    Some(names.map(|name| Element::root().with(binds, &name, selector.exception(&name))).collect())
}

fn functions<'a>(cx: &Context<'a>, node: &Node) -> Option<Vec<(&'a Function, Element)>> {
    let keys = ["callable_in", "needs_capability", "callback_safe", "chapter", "heap_frozen"];
    let selector = Selector::read(cx, node, &keys)?;
    selector.check_names(cx, cx.newest.functions.iter().map(|f| f.name.as_str()));
    let edition = cx.edition;
    let wanted = |f: &&Function| {
        selector.names(&f.name)
            && selector.chapter(cx, &f.chapter)
            && selector.phases(cx, "callable_in", &f.phases)
            && selector.wants(cx, "needs_capability", !f.capabilities.required.is_empty())
            && selector.wants(cx, "callback_safe", f.callback_safe)
            && selector.wants(cx, "heap_frozen", f.heap_frozen)
    };
    let element = |f: &'a Function| {
        let names = [("function", &f.name), ("chapter", &f.chapter)];
        let mut bindings = names.map(|(name, value)| (name.to_owned(), value.clone())).to_vec();
        bindings.extend_from_slice(selector.bound_by(&f.name));
        (f, Element { bindings, except: selector.exception(&f.name) })
    };
    Some(edition.functions.iter().filter(wanted).map(element).collect())
}

fn events<'a>(cx: &Context<'a>, node: &Node) -> Option<Vec<(&'a Capabilities, Element)>> {
    let keys = ["sent_in", "needs_capability", "callback_safe_only", "thread_filterable"];
    let selector = Selector::read(cx, node, &keys)?;
    selector.check_names(cx, cx.newest.events.iter().map(|e| e.name.as_str()));
    let edition = cx.edition;
    let wanted = edition.events.iter().filter(|e| {
        selector.names(&e.name)
            && selector.phases(cx, "sent_in", &e.phases)
            && selector.wants(cx, "needs_capability", !e.capabilities.required.is_empty())
            && selector.wants(cx, "callback_safe_only", e.callback_safe_only)
            && selector.wants(cx, "thread_filterable", e.thread_filterable)
    });
    let element = |e: &'a Event| {
        let names = [("event", &e.name), ("constant", &e.constant)];
        let mut bindings = names.map(|(name, value)| (name.to_owned(), value.clone())).to_vec();
        bindings.extend_from_slice(selector.bound_by(&e.name));
        (&e.capabilities, Element { bindings, except: selector.exception(&e.name) })
    };
    Some(wanted.map(element).collect())
}
