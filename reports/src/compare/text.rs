//! The comparison on a terminal.

use super::{Comparison, Kind};
use crate::results::Status;
use crate::terminal::{Style, count};
use crate::visible;

/// The changes for reading; ends with a line break.
pub fn text(comparison: &Comparison, style: Style) -> String {
    if comparison.is_empty() {
        return "No difference.\n".to_owned();
    }
    let mut out = String::new();
    for (runs, what) in [
        (comparison.missing_runs().collect::<Vec<_>>(), "no longer tested"),
        (comparison.added_runs().collect(), "newly tested"),
    ] {
        for run in runs {
            out += &format!("{}: {what}\n", visible::line(run));
        }
    }
    for kind in Kind::ALL.into_iter().filter(|kind| comparison.count(*kind) > 0) {
        let heading = format!("{} ({})", kind.title(), count(comparison.count(kind), "verdict"));
        out += &format!("\n{}\n", style.bold(&heading));
        for statement in comparison.of_kind(kind) {
            let id = if statement.assertion.is_empty() { "no statement cited" } else { &statement.assertion };
            let line = format!("  {}  {}", visible::line(id), style.dim(&visible::line(&statement.text)));
            out += &format!("{}\n", line.trim_end());
            for case in &statement.cases {
                let name = |status: Option<Status>| match status {
                    Some(status) => style.status(status, status.name()),
                    None => "absent".to_owned(),
                };
                out += &format!(
                    "    {}  {} → {}  {}\n",
                    visible::line(&case.case),
                    name(case.before),
                    name(case.after),
                    style.dim(&visible::line(&case.runs.join("; "))),
                );
                if !case.observed.is_empty() {
                    out += &format!("      {}\n", visible::line(&case.observed));
                }
            }
        }
    }
    out.trim_start_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::tests::{different, hostile};

    #[test]
    fn each_kind_is_told() {
        let [before, after] = different();
        let comparison = Comparison::of(&before, &after);
        insta::assert_snapshot!(text(&comparison, Style::PLAIN));
        assert_eq!(text(&Comparison::of(&before, &before), Style::PLAIN), "No difference.\n");
    }

    #[test]
    fn no_escape_out_of_a_trace_reaches_the_terminal() {
        let text = text(&hostile(), Style::PLAIN);
        assert!(text.len() > 100 && !text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
}
