//! Prints the facts about one name as text, each with the releases in which it holds: `[21+]`, `[–25]`, `[9–25]`.

mod function;
mod list;
mod others;
mod statement;

use std::fmt::Write;

use crate::facts::CapabilityRows;
use crate::span::{Flag, ReleaseSpan, Spanned, Varying};
use crate::{Release, Spec};

pub use list::{Kind, list};

/// No function, event, capability, error, constant, type or chapter of that name in any release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the specification has nothing called `{name}`{}", nearest.as_ref().map_or(String::new(), |n| format!("; did you mean `{n}`?")))]
pub struct UnknownName {
    /// The requested name.
    pub name: String,
    /// The most similar known name, if any is similar enough.
    pub nearest: Option<String>,
}

/// What the specification says about a function, event, capability, error code, constant, structure, callback type or
/// chapter, over all releases; or one registered statement of it.
pub fn show(spec: &Spec, name: &str) -> Result<String, UnknownName> {
    let facts = &spec.facts;
    let short = name.strip_prefix("JVMTI_ERROR_").unwrap_or(name);
    for (chapter, functions) in facts.chapters.iter().zip(&facts.functions) {
        if let Some(f) = functions.iter().find(|f| f.name == name) {
            return Ok(function::function(spec, f, chapter));
        }
        if chapter.id == name {
            return Ok(others::chapter(chapter, functions));
        }
    }
    let mut found = facts
        .events
        .iter()
        .find(|e| e.name == name || e.constant == name)
        .map(|e| others::event(&facts.wording, e));
    found = found.or_else(|| others::capability(facts, name));
    found = found.or_else(|| others::error(facts, short));
    found = found.or_else(|| {
        facts.callbacks.iter().find(|c| c.name == name).map(|c| others::callback(&facts.wording, c))
    });
    found = found.or_else(|| others::structure(spec, name));
    found = found.or_else(|| others::constants(facts, name));
    found = found.or_else(|| statement::statement(spec, name));
    found.ok_or_else(|| UnknownName { name: name.into(), nearest: nearest(spec, name) })
}

/// The known name that is most similar to the given one, if any is similar enough.
fn nearest(spec: &Spec, name: &str) -> Option<String> {
    let wanted = name.to_lowercase();
    let closeness = |candidate: &String| strsim::jaro_winkler(&candidate.to_lowercase(), &wanted);
    let best =
        names(spec).chain(statement::ids(spec)).max_by(|a, b| closeness(a).total_cmp(&closeness(b)))?;
    (closeness(&best) > 0.8).then_some(best)
}

/// Every name that [`show`] knows.
pub fn names(spec: &Spec) -> impl Iterator<Item = String> {
    let facts = &spec.facts;
    let errors = &facts.errors;
    let codes = [&errors.universal, &errors.function_required, &errors.function_agent].into_iter().flatten();
    let functions = facts.functions.iter().flatten().map(|f| &f.name);
    let constants = facts.constants.iter().flat_map(|g| g.constants.iter().map(|c| &c.name).chain([&g.name]));
    functions
        .chain(facts.events.iter().map(|e| &e.name))
        .chain(facts.capabilities.iter().map(|c| &c.name))
        .chain(codes.map(|e| &e.name))
        .chain(constants)
        .chain(facts.callbacks.iter().map(|c| &c.name))
        .chain(facts.structs.iter().map(|s| &s.name))
        .chain(facts.chapters.iter().map(|c| &c.id))
        .cloned()
}

/// ` [21+]`, ` [–25]`, ` [9–25]`, or nothing for a span of all releases.
fn mark(span: ReleaseSpan) -> String {
    match (span.since, span.until) {
        (None, None) => String::new(),
        (Some(since), None) => format!(" [{since}+]"),
        (None, Some(until)) => format!(" [–{until}]"),
        (Some(since), Some(until)) => format!(" [{since}–{until}]"),
    }
}

fn marked<T: std::fmt::Display>(value: &Spanned<T>) -> String {
    format!("{}{}", value.is, mark(value.span()))
}

fn all_marked<T: std::fmt::Display>(values: &[Spanned<T>]) -> String {
    values.iter().map(marked).collect::<Vec<_>>().join(", ")
}

fn varying<T: std::fmt::Display>(value: &Varying<T>) -> Option<String> {
    (!value.0.is_empty()).then(|| all_marked(&value.0))
}

/// `since 21 (preview from 19)`.
fn since(version: &str, preview_from: Option<Release>) -> String {
    let preview = preview_from.map_or(String::new(), |first| format!(" (preview from {first})"));
    format!("since {version}{preview}")
}

/// Lines of the form `label  value`, with the values aligned.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn title(&mut self, title: &str) {
        let _ = writeln!(self.0, "{title}");
    }

    fn line(&mut self, label: &str, value: &str) {
        let _ = writeln!(self.0, "  {label:<18} {value}");
    }

    fn flag(&mut self, label: &str, value: &str, flag: Flag) {
        if let Some(span) = flag.0 {
            self.line(label, &format!("{value}{}", mark(span)));
        }
    }

    fn capabilities(&mut self, rows: &CapabilityRows) {
        if rows.required.is_empty() {
            self.line("requires", "no capability");
        } else {
            self.line("requires", &all_marked(&rows.required));
        }
        if !rows.optional.is_empty() {
            self.line("extended by", &all_marked(&rows.optional));
        }
    }

    /// A heading, and rows in aligned columns; the last column is not padded.
    fn table(&mut self, heading: &str, rows: &[Vec<String>]) {
        if rows.is_empty() {
            return;
        }
        let _ = writeln!(self.0, "  {heading}");
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in rows {
            let cells: Vec<String> =
                row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            let _ = writeln!(self.0, "    {}", cells.join("  ").trim_end());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str) -> String {
        show(Spec::embedded(), name).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn every_name_can_be_shown() {
        let spec = Spec::embedded();
        for name in names(spec) {
            assert!(
                show(spec, &name).is_ok_and(|text| text.starts_with(&name) || text.contains(&name)),
                "{name}"
            );
        }
    }

    #[test]
    fn items_read_well() {
        for name in [
            "GetThreadState",
            "PopFrame",
            "SuspendAllVirtualThreads",
            "ClassFileLoadHook",
            "can_support_virtual_threads",
            "OPAQUE_FRAME",
            "jvmtiThreadState",
            "JVMTI_THREAD_STATE_SLEEPING",
            "jvmtiMonitorUsage",
            "jvmtiHeapIterationCallback",
            "heap-1.0",
            "thread-state/sleeping",
            "GetThreadState#phase/start",
        ] {
            insta::assert_snapshot!(format!("show_{}", name.replace(['/', '#'], "_")), shown(name));
        }
    }

    #[test]
    fn an_unknown_name_gets_a_suggestion() {
        let error = show(Spec::embedded(), "GetThreadStat").expect_err("unknown");
        assert_eq!(error.nearest.as_deref(), Some("GetThreadState"));
        let error = show(Spec::embedded(), "thread-state/sleping").expect_err("unknown");
        assert_eq!(error.nearest.as_deref(), Some("thread-state/sleeping"));
        assert_eq!(show(Spec::embedded(), "zzzzzz").expect_err("unknown").nearest, None);
    }

    #[test]
    fn lists_read_well() {
        let spec = Spec::embedded();
        insta::assert_snapshot!("list_functions_since_9", list(spec, Kind::Functions, Some(Release(9))));
        insta::assert_snapshot!("list_events", list(spec, Kind::Events, None));
        assert_eq!(list(spec, Kind::Functions, None).lines().count(), 151);
    }
}
