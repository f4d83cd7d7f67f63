//! Coverage of the specification, as a bar for each chapter.

use std::fmt::Write;

use owo_colors::Style as Paint;

use super::Style;
use crate::summary::{ChapterCoverage, Coverage, Outcome};
use crate::visible;

/// Maximum and minimum width of a bar, in columns.
const BAR: (usize, usize) = (40, 10);
/// Columns for the figures next to a bar.
const FIGURES: usize = 44;

/// A line for each chapter with a tested statement, and a total if all chapters have one. Empty if no statement was
/// tested.
pub(super) fn bars(chapters: &[ChapterCoverage], whole: &Coverage, title: &str, style: Style) -> String {
    let tested: Vec<&ChapterCoverage> = chapters.iter().filter(|c| c.coverage.tested() > 0).collect();
    if tested.is_empty() {
        return String::new();
    }
    let titles: Vec<String> = tested.iter().map(|c| visible::line(&c.title).into_owned()).collect();
    let title_width = titles.iter().map(|t| t.chars().count()).max().unwrap_or(0).max("all".len());
    let bar = style.width.saturating_sub(title_width + FIGURES).clamp(BAR.1, BAR.0);
    let heading = format!("Statements of the specification {title}");
    let heading = super::shortened(&heading, style.width.saturating_sub(2).max(20));
    let mut out = format!("\n  {}\n", style.bold(&heading));
    let all = (tested.len() == chapters.len()).then(|| ("all".to_owned(), whole));
    for (title, coverage) in titles.into_iter().zip(tested.iter().map(|c| &c.coverage)).chain(all) {
        let _ = writeln!(
            out,
            "  {title:<title_width$}  {}  {:>11} {:>3} %{}",
            painted(coverage, bar, style),
            format!("{}/{}", coverage.tested(), coverage.testable()),
            coverage.percent(),
            notes(coverage, style),
        );
    }
    let mark = |(mark, paint, _): &(&str, Paint, Vec<Outcome>), name| {
        format!("{} {name}", style.paint(mark, *paint))
    };
    let legend = ["held", "permitted or known", "broken", "not tested"];
    let legend: Vec<String> = marks().iter().zip(legend).map(|(part, name)| mark(part, name)).collect();
    let _ = writeln!(out, "  {}", legend.join("  "));
    out
}

/// The marks of a bar, and the outcomes that each stands for.
fn marks() -> [(&'static str, Paint, Vec<Outcome>); 4] {
    [
        ("█", Paint::new().green(), vec![Outcome::Held]),
        ("▓", Paint::new().yellow(), vec![Outcome::Permitted, Outcome::Known]),
        ("▒", Paint::new().red(), vec![Outcome::Broken]),
        ("░", Paint::new().dimmed(), vec![Outcome::Inapplicable, Outcome::Untested, Outcome::Untestable]),
    ]
}

/// The bar: held, permitted or known, broken, then not tested.
fn painted(coverage: &Coverage, width: usize, style: Style) -> String {
    let (total, mut drawn, mut sum) = (coverage.total().max(1), 0, 0);
    let mut bar = String::new();
    for (mark, paint, outcomes) in marks() {
        sum += outcomes.iter().map(|o| coverage.get(*o)).sum::<usize>();
        let end = width * sum / total;
        if end > drawn {
            bar += &style.paint(&mark.repeat(end - drawn), paint);
            drawn = end;
        }
    }
    bar
}

fn notes(coverage: &Coverage, style: Style) -> String {
    let note = |outcome: Outcome| match coverage.get(outcome) {
        0 => None,
        n => Some((outcome, format!("{n} {}", outcome.name()))),
    };
    [Outcome::Broken, Outcome::Untestable]
        .into_iter()
        .filter_map(note)
        .map(|(outcome, text)| match outcome {
            Outcome::Broken => format!("  {}", style.paint(&text, Paint::new().red())),
            _ => format!("  {}", style.dim(&text)),
        })
        .collect()
}
