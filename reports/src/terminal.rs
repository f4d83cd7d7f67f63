//! Reports for the terminal: a line for each verdict, the details of each failure, the summary.

mod causes;
mod coverage;
mod failure;

use std::fmt::Write;

use owo_colors::{OwoColorize, Style as Paint};

use crate::cause::{self, Cause};
use crate::conformance::{Conformance, thousands};
use crate::results::{Results, Status, Verdict};
use crate::summary::{RunSummary, Summary};
use crate::visible;

pub use failure::failure;

/// The style of the output.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Whether to use colours.
    pub colour: bool,
    /// The width in columns.
    pub width: usize,
}

impl Style {
    /// Without colours, 100 columns wide.
    pub const PLAIN: Style = Style { colour: false, width: 100 };

    fn paint(self, text: &str, paint: Paint) -> String {
        if self.colour { text.style(paint).to_string() } else { text.to_owned() }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint(text, Paint::new().bold())
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint(text, Paint::new().dimmed())
    }

    pub(crate) fn status(self, status: Status, text: &str) -> String {
        let paint = Paint::new().bold();
        self.paint(
            text,
            match status {
                Status::Pass => paint.green(),
                Status::Fail | Status::Crash | Status::Timeout => paint.red(),
                Status::Error => paint.magenta(),
                Status::Permitted | Status::Known | Status::Fixed => paint.yellow(),
                Status::Inapplicable => Paint::new().dimmed(),
            },
        )
    }
}

/// Width of the longest status, `INAPPLICABLE`.
const STATUS_WIDTH: usize = 12;

/// One line for a verdict, without line break: `PASS [   0.012s] 25.0.1 Temurin  get-thread-state/sleeping`. The label
/// is that of the run ([`crate::summary::labels`]). If the verdict has a finding, its first line follows.
pub fn verdict_line(label: &str, verdict: &Verdict, style: Style) -> String {
    let status = format!("{:>STATUS_WIDTH$}", verdict.status.name().to_uppercase());
    let seconds = verdict.micros as f64 / 1e6;
    let mut line = format!(
        "{} [{seconds:>8.3}s] {}  {}",
        style.status(verdict.status, &status),
        style.dim(&visible::line(label)),
        visible::line(&verdict.case),
    );
    if let Some(finding) = verdict.findings.first().filter(|_| !matches!(verdict.status, Status::Pass)) {
        let used = STATUS_WIDTH + 16 + label.chars().count() + verdict.case.chars().count();
        let room = style.width.saturating_sub(used);
        if room >= 20 {
            line += &style.dim(&format!("  {}", shortened(&visible::line(&finding.observed), room)));
        }
    }
    line
}

fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        text.to_owned()
    } else {
        text.chars().take(room - 1).chain(['…']).collect()
    }
}

/// How much of known deviations is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Known {
    /// One line each.
    #[default]
    Lines,
    /// Reason, evidence, statements, cases and JVMs.
    Full,
}

/// The whole report: what is new with all details, what is known, the coverage if all cases were run, and last the summary,
/// which fits a screen. Ends with a line break.
pub fn report(results: &Results, known: Known, style: Style) -> String {
    let (summary, causes) = (Summary::of(results), cause::causes(results));
    let mut out = causes::unexpected(results, &causes, style);
    out += &causes::known(results, &causes, known, style);
    if summary.coverage.is_whole() {
        out += &coverages(&summary, style);
    }
    out + "\n" + &summed_up(results, &summary, &causes, style)
}

/// The summary: what the run came to, and for each JVM how well it conforms. Ends with a line break.
pub fn summary(results: &Results, style: Style) -> String {
    summed_up(results, &Summary::of(results), &cause::causes(results), style)
}

/// With more JVMs than this each has one line.
const DETAILED: usize = 6;

