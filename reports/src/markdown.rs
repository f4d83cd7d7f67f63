//! A compact summary in Markdown, for a pull request or the summary of a CI job.

use std::fmt::Write;
use std::path::Path;

use crate::cause::{self, Cause, Kind, first_and_last};
use crate::conformance::Conformance;
use crate::link::spec_url;
use crate::output::{self, OutputError};
use crate::results::{Results, Status, Verdict};
use crate::summary::{RunSummary, Summary};
use crate::terminal::{Style, count, failure};
use crate::visible;

/// The number of new causes with details; comments on a pull request have a size limit.
const DETAILED: usize = 20;
/// The number of causes that are listed.
const LISTED: usize = 200;

/// The summary.
pub fn render(results: &Results) -> String {
    let (summary, causes) = (Summary::of(results), cause::causes(results));
    let mut out = format!("## JVM TI conformance: {}\n\n", headline(&summary));
    let conformance = Conformance::of_all(results, &summary.runs, &causes);
    for (run, conformance) in summary.runs.iter().zip(&conformance) {
        let _ = writeln!(out, "- **{}** {}", text(&run.label), text(&conformance.line()));
    }
    out += "\n| JVM | pass | unexpected | other | assertions | coverage | time |\n";
    out += "| :-- | --: | --: | :-- | --: | --: | --: |\n";
    for run in &summary.runs {
        out += &row(run);
    }
    for skipped in &results.skipped {
        let name = format!("{}, {}", skipped.jvm.short(), skipped.configuration);
        let _ = write!(out, "\nSkipped: {}: {}\n", text(&name), text(&skipped.reason));
    }
    let (known, new): (Vec<_>, Vec<_>) = causes.iter().partition(|cause| cause.kind == Kind::Known);
    for (i, one) in new.iter().take(LISTED).enumerate() {
        if i == 0 {
            out.push('\n');
        }
        out += &entry(results, one, &summary, i < DETAILED);
    }
    if new.len() > LISTED {
        let _ = writeln!(out, "\n… and {} more.", new.len() - LISTED);
    }
    out += &list_of_known(results, &known);
    let _ = writeln!(
        out,
        "\n<sub>jvmti-check {} on {}, {}</sub>",
        text(&results.suite.version),
        text(&crate::summary::machines(results).join("; ")),
        text(&results.started)
    );
    out
}

/// Writes the complete summary, or nothing if that fails.
pub fn write(results: &Results, path: &Path) -> Result<(), OutputError> {
    output::write(path, render(results).as_bytes())
}

fn headline(summary: &Summary) -> String {
    match summary.counts.unexpected() {
        0 if summary.counts.total() == 0 => "no cases were run".to_owned(),
        0 => format!("✅ nothing unexpected in {}", count(summary.counts.total(), "verdict")),
        n => format!("❌ {n} unexpected in {}", count(summary.counts.total(), "verdict")),
    }
}

fn row(run: &RunSummary) -> String {
    let other = |(status, n): (Status, usize)| {
        let told_elsewhere = status == Status::Pass || status.is_unexpected();
        (!told_elsewhere).then(|| format!("{n} {}", status.name()))
    };
    let other: Vec<String> = run.counts.present().filter_map(other).collect();
    let coverage = match run.coverage.total() {
        0 => "–".to_owned(),
        _ => format!("{} % ({}/{})", run.coverage.percent(), run.coverage.tested(), run.coverage.testable()),
    };
    format!(
        "| {} | {} | {} | {} | {} | {coverage} | {:.1} s |\n",
        text(&run.label),
        run.counts.get(Status::Pass),
        run.counts.unexpected(),
        other.join(", "),
        run.statements,
        run.wall_ms as f64 / 1e3,
    )
}

