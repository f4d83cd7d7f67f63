//! The top of the page: what was tested, the results, and the coverage of the specification.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{agents, deviations};
use crate::cause::{self, Kind};
use crate::conformance::Conformance;
use crate::link::spec_page;
use crate::results::{JvmRun, Results, Status};
use crate::summary::{self, ChapterCoverage, Coverage, Outcome, RunSummary, Summary};
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
    /// What was tested.
    title: String,
    /// How it came out.
    headline: String,
    subline: String,
    tiles: Vec<Tile>,
    /// When, by what and where.
    facts: Vec<(&'static str, String)>,
    runs: Vec<Card>,
    skipped: Vec<Skipped>,
    coverage: Vec<ChapterBar>,
    legend: Vec<Meaning>,
    unexpected: Vec<Line>,
    unlisted: usize,
    deviations: Vec<deviations::Row>,
    /// Of a report on agents, the cases.
    agents: Vec<agents::Case>,
}

/// A figure with what it counts.
#[derive(Serialize)]
struct Tile {
    figure: String,
    of: String,
    label: &'static str,
    tone: &'static str,
}

/// One JVM.
#[derive(Serialize)]
struct Card {
    label: String,
    about: String,
    mood: &'static str,
    verdict: String,
    /// How well it conforms, in one line.
    line: String,
    bar: Vec<Segment>,
    counts: Vec<Count>,
    percent: usize,
    facts: Vec<(&'static str, String)>,
    spec: String,
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
struct Skipped {
    label: String,
    reason: String,
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

/// What a colour stands for.
#[derive(Serialize)]
struct Meaning {
    name: &'static str,
    meaning: &'static str,
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
        let (summary, causes) = (Summary::of(results), cause::causes(results));
        let unexpected = summary.counts.unexpected();
        let known = causes.iter().filter(|cause| cause.kind == Kind::Known).count();
        let and_known =
            if known > 0 { format!(", {}", count(known, "known deviation")) } else { String::new() };
        let (mood, headline) = match unexpected {
            0 if summary.counts.total() == 0 => ("empty", "No cases were run".to_owned()),
            0 => ("ok", format!("Nothing unexpected{and_known}")),
            n => ("bad", count(n, "unexpected verdict") + &and_known),
        };
        let conformance = Conformance::of_all(results, &summary.runs, &causes);
        Front {
            mood,
            title: title(results, &summary),
            headline,
            subline: subline(results, &summary),
            tiles: tiles(results, &summary),
            facts: facts(results, &summary),
            runs: results
                .runs
                .iter()
                .zip(&summary.runs)
                .zip(&conformance)
                .map(|((run, s), c)| card(run, s, c))
                .collect(),
            deviations: deviations::rows(results, &causes),
            agents: agents::cases(results),
            skipped: skipped(results),
            coverage: chapters(&summary),
            legend: Outcome::ALL.map(meaning).into(),
            unexpected: lines(results, &summary),
            unlisted: unexpected.saturating_sub(LISTED),
        }
    }
}

pub(super) fn shown(text: &str) -> String {
    visible::line(text).into_owned()
}

/// With a thin space between thousands.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let breaks = |i: usize| i > 0 && (digits.len() - i).is_multiple_of(3);
    digits.chars().enumerate().fold(String::new(), |mut out, (i, digit)| {
        if breaks(i) {
            out.push('\u{202f}');
        }
        out.push(digit);
        out
    })
}

fn title(results: &Results, summary: &Summary) -> String {
    match &summary.runs[..] {
        [] => "No JVM".to_owned(),
        [run] => shown(&run.label),
        runs => {
            let releases: BTreeSet<u16> = results.runs.iter().map(|run| run.jvm.release).collect();
            let releases = match (releases.first(), releases.last()) {
                (Some(first), Some(last)) if first != last => format!(", JDK {first} to {last}"),
                (Some(only), _) => format!(", JDK {only}"),
                _ => String::new(),
            };
            format!("{}{releases}", count(runs.len(), "JVM"))
        }
    }
}

/// In a sentence, what the headline stands on.
fn subline(results: &Results, summary: &Summary) -> String {
    let all = &summary.coverage;
    let grouped = |n: usize| grouped(n as u64);
    let whom = if results.runs.len() == 1 { "the JVM" } else { "every JVM" };
    if all.tested() == 0 {
        return format!("{} verdicts.", grouped(summary.counts.total()));
    }
    let mut text = format!(
        "{} of the {} testable statements of the specification were tested. Of these, {} held on {whom}",
        grouped(all.tested()),
        grouped(all.testable()),
        grouped(all.get(Outcome::Held)),
    );
    let known = all.get(Outcome::Known);
    if known > 0 {
        let listed = if known == 1 { "is a known deviation" } else { "are known deviations" };
        text += &format!(", {} {listed}", grouped(known));
    }
    text + "."
}

fn tiles(results: &Results, summary: &Summary) -> Vec<Tile> {
    let all = &summary.coverage;
    let statements: u64 = summary.runs.iter().map(|run| run.statements).sum();
    let outcome = |outcome: Outcome, label, tone| {
        let n = all.get(outcome);
        (n > 0).then(|| Tile { figure: grouped(n as u64), of: String::new(), label, tone })
    };
    let plain = |figure, label| Some(Tile { figure, of: String::new(), label, tone: "" });
    let tested = Tile {
        figure: format!("{} %", all.percent()),
        of: format!("{} of {}", grouped(all.tested() as u64), grouped(all.testable() as u64)),
        label: "of the testable statements",
        tone: "",
    };
    [
        Some(tested).filter(|_| all.tested() > 0),
        outcome(Outcome::Held, "held", "held"),
        outcome(Outcome::Broken, "broken", "broken"),
        outcome(Outcome::Known, "known deviations", "known"),
        outcome(Outcome::Permitted, "permitted deviations", "permitted"),
        plain(grouped(summary.counts.total() as u64), "verdicts"),
        plain(grouped(statements), "assertions made"),
        plain(format!("{:.1} s", results.wall_ms as f64 / 1e3), "total time").filter(|_| results.wall_ms > 0),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn facts(results: &Results, summary: &Summary) -> Vec<(&'static str, String)> {
    let commit = results.suite.commit.as_deref().map(|c| format!(" ({c})")).unwrap_or_default();
    let begun = results.started.replacen('T', " ", 1).replace('Z', " UTC");
    let all = [
        ("Tested", begun),
        ("Suite", format!("jvmti-check {}{commit}", results.suite.version)),
        ("Machine", summary::machines(results).join("; ")),
        ("JVM starts", results.runs.iter().map(|run| u64::from(run.launches)).sum::<u64>().to_string()),
    ];
    let any = !summary.runs.is_empty();
    all.into_iter().filter(|(_, v)| any && !v.trim().is_empty()).map(|(k, v)| (k, shown(&v))).collect()
}

fn card(run: &JvmRun, summary: &RunSummary, conformance: &Conformance) -> Card {
    let jvm = &run.jvm;
    let pace = match summary.statements_per_second() {
        Some(rate) => format!(
            "{} in {:.1} s ({}/s)",
            grouped(summary.statements),
            summary.wall_ms as f64 / 1e3,
            grouped(rate)
        ),
        None => grouped(summary.statements),
    };
    let bare = run.bare_start_ms.map(|ms| format!(" (bare start {ms} ms)")).unwrap_or_default();
    let covered = match summary.coverage.testable() {
        0 => String::new(),
        testable => format!("{} of {testable} testable statements", summary.coverage.tested()),
    };
    let verdicts: Vec<String> =
        summary.counts.present().map(|(status, n)| format!("{n} {}", status.name())).collect();
    let facts = [
        ("java.version", jvm.version.clone()),
        ("java.vm.vendor", jvm.vendor.clone()),
        ("java.vm.name", jvm.vm_name.clone()),
        ("java.vm.version", jvm.vm_version.clone()),
        ("java.vm.info", jvm.vm_info.clone()),
        ("JVM TI", jvm.jvmti_version.clone()),
        ("os.arch", jvm.arch.clone()),
        ("Java home", jvm.home.clone()),
        ("Configuration", run.configuration.clone().unwrap_or_default()),
        ("Options", run.vm_options.join(" ")),
        ("Machine", run.machine.clone()),
        ("Verdicts", verdicts.join(", ")),
        ("Tested", covered),
        ("Assertions made", pace),
        ("JVM starts", format!("{}{bare}", run.launches)),
    ];
    let options = run.vm_options.join(" ");
    let about: Vec<&str> = [jvm.vm_name.as_str(), &jvm.vm_version, &options]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    let counts = [Outcome::Held, Outcome::Broken, Outcome::Known, Outcome::Permitted];
    Card {
        label: shown(&summary.label),
        about: shown(&about.join(" · ")),
        mood: if conformance.is_expected() { "ok" } else { "bad" },
        verdict: match (conformance.new, conformance.known) {
            (0, 0) => "no deviations".to_owned(),
            (0, known) => count(known, "known deviation"),
            (new, known) => format!("{new} new, {known} known"),
        },
        line: conformance.line(),
        counts: counts
            .map(|o| Count { name: o.name(), n: summary.coverage.get(o) })
            .into_iter()
            .filter(|c| c.n > 0)
            .collect(),
        bar: coverage_bar(&summary.coverage),
        percent: summary.coverage.percent(),
        facts: facts.into_iter().filter(|(_, v)| !v.trim().is_empty()).map(|(k, v)| (k, shown(&v))).collect(),
        spec: spec_page(jvm),
    }
}

fn skipped(results: &Results) -> Vec<Skipped> {
    let one = |s: &crate::results::Skipped| Skipped {
        label: shown(&format!("{}, {}", s.jvm.short(), s.configuration)),
        reason: shown(&s.reason),
    };
    results.skipped.iter().map(one).collect()
}

fn coverage_bar(coverage: &Coverage) -> Vec<Segment> {
    segments(Outcome::ALL.map(|o| (o.name(), coverage.get(o))), coverage.total())
}

fn meaning(outcome: Outcome) -> Meaning {
    let meaning = match outcome {
        Outcome::Held => "all cases that cite the statement passed",
        Outcome::Permitted => "the specification only recommends this, and the JVM does something else",
        Outcome::Known => "broken, but listed as a known deviation, with reason and evidence",
        Outcome::Broken => "the JVM does not do what the specification requires",
        Outcome::Inapplicable => "the statement concerns an optional feature that the JVM does not offer",
        Outcome::Untested => "no case that could be run cites the statement",
        Outcome::Untestable => "a violation cannot be observed; the reason is given",
    };
    Meaning { name: outcome.name(), meaning }
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
    // A run of some cases is about some chapters only.
    let mut about: Vec<&ChapterCoverage> =
        summary.chapters.iter().filter(|c| c.coverage.tested() > 0).collect();
    if about.is_empty() {
        return Vec::new();
    }
    let all = ChapterCoverage { id: String::new(), title: "All chapters".into(), coverage: summary.coverage };
    if about.len() == summary.chapters.len() {
        about.push(&all);
    }
    about
        .into_iter()
        .map(|c| ChapterBar {
            id: shown(&c.id),
            title: shown(&c.title),
            all: c.id.is_empty(),
            tested: c.coverage.tested(),
            total: c.coverage.testable(),
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
            status: Status::name(v.status),
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

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(grouped),
            ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
    }
}
