//! Rules over the kinds of threads that make a call.

use super::selector::Element;
use crate::context::Context;
use crate::yaml::Node;

/// The kind of thread that calls in the cases whose ids do not say.
const USUAL: &str = "platform";

/// Each element once for each entry of `{platform: Objects, virtual: VirtualCaller}`: kinds of threads, each with the scenario
/// whose thread makes the calls. Binds `scenario`, and `by` and `calling`, which go to the end of the id and of the text. A
/// scenario that this release cannot run is left out.
pub fn with(cx: &Context<'_>, node: &Node, elements: &[Element]) -> Option<Vec<Element>> {
    let mut callers = Vec::new();
    for (kind, _, scenario) in cx.entries(node, "kinds of threads, each with its scenario")? {
        let found = cx.scenario(scenario)?;
        if !found.releases.contains(cx.edition.release) {
            continue;
        }
        let (by, calling) = match kind {
            USUAL => (String::new(), String::new()),
            _ => (format!("/{kind}-caller"), format!(", called by a {kind} thread")),
        };
        callers.push((found.name.as_str(), by, calling));
    }
    let with = |element: &Element, (scenario, by, calling): &(&str, String, String)| {
        element.with("scenario", scenario, None).with("by", by, None).with("calling", calling, None)
    };
    Some(elements.iter().flat_map(|e| callers.iter().map(move |c| with(e, c))).collect())
}
