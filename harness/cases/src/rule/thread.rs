//! Rules over the threads that scenarios bring into states.

use super::selector::Element;
use crate::catalogue::{Scenario, Thread};
use crate::context::Context;
use crate::yaml::Node;

/// A thread with the scenario that it is in.
pub type Member<'a> = (&'a Scenario, &'a Thread);

/// `every`, or `{of: [scenarios], where: {trait: value}}`: threads of these scenarios, of all by default, with these traits.
/// A value may be a list, of which one must match, or `not(value)`.
pub fn selected<'a>(cx: &Context<'a>, node: &Node) -> Option<Vec<Member<'a>>> {
    let release = cx.edition.release;
    let catalogue = &cx.library.catalogue;
    let in_release = |(scenario, thread): &Member<'a>| {
        scenario.releases.contains(release) && thread.releases.contains(release)
    };
    let all =
        catalogue.0.iter().flat_map(|scenario| scenario.threads.iter().map(move |thread| (scenario, thread)));
    let all: Vec<Member<'a>> = all.collect();
    if node.as_str() == Some("every") {
        return Some(all.into_iter().filter(in_release).collect());
    }
    let fields = cx.fields(node, "a selector of threads", &["of", "where"])?;
    let of = fields.get("of").map(|n| cx.texts(n, "a scenario"));
    for (name, span) in of.iter().flatten() {
        if catalogue.scenario(name).is_none_or(|scenario| scenario.threads.is_empty()) {
            let known = catalogue.0.iter().filter(|scenario| !scenario.threads.is_empty());
            cx.unknown(*span, "scenario with threads", name, known.map(|scenario| scenario.name.as_str()));
        }
    }
    let wanted =
        fields.get("where").map(|n| cx.entries(n, "traits, each with its value")).unwrap_or_default();
    for (name, key, _) in wanted.iter().flatten() {
        if !all.iter().any(|(_, thread)| thread.traits.contains_key(*name)) {
            let known = all.iter().flat_map(|(_, thread)| thread.traits.keys().map(String::as_str));
            cx.unknown(key.span, "trait", name, known);
        }
    }
    let has = |thread: &Thread, name: &str, values: &Node| {
        let own = thread.traits.get(name).map_or("", String::as_str);
        cx.texts(values, "a value").iter().any(|(value, _)| {
            match value.strip_prefix("not(").and_then(|rest| rest.strip_suffix(')')) {
                Some(other) => own != other,
                None => own == value,
            }
        })
    };
    let is_wanted = |(scenario, thread): &Member<'a>| {
        of.as_ref().is_none_or(|of| of.iter().any(|(name, _)| *name == scenario.name))
            && wanted.iter().flatten().all(|(name, _, values)| has(thread, name, values))
    };
    Some(all.into_iter().filter(in_release).filter(is_wanted).collect())
}

/// The element with a thread: binds `thread`, `scenario`, and the traits by their names.
pub fn with(element: &Element, (scenario, thread): &Member<'_>) -> Element {
    let element = element.with("thread", &thread.name, None).with("scenario", &scenario.name, None);
    let traits = thread.traits.iter();
    traits.fold(element, |element, (name, value)| element.with(name, value, None))
}
