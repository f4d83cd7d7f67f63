//! Rules: one case for every element of the specification that a selector names.

use jvmti_spec::derived;
use jvmti_spec::edition::{Dir, Function, NullRule, Param, Phase};
use jvmti_wire::plan::Action;

use super::case_file::{Layers, Read, body, heading, releases};
use super::condition::ConditionSelector;
use super::context::{Context, Fields};
use super::model::EventExpectation;
use super::source::Span;
use super::step;
use super::yaml::{Node, Value};

/// Keys of a rule: its own, and those of a case, whose texts are templates here.
pub(super) const KEYS: [&str; 20] = [
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
    "undefined",
    "vm_options",
    "steps",
    "handlers",
    "occasion",
    "expect_events",
    "life",
    "preconditions",
];

/// What a rule is expanded for.
pub(super) struct Element {
    bindings: Vec<(String, String)>,
    /// Why it is left out, if it is.
    except: Option<String>,
}

impl Element {
    pub(super) fn with(&self, name: &str, value: &str, except: Option<String>) -> Element {
        let mut bindings = self.bindings.clone();
        bindings.push((name.to_owned(), value.to_owned()));
        Element { bindings, except: self.except.clone().or(except) }
    }
}

/// The cases of a rule in the release read for.
pub fn cases(cx: &Context<'_>, root: &Node) -> Vec<Read> {
    let known: Vec<&str> = KEYS.into_iter().chain(step::KEYS).collect();
    let Some(fields) = cx.fields(root, "a rule", &known) else { return Vec::new() };
    let Some(quantifier) = fields.require(cx, "for", "a rule") else { return Vec::new() };
    let layers = Layers { case: root, file: None };
    // What it is over may not exist in other releases.
    if !releases(cx, &layers).contains(cx.edition.release) {
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
    let keys = ["function", "event", "parameter", "condition", "capability", "error", "each"];
    let quantifier = cx.fields(node, "`for`", &keys)?;
    let mut elements = selected(cx, node, &quantifier)?;
    let entries = quantifier.get("each").map(|n| cx.entries(n, "names, each with its values"));
    for (name, _, values) in entries.into_iter().flatten().flatten() {
        let values = values_of_each(cx, values);
        let with = |element: &Element, (value, besides): &(String, Vec<(String, String)>)| {
            let element = element.with(name, value, None);
            besides.iter().fold(element, |element, (name, value)| element.with(name, value, None))
        };
        elements = elements.iter().flat_map(|e| values.iter().map(move |v| with(e, v))).collect();
    }
    Some(elements)
}

/// The values that a name of `each` takes, each with what it binds besides if they are written as a mapping.
fn values_of_each(cx: &Context<'_>, node: &Node) -> Vec<(String, Vec<(String, String)>)> {
    let Value::Map(values) = &node.value else {
        let values = cx.list(node, "a list of values");
        return values.iter().filter_map(|n| Some((value(cx, n)?, Vec::new()))).collect();
    };
    let besides = |node: &Node| -> Vec<(String, String)> {
        let entries = cx.entries(node, "names, each with its value").unwrap_or_default();
        entries.into_iter().filter_map(|(name, _, n)| Some((name.to_owned(), value(cx, n)?))).collect()
    };
    values.iter().filter_map(|(key, node)| Some((value(cx, key)?, besides(node)))).collect()
}

/// A value of `each` as a text.
fn value(cx: &Context<'_>, node: &Node) -> Option<String> {
    match &node.value {
        Value::Int(number) => Some(number.to_string()),
        _ => cx.text(node, "a text or an integer").map(std::borrow::Cow::into_owned),
    }
}

fn selected(cx: &Context<'_>, node: &Node, quantifier: &Fields<'_>) -> Option<Vec<Element>> {
    if let Some(selector) = quantifier.get("function") {
        let functions = functions(cx, selector)?;
        if let Some(condition) = quantifier.get("condition") {
            let selector = ConditionSelector::read(cx, condition)?;
            return Some(functions.iter().flat_map(|(f, e)| selector.elements(f, e)).collect());
        }
        return Some(match (quantifier.get("parameter"), quantifier.get("capability")) {
            (Some(parameter), None) => {
                let selector = ParameterSelector::read(cx, parameter)?;
                functions.iter().flat_map(|(f, e)| selector.elements(f, e)).collect()
            }
            (None, Some(capability)) => {
                let which = capability_part(cx, capability)?;
                let of = |f: &Function| {
                    if which == Part::Required {
                        f.capabilities.required.clone()
                    } else {
                        f.capabilities.optional.clone()
                    }
                };
                let each = functions
                    .iter()
                    .flat_map(|(f, e)| of(f).into_iter().map(move |c| e.with("capability", &c, None)));
                each.collect()
            }
            (None, None) => functions.into_iter().map(|(_, element)| element).collect(),
            (Some(_), Some(other)) => {
                cx.error(other.span, "a rule selects parameters or capabilities of functions, not both");
                return None;
            }
        });
    }
    if let Some(selector) = quantifier.get("event") {
        let events = events(cx, selector)?;
        return Some(match quantifier.get("capability") {
            None => events.into_iter().map(|(_, element)| element).collect(),
            Some(capability) => {
                let which = capability_part(cx, capability)?;
                let each = events.iter().flat_map(|(capabilities, e)| {
                    let of =
                        if which == Part::Required { &capabilities.required } else { &capabilities.optional };
                    of.iter().map(move |c| e.with("capability", c, None))
                });
                each.collect()
            }
        });
    }
    if let Some(selector) = quantifier.get("error") {
        return errors(cx, selector);
    }
    let Some(selector) = quantifier.get("capability") else {
        cx.error(node.span, "`for` needs `function`, `event`, `capability` or `error`");
        return None;
    };
    let common = Selector::read(cx, selector, &[])?;
    let names = cx.edition.capabilities.iter().map(|c| c.name.as_str());
    common.check_names(cx, cx.newest.capabilities.iter().map(|c| c.name.as_str()));
    let root = Element { bindings: Vec::new(), except: None };
    Some(names.filter(|n| common.names(n)).map(|n| root.with("capability", n, common.exception(n))).collect())
}

/// Error codes: binds `error`, its short name.
fn errors(cx: &Context<'_>, node: &Node) -> Option<Vec<Element>> {
    let selector = Selector::read(cx, node, &[])?;
    selector.check_names(cx, cx.newest.errors.iter().map(|e| e.name.as_str()));
    let names = cx.edition.errors.iter().map(|e| e.name.as_str()).filter(|name| selector.names(name));
    let root = Element { bindings: Vec::new(), except: None };
    Some(names.map(|name| root.with("error", name, selector.exception(name))).collect())
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Required,
    Optional,
}

fn capability_part(cx: &Context<'_>, node: &Node) -> Option<Part> {
    match node.as_str() {
        Some("required") => Some(Part::Required),
        Some("optional") => Some(Part::Optional),
        _ => {
            cx.expected(node, "`required` or `optional`");
            None
        }
    }
}

/// A name with its place and with what it binds besides.
type Named = (String, Span, Vec<(String, String)>);

/// `{GetLocalInt: {slot: 1}, …}`: names, each with what it binds besides.
fn named(cx: &Context<'_>, node: &Node) -> Vec<Named> {
    let entries = cx.entries(node, "names").unwrap_or_default().into_iter();
    let read = entries.map(|(name, key, more)| {
        let more = cx.entries(more, "what the name binds besides").unwrap_or_default();
        let bindings = more.into_iter().filter_map(|(name, _, n)| Some((name.to_owned(), value(cx, n)?)));
        (name.to_owned(), key.span, bindings.collect())
    });
    read.collect()
}

/// What all selectors share: names to take and, with reasons, names to leave.
pub(super) struct Selector<'n> {
    fields: Option<Fields<'n>>,
    /// Names, each with what it binds besides.
    only: Option<Vec<Named>>,
    /// Names that other cases take care of.
    not: Vec<(String, Span)>,
    except: Vec<(&'n str, &'n Node, &'n Node)>,
}

impl<'n> Selector<'n> {
    /// Reads `all` or a mapping with these keys besides `names` and `except`.
    pub(super) fn read(cx: &Context<'_>, node: &'n Node, keys: &[&str]) -> Option<Self> {
        if node.as_str() == Some("all") {
            return Some(Selector { fields: None, only: None, not: Vec::new(), except: Vec::new() });
        }
        let known: Vec<&str> = keys.iter().copied().chain(["names", "not", "except"]).collect();
        let fields = cx.fields(node, "a selector", &known)?;
        let only = fields.get("names").map(|n| match &n.value {
            Value::Map(_) => named(cx, n),
            _ => cx.texts(n, "a name").into_iter().map(|(name, span)| (name, span, Vec::new())).collect(),
        });
        let except = fields
            .get("except")
            .and_then(|n| cx.entries(n, "names, each with the reason"))
            .unwrap_or_default();
        for (_, _, reason) in &except {
            cx.text(reason, "the reason");
        }
        let not = fields.get("not").map(|n| cx.texts(n, "a name")).unwrap_or_default();
        Some(Selector { fields: Some(fields), only, not, except })
    }

    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.fields.as_ref().and_then(|fields| fields.get(key))
    }

    pub(super) fn check_names<'k>(&self, cx: &Context<'_>, known: impl Iterator<Item = &'k str>) {
        let known: Vec<&str> = known.collect();
        let only = self.only.iter().flatten().map(|(name, span, _)| (name.as_str(), *span));
        let not = self.not.iter().map(|(name, span)| (name.as_str(), *span));
        for (name, span) in only.chain(not).chain(self.except.iter().map(|(name, key, _)| (*name, key.span)))
        {
            if !known.contains(&name) {
                cx.unknown(span, "name", name, known.iter().copied());
            }
        }
    }

    pub(super) fn names(&self, name: &str) -> bool {
        let is_left = self.not.iter().any(|(n, _)| n == name);
        !is_left && self.only.as_ref().is_none_or(|only| only.iter().any(|(n, ..)| n == name))
    }

    /// What a name binds besides itself.
    fn bound_by(&self, name: &str) -> &[(String, String)] {
        let found = self.only.iter().flatten().find(|(n, ..)| n == name);
        found.map_or(&[], |(.., bindings)| bindings)
    }

    pub(super) fn exception(&self, name: &str) -> Option<String> {
        self.except
            .iter()
            .find(|(n, ..)| *n == name)
            .and_then(|(.., reason)| reason.as_str())
            .map(str::to_owned)
    }

    /// Whether a fact is as the selector wants it.
    fn wants(&self, cx: &Context<'_>, key: &str, fact: bool) -> bool {
        match self.get(key).map(|node| (node, &node.value)) {
            None => true,
            Some((_, Value::Bool(wanted))) => *wanted == fact,
            Some((node, _)) => {
                cx.expected(node, "`true` or `false`");
                false
            }
        }
    }

    fn chapter(&self, cx: &Context<'_>, chapter: &str) -> bool {
        self.get("chapter")
            .is_none_or(|node| cx.texts(node, "a chapter").iter().any(|(name, _)| name == chapter))
    }

    /// Whether the phases are as the selector wants them: `onload`, `[start, live]` (all of them), `not(onload)`.
    fn phases(&self, cx: &Context<'_>, key: &str, phases: &[Phase]) -> bool {
        let Some(node) = self.get(key) else { return true };
        cx.texts(node, "a phase").iter().all(|(text, span)| {
            let negated = text.strip_prefix("not(").and_then(|rest| rest.strip_suffix(')'));
            let name = negated.unwrap_or(text);
            let Some(phase) = Phase::ALL.into_iter().find(|p| format!("{p:?}").to_lowercase() == name) else {
                cx.unknown(*span, "phase", name, ["onload", "primordial", "start", "live", "dead"]);
                return false;
            };
            phases.contains(&phase) != negated.is_some()
        })
    }
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

