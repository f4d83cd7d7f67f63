//! A badge for a README: how well the JVMs conform.

use crate::cause::{self, Kind};
use crate::results::{Results, Status};
use crate::summary::Summary;
use crate::terminal::count;

/// Left half of the badge.
const LABEL: &str = "JVM TI";
/// Width of a character, roughly.
const CHARACTER: usize = 7;
/// Space around each half's text.
const MARGIN: usize = 10;

/// The badge as SVG. It holds figures only, nothing that comes from a JVM.
pub fn render(results: &Results) -> String {
    let (message, colour) = message(results);
    let (left, right) = (width(LABEL), width(&message));
    let whole = left + right;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"20\" role=\"img\" \
         aria-label=\"{LABEL}: {message}\"><title>{LABEL}: {message}</title>\
         <rect width=\"{left}\" height=\"20\" fill=\"#444\"/>\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"{colour}\"/>\
         <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\" text-anchor=\"middle\">\
         <text x=\"{}\" y=\"14\">{LABEL}</text><text x=\"{}\" y=\"14\">{message}</text></g></svg>\n",
        left / 2,
        left + right / 2,
    )
}

fn width(text: &str) -> usize {
    text.chars().count() * CHARACTER + 2 * MARGIN
}

/// What it says, and its colour: dark enough for white text.
fn message(results: &Results) -> (String, &'static str) {
    let (summary, causes) = (Summary::of(results), cause::causes(results));
    let of = |kind| causes.iter().filter(|cause| cause.kind == kind).count();
    let (new, known) = (of(Kind::New), of(Kind::Known));
    let whom = match results.runs.len() {
        1 => format!("{} % tested", summary.coverage.percent()),
        n => count(n, "JVM"),
    };
    match () {
        () if summary.counts.total() == 0 => ("not tested".to_owned(), "#595959"),
        () if new > 0 => (format!("{whom}, {}", count(new, "new deviation")), "#b3261e"),
        () if summary.counts.get(Status::Error) > 0 => (format!("{whom}, incomplete"), "#595959"),
        () if known > 0 => (format!("{whom}, {}", count(known, "known deviation")), "#7a5c00"),
        () => (format!("{whom}, no deviations"), "#1e6b34"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn it_tells_figures_and_nothing_from_outside() {
        let bad = render(&sample::known());
        assert!(bad.contains("2 JVMs, 3 new deviations") && bad.contains("#b3261e"), "{bad}");
        let mut good = sample::known();
        for run in &mut good.runs {
            run.verdicts.retain(|v| !v.status.is_unexpected());
        }
        assert!(render(&good).contains("2 JVMs, 2 known deviations"));
        assert!(render(&Results::default()).contains("not tested"));
        let hostile = render(&sample::hostile());
        assert!(!hostile.contains("<img") && !hostile.contains("script"), "{hostile}");
    }
}
