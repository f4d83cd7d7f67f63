//! What all selectors of a rule share: the elements that they produce, and names to take or to leave.

use jvmti_spec::edition::Phase;

use crate::context::{Context, Fields};
use crate::each::{self, Bindings};
use crate::source::Span;
use crate::yaml::{Node, Value};

/// What a rule is expanded for.
#[derive(Clone)]
pub struct Element {
    pub(super) bindings: Bindings,
    /// Why it is left out, if it is.
    pub(super) except: Option<String>,
}

impl Element {
    /// An element that binds nothing yet.
    pub fn root() -> Element {
        Element { bindings: Vec::new(), except: None }
    }

    /// The element with one more name bound to a value.
    pub fn with(&self, name: &str, value: &str, except: Option<String>) -> Element {
        let mut bindings = self.bindings.clone();
        bindings.push((name.to_owned(), value.to_owned()));
        Element { bindings, except: self.except.clone().or(except) }
    }
}

/// A name with its place and with what it binds besides.
type Named = (String, Span, Bindings);

/// `{GetLocalInt: {slot: 1}, …}`: names, each with what it binds besides.
fn named(cx: &Context<'_>, node: &Node) -> Vec<Named> {
    let entries = cx.entries(node, "names").unwrap_or_default().into_iter();
    entries.map(|(name, key, more)| (name.to_owned(), key.span, each::besides(cx, more))).collect()
}

/// What all selectors share: names to take and, with reasons, names to leave.
pub struct Selector<'n> {
    fields: Option<Fields<'n>>,
    /// Names, each with what it binds besides.
    only: Option<Vec<Named>>,
    /// Names that other cases take care of.
    not: Vec<(String, Span)>,
    except: Vec<(&'n str, &'n Node, &'n Node)>,
}

impl<'n> Selector<'n> {
    /// Reads `all` or a mapping with these keys besides `names` and `except`.
    pub fn read(cx: &Context<'_>, node: &'n Node, keys: &[&str]) -> Option<Self> {
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

    pub fn get(&self, key: &str) -> Option<&'n Node> {
        self.fields.as_ref().and_then(|fields| fields.get(key))
    }

    pub fn check_names<'k>(&self, cx: &Context<'_>, known: impl Iterator<Item = &'k str>) {
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

    pub fn names(&self, name: &str) -> bool {
        let is_left = self.not.iter().any(|(n, _)| n == name);
        !is_left && self.only.as_ref().is_none_or(|only| only.iter().any(|(n, ..)| n == name))
    }

    /// What a name binds besides itself.
    pub fn bound_by(&self, name: &str) -> &[(String, String)] {
        let found = self.only.iter().flatten().find(|(n, ..)| n == name);
        found.map_or(&[], |(.., bindings)| bindings)
    }

    pub fn exception(&self, name: &str) -> Option<String> {
        self.except
            .iter()
            .find(|(n, ..)| *n == name)
            .and_then(|(.., reason)| reason.as_str())
            .map(str::to_owned)
    }

    /// Whether a fact is as the selector wants it.
    pub fn wants(&self, cx: &Context<'_>, key: &str, fact: bool) -> bool {
        match self.get(key).map(|node| (node, &node.value)) {
            None => true,
            Some((_, Value::Bool(wanted))) => *wanted == fact,
            Some((node, _)) => {
                cx.expected(node, "`true` or `false`");
                false
            }
        }
    }

    pub fn chapter(&self, cx: &Context<'_>, chapter: &str) -> bool {
        self.get("chapter")
            .is_none_or(|node| cx.texts(node, "a chapter").iter().any(|(name, _)| name == chapter))
    }

    /// Whether the phases are as the selector wants them: `onload`, `[start, live]` (all of them), `not(onload)`.
    pub fn phases(&self, cx: &Context<'_>, key: &str, phases: &[Phase]) -> bool {
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
