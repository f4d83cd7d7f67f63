//! The front of the page: what was tested, how it came out, how much of the specification that covers.

use serde::Serialize;

use crate::results::{JvmRun, Results, Status};
use crate::summary::{ChapterCoverage, Counts, Coverage, Outcome, RunSummary, Summary};
use crate::terminal::count;
use crate::visible;

/// Width of a bar in its own coordinates.
const BAR: usize = 1000;
/// Unexpected verdicts listed where scripts are off.
const LISTED: usize = 500;

#[derive(Serialize)]
pub struct Front {
    /// `ok`, `bad` or `empty`.
    mood: &'static str,
    headline: String,
    subline: String,
    started: String,
    suite: String,
    machine: String,
    runs: Vec<Card>,
    coverage: Vec<ChapterBar>,
    unexpected: Vec<Line>,
    unlisted: usize,
}

/// One JVM.
#[derive(Serialize)]
struct Card {
    label: String,
    mood: &'static str,
    counts: Vec<Count>,
    bar: Vec<Segment>,
    facts: Vec<(&'static str, String)>,
}

#[derive(Serialize)]
struct Count {
    name: &'static str,
    n: usize,
}

/// Part of a bar.
#[derive(Serialize)]
struct Segment {
    name: &'static str,
    n: usize,
    x: usize,
    width: usize,
}

#[derive(Serialize)]
struct ChapterBar {
    id: String,
    title: String,
    all: bool,
    tested: usize,
    total: usize,
    percent: usize,
    bar: Vec<Segment>,
}

#[derive(Serialize)]
struct Line {
    run: String,
    status: &'static str,
    case: String,
    reason: String,
}

impl Front {
    pub fn of(results: &Results) -> Front {
        let summary = Summary::of(results);
        let unexpected = summary.counts.unexpected();
        let (mood, headline) = match unexpected {
            0 if summary.counts.total() == 0 => ("empty", "Nothing was run".to_owned()),
            0 => ("ok", "Nothing unexpected".to_owned()),
            n => ("bad", count(n, "unexpected verdict")),
        };
        let commit = results.suite.commit.as_deref().map(|c| format!(" ({c})")).unwrap_or_default();
        Front {
            mood,
            headline,
            subline: subline(results, &summary),
            started: shown(&results.started.replacen('T', " ", 1)),
            suite: shown(&format!("jvmti-check {}{commit}", results.suite.version)),
            machine: shown(&crate::summary::machines(results).join("; ")),
            runs: results.runs.iter().zip(&summary.runs).map(|(run, s)| card(run, s)).collect(),
            coverage: chapters(&summary),
            unexpected: lines(results, &summary),
            unlisted: unexpected.saturating_sub(LISTED),
        }
    }
}

fn shown(text: &str) -> String {
    visible::line(text).into_owned()
}

fn subline(results: &Results, summary: &Summary) -> String {
    let statements: u64 = summary.runs.iter().map(|r| r.statements).sum();
    format!(
        "{} on {}, {} asserted in {:.1} s",
        count(summary.counts.total(), "verdict"),
        count(results.runs.len(), "JVM"),
        count(statements, "statement"),
        results.wall_ms as f64 / 1e3
    )
}

fn card(run: &JvmRun, summary: &RunSummary) -> Card {
    let jvm = &run.jvm;
    let pace = match summary.statements_per_second() {
        Some(rate) => format!("{} in {:.1} s ({rate}/s)", summary.statements, summary.wall_ms as f64 / 1e3),
        None => summary.statements.to_string(),
    };
    let bare = run.bare_start_ms.map(|ms| format!(" (bare start {ms} ms)")).unwrap_or_default();
    let covered = match summary.coverage.total() {
        0 => String::new(),
        total => {
            format!("{} % ({} of {total} statements)", summary.coverage.percent(), summary.coverage.tested())
        }
    };
    let facts = [
        ("VM", format!("{} {}", jvm.vm_name, jvm.vm_version)),
        ("Mode", jvm.vm_info.clone()),
        ("Vendor", jvm.vendor.clone()),
        ("JVM TI", jvm.jvmti_version.clone()),
        ("Architecture", jvm.arch.clone()),
        ("Java home", jvm.home.clone()),
        ("Options", run.vm_options.join(" ")),
        ("Asserted", pace),
        ("Covered", covered),
        ("JVM starts", format!("{}{bare}", run.launches)),
    ];
    Card {
        label: shown(&summary.label),
        mood: if summary.counts.unexpected() > 0 { "bad" } else { "ok" },
        counts: summary.counts.present().map(|(status, n)| Count { name: status.name(), n }).collect(),
        bar: verdict_bar(&summary.counts),
        facts: facts.into_iter().filter(|(_, v)| !v.trim().is_empty()).map(|(k, v)| (k, shown(&v))).collect(),
    }
}

fn verdict_bar(counts: &Counts) -> Vec<Segment> {
    segments(Status::ALL.map(|s| (s.name(), counts.get(s))), counts.total())
}

fn coverage_bar(coverage: &Coverage) -> Vec<Segment> {
    segments(Outcome::ALL.map(|o| (o.name(), coverage.get(o))), coverage.total())
}

/// Side by side; a part that is there is never too thin to be seen.
fn segments(parts: impl IntoIterator<Item = (&'static str, usize)>, total: usize) -> Vec<Segment> {
    const THINNEST: usize = 6;
    let parts: Vec<_> = parts.into_iter().filter(|(_, n)| *n > 0).collect();
    let mut widths: Vec<usize> = parts.iter().map(|(_, n)| (n * BAR / total.max(1)).max(THINNEST)).collect();
    if let Some(widest) = widths.iter().enumerate().max_by_key(|(_, w)| **w).map(|(i, _)| i) {
        let others: usize = widths.iter().sum::<usize>() - widths[widest];
        widths[widest] = BAR.saturating_sub(others);
    }
    let mut x = 0;
    let place = |((name, n), width)| {
        let segment = Segment { name, n, x, width };
        x += width;
        segment
    };
    parts.into_iter().zip(widths).map(place).collect()
}

fn chapters(summary: &Summary) -> Vec<ChapterBar> {
    if summary.coverage.total() == 0 {
        return Vec::new();
    }
    let all = ChapterCoverage { id: String::new(), title: "All chapters".into(), coverage: summary.coverage };
    summary
        .chapters
        .iter()
        .chain([&all])
        .map(|c| ChapterBar {
            id: shown(&c.id),
            title: shown(&c.title),
            all: c.id.is_empty(),
            tested: c.coverage.tested(),
            total: c.coverage.total(),
            percent: c.coverage.percent(),
            bar: coverage_bar(&c.coverage),
        })
        .collect()
}

fn lines(results: &Results, summary: &Summary) -> Vec<Line> {
    let all = results.runs.iter().zip(&summary.runs);
    all.flat_map(|(run, s)| run.verdicts.iter().map(move |v| (v, s)))
        .filter(|(v, _)| v.status.is_unexpected())
        .take(LISTED)
        .map(|(v, s)| Line {
            run: shown(&s.label),
            status: v.status.name(),
            case: shown(&v.case),
            reason: v.findings.first().map(|f| shown(&f.observed)).unwrap_or_default(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_filled_and_shows_every_part() {
        let bar = segments([("pass", 9_990), ("fail", 1), ("crash", 0), ("error", 9)], 10_000);
        let drawn: Vec<_> = bar.iter().map(|s| (s.name, s.x, s.width)).collect();
        assert_eq!(drawn, [("pass", 0, 988), ("fail", 988, 6), ("error", 994, 6)]);
        assert!(segments([("pass", 0)], 0).is_empty());
    }
}