/// A cause that is new: its first verdict in full, and what else it explains.
fn entry(results: &Results, cause: &Cause<'_>, summary: &Summary, detailed: bool) -> String {
    let Some((first, verdict)) = cause.first() else { return String::new() };
    let run = &results.runs[first];
    let labels: Vec<&str> = cause.runs.keys().map(|run| summary.runs[*run].label.as_str()).collect();
    let on = match labels.len() {
        0..=4 => labels.join("; "),
        n => format!("{}; … {n} JVMs", labels[..3].join("; ")),
    };
    let alike = match cause.cases().len() {
        0 | 1 => String::new(),
        n => format!(" and {} alike", count(n - 1, "more case")),
    };
    if !detailed {
        return format!("- **{}** {}{alike} · {}\n", verdict.status.name(), text(&verdict.case), text(&on));
    }
    let links: Vec<String> = verdict
        .cited()
        .into_iter()
        .filter_map(|id| results.assertions.iter().find(|a| a.id == id))
        .map(|a| format!("[{}]({})", text(&a.id), spec_url(&run.jvm, &a.anchor)))
        .collect();
    let details = failure(verdict, run, &results.assertions, Style::PLAIN);
    let fence = fence(&details);
    let cases: Vec<String> = cause.cases().into_iter().skip(1).take(LISTED).map(text).collect();
    let cases = if cases.is_empty() { String::new() } else { format!("Alike: {}\n\n", cases.join(", ")) };
    format!(
        "<details><summary>{}</summary>\n\n{}\n\n{fence}text\n{details}{fence}\n\n{cases}</details>\n",
        html_title(verdict, &alike, &on),
        links.join(", ")
    )
}

/// A line for each known deviation, folded away.
fn list_of_known(results: &Results, known: &[&Cause<'_>]) -> String {
    if known.is_empty() {
        return String::new();
    }
    let mut out = format!("\n<details><summary>{}</summary>\n\n", count(known.len(), "known deviation"));
    out += "| reason | tracker | cases | statements | JVMs |\n| :-- | :-- | --: | --: | :-- |\n";
    for cause in known.iter().take(LISTED) {
        let tracker = match cause.known {
            Some(known) => match (known.link(), &known.tracker) {
                (Some(link), Some(id)) => format!("[{}]({link})", text(id)),
                (_, id) => text(id.as_deref().unwrap_or_default()),
            },
            None => String::new(),
        };
        let on = match first_and_last(cause, results) {
            Some((first, last)) if first != last => {
                format!("{}: {first} … {last}", cause.runs.len())
            }
            Some((only, _)) => only,
            None => String::new(),
        };
        let _ = writeln!(
            out,
            "| {} | {tracker} | {} | {} | {} |",
            text(&cause.reason),
            cause.cases().len(),
            cause.statements().len(),
            text(&on)
        );
    }
    out + "\n</details>\n"
}

/// Markdown is not read inside `<summary>`, so its title is HTML.
fn html_title(verdict: &Verdict, alike: &str, label: &str) -> String {
    format!("<b>{}</b> {}{alike} · {}", verdict.status.name(), text(&verdict.case), text(label))
}

/// A fence longer than any run of backticks in the text, so that the text cannot end it.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// Text that means nothing to Markdown or HTML: every character special to either as an entity.
pub(crate) fn text(raw: &str) -> String {
    visible::line(raw).chars().fold(String::new(), |mut out, c| {
        if c.is_ascii_punctuation() && !matches!(c, '.' | ',' | '-' | '/' | ':' | '(' | ')' | '+') {
            let _ = write!(out, "&#{};", u32::from(c));
        } else {
            out.push(c);
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn summary_of_a_pull_request() {
        insta::assert_snapshot!(render(&sample::small()));
        insta::assert_snapshot!("known", render(&sample::known()));
        insta::assert_snapshot!("empty", render(&Results::default()));
    }

    #[test]
    fn what_fails_alike_on_several_jvms_is_told_once() {
        let mut results = sample::small();
        for release in [21, 26] {
            let mut another = results.runs[0].clone();
            (another.jvm.release, another.jvm.version) = (release, format!("{release}.0.1"));
            results.runs.push(another);
        }
        let markdown = render(&results);
        let summaries: Vec<&str> = markdown.lines().filter(|line| line.contains("<summary><b>")).collect();
        assert_eq!(summaries.len(), 4);
        assert!(summaries[0].contains("25.0.1 Temurin, interpreted&#59; 21.0.1 Temurin"), "{}", summaries[0]);
    }

    #[test]
    fn nothing_in_a_name_is_markup() {
        let markdown = render(&sample::hostile());
        let outside: String = markdown.split("```").step_by(2).collect();
        assert!(!outside.contains("<img") && !outside.contains("</script"), "{outside}");
        assert_eq!(fence("a ``` b"), "````");
        assert_eq!(text("[a](b)|<i>"), "&#91;a&#93;(b)&#124;&#60;i&#62;");
    }

    #[test]
    fn stays_small_enough_for_a_comment() {
        assert!(render(&sample::large()).len() < 65_000);
    }
}
