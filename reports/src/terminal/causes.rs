//! Deviations by cause: what is new in full, what is known in a line each.

use std::fmt::Write;

use super::failure::{Block, failure};
use super::{Known, Style, count, shortened};
use crate::cause::{Cause, Kind, first_and_last};
use crate::link::spec_url;
use crate::results::Results;
use crate::summary::labels;
use crate::visible;

/// How many cases and statements of a cause are named.
const NAMED: usize = 12;

/// Each cause that nobody expected: the first verdict with all details, and what else it explains.
pub(super) fn unexpected(results: &Results, causes: &[Cause<'_>], style: Style) -> String {
    let mut out = String::new();
    for cause in causes.iter().filter(|cause| cause.kind != Kind::Known) {
        let Some((run, verdict)) = cause.first() else { continue };
        out.push('\n');
        out += &failure(verdict, &results.runs[run], &results.assertions, style);
        let others = cause.cases().len() - 1;
        let mut block = Block::new(style);
        if others > 0 {
            let names = named(cause.cases().into_iter().skip(1));
            block.labelled("alike", &format!("{}: {names}", count(others, "more case")));
        }
        if cause.runs.len() > 1 {
            block.labelled("also on", &where_else(results, cause));
        }
        out += &block.out;
    }
    out
}

fn where_else(results: &Results, cause: &Cause<'_>) -> String {
    let labels = labels(results);
    cause.runs.keys().skip(1).map(|run| labels[*run].clone()).collect::<Vec<_>>().join("; ")
}

fn named<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = all.collect();
    let more = all.len().saturating_sub(NAMED);
    let names = all[..all.len() - more].join(", ");
    if more > 0 { format!("{names}, … {more} more") } else { names }
}

/// The known deviations that these results show.
pub(super) fn known(results: &Results, causes: &[Cause<'_>], shown: Known, style: Style) -> String {
    let known: Vec<&Cause<'_>> = causes.iter().filter(|cause| cause.kind == Kind::Known).collect();
    if known.is_empty() {
        return String::new();
    }
    let title = count(known.len(), "known deviation");
    let hint = if shown == Known::Lines { " (--known shows evidence, statements and cases)" } else { "" };
    let mut out = format!("\n  {}{}\n", style.bold(&title), style.dim(hint));
    for cause in known {
        match shown {
            Known::Lines => out += &line(results, cause, style),
            Known::Full => out += &full(results, cause, style),
        }
    }
    out
}

/// How many cases, the reason, the tracker id; with several JVMs the first and the last build that has it.
fn line(results: &Results, cause: &Cause<'_>, style: Style) -> String {
    let cases = count(cause.cases().len(), "case");
    let mut notes = Vec::new();
    notes.extend(cause.known.and_then(|known| known.tracker.clone()));
    if let (Some((first, last)), 2..) = (first_and_last(cause, results), results.runs.len()) {
        notes.push(if first == last { first } else { format!("{first} … {last}") });
    }
    let notes = notes.join(", ");
    let notes = if notes.is_empty() { notes } else { format!("  {}", visible::line(&notes)) };
    let begun = format!("  {cases:>10}  ");
    let room = style.width.saturating_sub(begun.chars().count() + notes.chars().count());
    let mut out = begun;
    if room < 40 {
        let room = style.width.saturating_sub(out.chars().count()).max(20);
        let _ = writeln!(out, "{}", shortened(&visible::line(&cause.reason), room));
        if !notes.is_empty() {
            let _ = writeln!(out, "            {}", style.dim(&shortened(&notes, style.width - 12)));
        }
        return out;
    }
    let _ = writeln!(out, "{}{}", shortened(&visible::line(&cause.reason), room), style.dim(&notes));
    out
}

fn full(results: &Results, cause: &Cause<'_>, style: Style) -> String {
    let mut block = Block::new(style);
    block.out.push('\n');
    let reason = if cause.reason.is_empty() { "(results of an older version)" } else { &cause.reason };
    block.labelled("known", reason);
    for evidence in cause.known.iter().flat_map(|known| &known.evidence) {
        block.labelled("evidence", evidence);
    }
    if let Some(known) = cause.known {
        let tracker = known.link().or_else(|| known.tracker.clone());
        block.verbatim("tracker", tracker.as_deref().unwrap_or_default());
    }
    if let Some((run, verdict)) = cause.first() {
        block.seen(verdict);
        for id in cause.statements().into_iter().take(NAMED) {
            match results.assertions.iter().find(|a| a.id == id) {
                Some(a) => block.statement(a, &spec_url(&results.runs[run].jvm, &a.anchor)),
                None => block.labelled("spec", id),
            }
        }
        let more = cause.statements().len().saturating_sub(NAMED);
        if more > 0 {
            block.labelled("", &format!("… {more} more statements"));
        }
        block.labelled("cases", &named(cause.cases().into_iter()));
        let labels = labels(results);
        let on: Vec<&str> = cause.runs.keys().map(|run| labels[*run].as_str()).collect();
        block.labelled("on", &on.join("; "));
        block.verbatim("rerun", &verdict.reproduce);
    }
    block.out
}
