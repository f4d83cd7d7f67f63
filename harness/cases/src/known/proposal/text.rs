//! Changing a list's text where it is to change, and nowhere else.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fate, within};
use crate::Releases;
use crate::known::{Deviation, Jvms, Listed, Versions};
use crate::source::Span;

/// Columns that a line may have.
const WIDTH: usize = 118;

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    start: usize,
    end: usize,
    text: String,
}

impl Edit {
    fn at(span: Span, text: String) -> Edit {
        Edit { start: span.start as usize, end: span.end as usize, text }
    }

    /// Adds entries at the end of that text.
    pub fn append(text: &str, entries: &[Deviation]) -> Edit {
        let added: String = entries.iter().map(written).collect();
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        Edit { start: text.len(), end: text.len(), text: format!("{gap}{added}") }
    }
}

/// The text with these replacements, which do not overlap.
pub fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.start).unwrap_or_default());
        out.push_str(&edit.text);
        at = at.max(edit.end);
    }
    out + text.get(at..).unwrap_or_default()
}

/// How the text of a file changes by what becomes of the cases of one entry; `next` is the one after it.
pub fn edits(text: &str, entry: &Listed, next: Option<&Listed>, fates: &BTreeMap<String, Fate>) -> Vec<Edit> {
    let line_of = |byte: u32| text[..byte as usize].rfind('\n').map_or(0, |newline| newline + 1);
    let start = line_of(entry.span.start);
    let end = next.map_or(text.len(), |next| line_of(next.span.start));
    let staying: Vec<&str> =
        entry.deviation.cases.iter().filter(|c| !fates.contains_key(*c)).map(String::as_str).collect();
    let mut narrowed: Vec<String> = Vec::new();
    let ranges: BTreeSet<&Fate> = fates.values().filter(|fate| **fate != Fate::Gone).collect();
    for fate in ranges {
        let Fate::Narrowed(first, last) = fate else { continue };
        let cases: Vec<&str> =
            fates.iter().filter(|(_, f)| *f == fate).map(|(case, _)| case.as_str()).collect();
        let moved = |span: Span, text: String| Edit {
            start: (span.start as usize).saturating_sub(start),
            end: (span.end as usize).saturating_sub(start),
            text,
        };
        let on = conditions(&within(&entry.deviation.on, *first, *last));
        let edits = vec![moved(entry.cases, list(&cases)), moved(entry.on, on)];
        narrowed.push(apply(&text[start..end], edits));
    }
    if staying.is_empty() {
        return vec![Edit { start, end, text: narrowed.concat() }];
    }
    let after = (!narrowed.is_empty()).then(|| {
        let gap = if text[start..end].ends_with('\n') { "" } else { "\n" };
        Edit { start: end, end, text: format!("{gap}{}", narrowed.concat()) }
    });
    std::iter::once(Edit::at(entry.cases, list(&staying))).chain(after).collect()
}

/// An entry as it is written.
fn written(deviation: &Deviation) -> String {
    let Deviation { cases, on, shows, sometimes, observed, reason, evidence, .. } = deviation;
    let cases: Vec<&str> = cases.iter().map(String::as_str).collect();
    let mut out = format!("- cases: {}\n  on: {}\n  shows: {}\n", list(&cases), conditions(on), shows.name());
    if *sometimes {
        out += "  sometimes: true\n";
    }
    match &observed[..] {
        [] => {}
        [one] => out += &format!("  observed: {}\n", scalar(one)),
        many => {
            let many: Vec<&str> = many.iter().map(String::as_str).collect();
            out += &format!("  observed: {}\n", list(&many));
        }
    }
    out + &format!("  reason: {}\n  evidence: {}\n", scalar(reason), scalar(evidence))
}

fn list(items: &[&str]) -> String {
    let items: Vec<String> = items.iter().map(|item| scalar(item)).collect();
    let line = format!("[{}]", items.join(", "));
    if line.len() + "- cases: ".len() <= WIDTH { line } else { format!("[\n    {}]", items.join(",\n    ")) }
}

fn conditions(on: &Jvms) -> String {
    let mut parts = Vec::new();
    if on.releases != Releases::default() {
        parts.push(format!("releases: {}", scalar(&on.releases.to_string())));
    }
    if on.versions != Versions::default() {
        parts.push(format!("versions: {}", scalar(&on.versions.to_string())));
    }
    parts.extend(on.vm.iter().map(|vm| format!("vm: {}", scalar(vm))));
    parts.extend(on.vendor.iter().map(|vendor| format!("vendor: {}", scalar(vendor))));
    parts.extend(on.arch.iter().map(|arch| format!("arch: {}", scalar(arch))));
    if !on.options.is_empty() {
        let options: Vec<&str> = on.options.iter().map(String::as_str).collect();
        parts.push(format!("options: {}", list(&options)));
    }
    format!("{{{}}}", parts.join(", "))
}

/// Plain where that means the text itself, else in quotes, which YAML reads as JSON does.
fn scalar(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '.' | '-' | '#' | '$');
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_plain)
        || text.contains("..") && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_word = matches!(text, "true" | "false" | "null");
    if is_plain && !is_word { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}