fn summed_up(results: &Results, summary: &Summary, causes: &[Cause<'_>], style: Style) -> String {
    let mut out = format!("{}\n", style.dim(&"─".repeat(style.width.clamp(1, 100))));
    let headline = headline(results, summary, causes, style);
    let _ = writeln!(out, "{:>STATUS_WIDTH$}  {headline}", style.bold("     Summary"));
    let labels: Vec<String> = summary.runs.iter().map(|r| visible::line(&r.label).into_owned()).collect();
    let width = labels.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    let conformance = Conformance::of_all(results, &summary.runs, causes);
    for (((run, label), jvm), conformance) in
        summary.runs.iter().zip(labels).zip(&results.runs).zip(&conformance)
    {
        let status = if conformance.is_expected() { Status::Pass } else { Status::Fail };
        let line = conformance.line();
        let detailed = summary.runs.len() <= DETAILED;
        let counts = parts(run);
        let longest =
            counts.iter().map(|(_, text)| text.len() + 2).sum::<usize>().max(line.len()) + width + 2;
        // If a line is too long, put all below the name.
        let (name, indent) = match longest <= style.width {
            true => (format!("{label:<width$}  "), width + 2),
            false => (format!("{label}\n    "), 2),
        };
        let room = style.width.saturating_sub(indent + 2).max(20);
        let below = |text: &str| textwrap::fill(text, room).replace('\n', &format!("\n  {:indent$}", ""));
        let gap = if detailed { "\n" } else { "" };
        let _ = writeln!(out, "{gap}  {}{}", style.bold(&name), style.status(status, &below(&line)));
        if detailed && !counts.is_empty() {
            let counts: Vec<String> = counts.iter().map(|(_, text)| text.clone()).collect();
            let _ = writeln!(out, "  {:indent$}{}", "", below(&counts.join(", ")));
            let _ = writeln!(out, "  {:indent$}{}", "", style.dim(&below(&pace(run, jvm.launches))));
        }
    }
    out
}

fn headline(results: &Results, summary: &Summary, causes: &[Cause<'_>], style: Style) -> String {
    let cases = summary.counts.total();
    let seconds = results.wall_ms as f64 / 1e3;
    let runs = results.runs.len();
    let all = format!("{} on {} in {seconds:.1} s: ", counted(cases, "verdict"), count(runs, "JVM"));
    let of = |kind| causes.iter().filter(|cause| cause.kind == kind).count();
    let known = match of(cause::Kind::Known) {
        0 => String::new(),
        n => format!(", {}", count(n, "known deviation")),
    };
    let room = style.width.saturating_sub(STATUS_WIDTH + 2);
    let all = if all.chars().count() + known.chars().count() + 24 > room {
        all.trim_end().to_owned() + "\n              "
    } else {
        all
    };
    all + &match summary.counts.unexpected() {
        0 if cases == 0 => style.bold("no cases were run"),
        0 => style.status(Status::Pass, "nothing unexpected") + &known,
        n => style.status(Status::Fail, &format!("{} unexpected", thousands(n))) + &known,
    }
}

/// With more JVMs than this, their coverage is shown as one.
const APART: usize = 3;

fn coverages(summary: &Summary, style: Style) -> String {
    let runs = &summary.runs;
    if runs.len() > APART {
        let title = format!("tested (worst outcome across {})", count(runs.len(), "JVM"));
        return coverage::bars(&summary.chapters, &summary.coverage, &title, style);
    }
    let one = |run: &RunSummary| {
        let title = match runs.len() {
            1 => "tested".to_owned(),
            _ => format!("tested on {}", visible::line(&run.label)),
        };
        coverage::bars(&run.chapters, &run.coverage, &title, style)
    };
    runs.iter().map(one).collect()
}

/// How many verdicts of each status.
fn parts(run: &RunSummary) -> Vec<(Status, String)> {
    run.counts.present().map(|(status, n)| (status, format!("{n} {}", status.name()))).collect()
}

fn pace(run: &RunSummary, launches: u32) -> String {
    let asserted = usize::try_from(run.statements).unwrap_or(usize::MAX);
    let mut text = format!("{} in {:.1} s", counted(asserted, "assertion"), run.wall_ms as f64 / 1e3);
    if let Some(rate) = run.statements_per_second() {
        let _ = write!(text, ", {rate}/s");
    }
    text + &format!(", {} started", count(launches, "JVM"))
}

/// `1 case`, `2,000 cases`.
fn counted(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(n), if n == 1 { "" } else { "s" })
}

/// `1 case`, `2 cases`.
pub(crate) fn count(n: impl TryInto<u64>, noun: &str) -> String {
    match n.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    const COLOUR: Style = Style { colour: true, width: 100 };

    fn lines(style: Style) -> String {
        let results = sample::small();
        let verdicts = results.runs.iter().flat_map(|run| run.verdicts.iter().map(|v| (run.jvm.short(), v)));
        verdicts.map(|(label, v)| verdict_line(&label, v, style) + "\n").collect()
    }

    #[test]
    fn live_lines() {
        insta::assert_snapshot!("lines-plain", lines(Style::PLAIN));
        insta::assert_snapshot!("lines-coloured", lines(COLOUR));
    }

    #[test]
    fn summaries() {
        insta::assert_snapshot!("summary-plain", summary(&sample::small(), Style::PLAIN));
        insta::assert_snapshot!("summary-coloured", summary(&sample::small(), COLOUR));
        insta::assert_snapshot!(
            "summary-narrow",
            summary(&sample::small(), Style { colour: false, width: 60 })
        );
        insta::assert_snapshot!("summary-empty", summary(&Results::default(), Style::PLAIN));
        insta::assert_snapshot!("report-plain", report(&sample::known(), Known::Lines, Style::PLAIN));
        insta::assert_snapshot!("report-known", report(&sample::known(), Known::Full, Style::PLAIN));
        let narrow = report(&sample::known(), Known::Full, Style { colour: false, width: 60 });
        let verbatim = |line: &&str| line.contains("https://") || line.contains("jvmti-check run");
        let long: Vec<&str> = narrow.lines().filter(|l| !verbatim(l) && l.chars().count() > 60).collect();
        assert!(long.is_empty(), "{long:#?}");
    }

    #[test]
    fn no_escape_out_of_a_trace_reaches_the_terminal() {
        let hostile = sample::hostile();
        let run = &hostile.runs[0];
        let mut all = summary(&hostile, Style::PLAIN) + &report(&hostile, Known::Full, Style::PLAIN);
        for verdict in &run.verdicts {
            all += &verdict_line(&run.jvm.label(), verdict, Style::PLAIN);
            all += &failure(verdict, run, &hostile.assertions, Style::PLAIN);
        }
        assert!(!all.contains(|c: char| c.is_control() && c != '\n'), "{all:?}");
    }
}
