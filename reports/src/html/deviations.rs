//! The deviations by cause: a matrix of causes and JVMs.

use serde::Serialize;

use super::front::shown;
use crate::cause::{Cause, Kind, first_and_last};
use crate::results::Results;
use crate::summary::labels;

/// Cases and statements of a cause that are named.
const NAMED: usize = 60;

/// One cause.
#[derive(Serialize)]
pub struct Row {
    id: String,
    /// `new`, `known` or `own`.
    kind: &'static str,
    /// The colour: the status of its verdicts.
    tone: &'static str,
    reason: String,
    evidence: Vec<String>,
    tracker: String,
    link: String,
    /// Of the first verdict: what was expected, what was observed, and the JVM's own words.
    seen: Vec<(&'static str, String)>,
    statements: Vec<String>,
    statements_left: usize,
    cases: Vec<String>,
    cases_left: usize,
    case_count: usize,
    statement_count: usize,
    first: String,
    last: String,
    cells: Vec<Cell>,
    again: String,
}

/// One cause on one JVM.
#[derive(Serialize)]
struct Cell {
    label: String,
    /// How many cases show it there.
    n: usize,
}

pub fn rows(results: &Results, causes: &[Cause<'_>]) -> Vec<Row> {
    let labels = labels(results);
    causes.iter().map(|cause| row(results, cause, &labels)).collect()
}

fn row(results: &Results, cause: &Cause<'_>, labels: &[String]) -> Row {
    let (statements, cases) = (cause.statements(), cause.cases());
    let some = |all: &[&str]| all.iter().take(NAMED).map(|one| shown(one)).collect();
    let (first, last) = first_and_last(cause, results).unwrap_or_default();
    let cell = |(number, label): (usize, &String)| Cell {
        label: shown(label),
        n: cause.runs.get(&number).map_or(0, Vec::len),
    };
    let known = cause.known;
    Row {
        id: shown(&cause.id),
        kind: match cause.kind {
            Kind::New => "new",
            Kind::Own => "own",
            Kind::Known => "known",
        },
        tone: cause.status().name(),
        reason: shown(&cause.reason),
        evidence: known.iter().flat_map(|known| &known.evidence).map(|text| shown(text)).collect(),
        tracker: shown(known.and_then(|known| known.tracker.as_deref()).unwrap_or_default()),
        link: known.and_then(|known| known.link()).unwrap_or_default(),
        seen: seen(cause),
        statements: some(&statements),
        statements_left: statements.len().saturating_sub(NAMED),
        cases: some(&cases),
        cases_left: cases.len().saturating_sub(NAMED),
        case_count: cases.len(),
        statement_count: statements.len(),
        first: shown(&first),
        last: shown(&last),
        cells: labels.iter().enumerate().map(cell).collect(),
        again: shown(cause.first().map(|(_, verdict)| verdict.reproduce.as_str()).unwrap_or_default()),
    }
}

fn seen(cause: &Cause<'_>) -> Vec<(&'static str, String)> {
    let Some((_, verdict)) = cause.first() else { return Vec::new() };
    let found = verdict.findings.iter().find(|finding| !finding.tells_of_list());
    let mut seen = Vec::new();
    if let Some(found) = found {
        seen.extend([("at", &found.place), ("expected", &found.expected), ("observed", &found.observed)]);
    }
    let words = verdict.crash.as_ref().map(|crash| crash.said.join("; ")).unwrap_or_default();
    seen.push(("the JVM says", &words));
    let report = verdict.crash.as_ref().and_then(|crash| crash.file.clone()).unwrap_or_default();
    seen.push(("its report", &report));
    seen.into_iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| (name, shown(text))).collect()
}