fn events<'a>(
    cx: &Context<'a>,
    node: &Node,
) -> Option<Vec<(&'a jvmti_spec::edition::Capabilities, Element)>> {
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
    let element = |e: &'a jvmti_spec::edition::Event| {
        let names = [("event", &e.name), ("constant", &e.constant)];
        let mut bindings = names.map(|(name, value)| (name.to_owned(), value.clone())).to_vec();
        bindings.extend_from_slice(selector.bound_by(&e.name));
        (&e.capabilities, Element { bindings, except: selector.exception(&e.name) })
    };
    Some(wanted.map(element).collect())
}

/// Whether the VM allocates what the parameter delivers, or part of it.
fn is_allocated(param: &Param) -> bool {
    matches!(param.dir, Dir::OutAlloc | Dir::OutAllocAlloc) || !param.alloc_fields.is_empty()
}

struct ParameterSelector<'c, 'a, 'n> {
    cx: &'c Context<'a>,
    selector: Selector<'n>,
}

impl<'c, 'a, 'n> ParameterSelector<'c, 'a, 'n> {
    fn read(cx: &'c Context<'a>, node: &'n Node) -> Option<Self> {
        let selector =
            Selector::read(cx, node, &["null", "meaning", "output", "allocated", "local_refs", "type"])?;
        let all = cx
            .newest
            .functions
            .iter()
            .flat_map(|f| f.params.iter().map(|p| format!("{}.{}", f.name, p.name)));
        let all: Vec<String> = all.collect();
        selector.check_names(cx, all.iter().map(String::as_str));
        Some(ParameterSelector { cx, selector })
    }

