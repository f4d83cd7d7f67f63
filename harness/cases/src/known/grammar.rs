//! A list of known deviations as it is written.

use std::str::FromStr;

use super::{Date, Deviation, Jvms, Shows};
use crate::context::{Context, Fields};
use crate::diagnostic::did_you_mean;
use crate::source::Span;
use crate::yaml::{Node, Value};

/// Keys of an entry.
pub const KEYS: [&str; 9] =
    ["cases", "on", "shows", "sometimes", "observed", "reason", "evidence", "tracker", "expires"];
/// Keys of its conditions.
pub const CONDITIONS: [&str; 6] = ["releases", "versions", "vm", "vendor", "arch", "options"];
const WHAT: &str = "a known deviation";

/// How the reason of an entry begins that was proposed and not yet looked into.
pub const UNEXPLAINED: &str = "unexplained";

/// A deviation, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What it says.
    pub deviation: Deviation,
    /// All of it.
    pub span: Span,
    /// Its list of cases.
    pub cases: Span,
    /// Each of these.
    pub each_case: Vec<Span>,
    /// Its conditions on the JVM.
    pub on: Span,
}

/// Reads a file.
pub fn read(cx: &Context<'_>, root: &Node) -> Vec<Listed> {
    let list = cx.list(root, "a list of known deviations");
    list.iter().filter_map(|node| entry(cx, node, &cx.fields(node, WHAT, &KEYS)?)).collect()
}

fn entry(cx: &Context<'_>, node: &Node, fields: &Fields<'_>) -> Option<Listed> {
    // Each of these tells what is wrong with it, so all are read before one that is missing ends it.
    let cases = fields.require(cx, "cases", WHAT);
    let on = fields.require(cx, "on", WHAT);
    let shows = fields.require(cx, "shows", WHAT).and_then(|node| shows(cx, node));
    let sometimes = fields.get("sometimes").is_some_and(|node| cx.truth(node));
    let reason = fields.require(cx, "reason", WHAT).and_then(|node| said(cx, node));
    let evidence = fields.require(cx, "evidence", WHAT).and_then(|node| said(cx, node));
    let optional = |key: &str| fields.get(key).and_then(|node| said(cx, node));
    let tracker = optional("tracker");
    let observed = fields.get("observed").map(|node| observed(cx, node)).unwrap_or_default();
    let expires = fields.get("expires").and_then(|node| parsed::<Date>(cx, node));
    let (cases, on) = (cases?, on?);
    let ids = cx.texts(cases, "ids of cases");
    if ids.is_empty() {
        cx.error(cases.span, format!("{WHAT} needs a case that shows it"));
    }
    let (ids, each_case) = ids.into_iter().unzip();
    let deviation = Deviation {
        cases: ids,
        on: jvms(cx, on)?,
        shows: shows?,
        sometimes,
        observed,
        reason: reason?,
        evidence: evidence?,
        tracker,
        expires,
    };
    Some(Listed { deviation, span: node.span, cases: cases.span, each_case, on: on.span })
}

fn jvms(cx: &Context<'_>, node: &Node) -> Option<Jvms> {
    let fields = cx.fields(node, "conditions on a JVM", &CONDITIONS)?;
    let text = |key: &str| fields.get(key).and_then(|node| said(cx, node));
    let on = Jvms {
        releases: fields.get("releases").and_then(|n| cx.releases(n)).unwrap_or_default(),
        versions: fields.get("versions").and_then(|n| parsed(cx, n)).unwrap_or_default(),
        vm: text("vm"),
        vendor: text("vendor"),
        arch: text("arch"),
        options: fields
            .get("options")
            .map(|n| cx.texts(n, "options"))
            .unwrap_or_default()
            .into_iter()
            .map(|o| o.0)
            .collect(),
    };
    if on == Jvms::default() {
        cx.error(node.span, "say which JVMs: a list for all of them would hide what is new");
    }
    Some(on)
}

fn shows(cx: &Context<'_>, node: &Node) -> Option<Shows> {
    let text = cx.text(node, "how it shows")?;
    let found = Shows::ALL.into_iter().find(|shows| shows.name() == text);
    if found.is_none() {
        let help = did_you_mean(&text, Shows::ALL.map(Shows::name));
        cx.error_with_help(node.span, format!("unknown way to show `{text}`"), help);
    }
    found
}

/// The texts of which each finding contains one.
fn observed(cx: &Context<'_>, node: &Node) -> Vec<String> {
    match &node.value {
        Value::List(items) => items.iter().filter_map(|item| said(cx, item)).collect(),
        _ => said(cx, node).into_iter().collect(),
    }
}

/// Text that says something.
fn said(cx: &Context<'_>, node: &Node) -> Option<String> {
    let text = cx.text(node, "text")?.trim().to_owned();
    if text.is_empty() {
        cx.error(node.span, "expected text, found none");
    }
    Some(text)
}

fn parsed<T: FromStr<Err = String>>(cx: &Context<'_>, node: &Node) -> Option<T> {
    let text = match &node.value {
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        _ => cx.text(node, "text")?.into_owned(),
    };
    text.parse().map_err(|message: String| cx.error(node.span, message)).ok()
}
