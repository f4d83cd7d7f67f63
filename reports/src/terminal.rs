//! Reports for the terminal: a line for each verdict, the details of each failure, the summary.

mod coverage;
mod failure;

use std::fmt::Write;

use owo_colors::{OwoColorize, Style as Paint};

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

/// The summary: counts, statements and times per JVM, then the coverage by chapter. Ends with a line break.
pub fn summary(results: &Results, style: Style) -> String {
    let summary = Summary::of(results);
    let mut out = format!("{}\n", style.dim(&"─".repeat(style.width.clamp(1, 100))));
    let _ = writeln!(
        out,
        "{:>STATUS_WIDTH$}  {}",
        style.bold("     Summary"),
        headline(results, &summary, style)
    );
    let labels: Vec<String> = summary.runs.iter().map(|r| visible::line(&r.label).into_owned()).collect();
    let width = labels.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    for ((run, label), jvm) in summary.runs.iter().zip(labels).zip(&results.runs) {
        let counts = parts(run);
        let length = counts.iter().map(|(_, text)| text.len() + 2).sum::<usize>() + width + 2;
        let counts: Vec<String> = counts.iter().map(|(status, text)| style.status(*status, text)).collect();
        let counts = if counts.is_empty() { "no cases".to_owned() } else { counts.join(", ") };
        // If the line is too long, put the counts below the name.
        let (name, indent) = match length <= style.width {
            true => (format!("{label:<width$}  "), width + 2),
            false => (format!("{label}\n    "), 2),
        };
        let _ = writeln!(out, "\n  {}{counts}", style.bold(&name));
        let _ = writeln!(out, "  {:indent$}{}", "", style.dim(&pace(run, jvm.launches)));
    }
    out + &coverages(&summary, style)
}

fn headline(results: &Results, summary: &Summary, style: Style) -> String {
    let cases = summary.counts.total();
    let seconds = results.wall_ms as f64 / 1e3;
    let all =
        format!("{} on {} in {seconds:.1} s: ", count(cases, "verdict"), count(results.runs.len(), "JVM"));
    all + &match summary.counts.unexpected() {
        0 if cases == 0 => style.bold("no cases were run"),
        0 => style.status(Status::Pass, "nothing unexpected"),
        n => style.status(Status::Fail, &format!("{n} unexpected")),
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
    let mut text =
        format!("{} asserted in {:.1} s", count(run.statements, "statement"), run.wall_ms as f64 / 1e3);
    if let Some(rate) = run.statements_per_second() {
        let _ = write!(text, ", {rate}/s");
    }
    text + &format!(", {} started", count(launches, "JVM"))
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
    }

    #[test]
    fn no_escape_out_of_a_trace_reaches_the_terminal() {
        let hostile = sample::hostile();
        let run = &hostile.runs[0];
        let mut all = summary(&hostile, Style::PLAIN);
        for verdict in &run.verdicts {
            all += &verdict_line(&run.jvm.label(), verdict, Style::PLAIN);
            all += &failure(verdict, run, &hostile.assertions, Style::PLAIN);
        }
        assert!(!all.contains(|c: char| c.is_control() && c != '\n'), "{all:?}");
    }
}