    fn elements(&self, function: &Function, element: &Element) -> Vec<Element> {
        let path = |param: &Param| format!("{}.{}", function.name, param.name);
        let wanted = function.params.iter().filter(|param| {
            self.selector.names(&path(param))
                && self.null(param)
                && self.meaning(param)
                && self.selector.wants(self.cx, "output", param.dir.is_output())
                && self.selector.wants(self.cx, "allocated", is_allocated(param))
                && self.selector.wants(
                    self.cx,
                    "local_refs",
                    param.local_ref || !param.local_ref_fields.is_empty(),
                )
                && self.selector.get("type").is_none_or(|n| {
                    self.cx.texts(n, "a C type").iter().any(|(c_type, _)| *c_type == param.c_type)
                })
        });
        let bound = |param: &Param| {
            let element = element.with("param", &param.name, self.selector.exception(&path(param)));
            match &param.null {
                NullRule::Forbidden { error } => element.with("error", error, None),
                NullRule::InvalidReference { error } => {
                    let row = derived::parameter_assertion(function, error, &param.name);
                    element.with("error", error, None).with("row", &row, None)
                }
                NullRule::Means { meaning, .. } => element.with("meaning", meaning, None),
                NullRule::Inapplicable => element,
            }
        };
        wanted.map(bound).collect()
    }

    /// Whether a null argument means one of the things that are asked for.
    fn meaning(&self, param: &Param) -> bool {
        let Some(node) = self.selector.get("meaning") else { return true };
        let wanted = self.cx.texts(node, "what null means");
        matches!(&param.null, NullRule::Means { meaning, .. } if wanted.iter().any(|(text, _)| text == meaning))
    }

    fn null(&self, param: &Param) -> bool {
        let Some(node) = self.selector.get("null") else { return true };
        match (node.as_str(), &param.null) {
            (Some("forbidden"), rule) => matches!(rule, NullRule::Forbidden { .. }),
            (Some("means"), rule) => matches!(rule, NullRule::Means { .. }),
            (Some("invalid_reference"), rule) => matches!(rule, NullRule::InvalidReference { .. }),
            _ => {
                self.cx.expected(node, "`forbidden`, `means` or `invalid_reference`");
                false
            }
        }
    }
}
