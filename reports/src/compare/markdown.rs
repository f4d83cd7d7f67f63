//! The comparison in Markdown, for a pull request.

use std::fmt::Write;

use super::{CaseChange, Comparison, Kind};
use crate::markdown::text;
use crate::results::Status;

/// Cases listed of each kind; comments on a pull request have a size limit.
const LISTED: usize = 60;

/// The changes; ends with a line break.
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = format!("## JVM TI conformance: {}\n\n", headline(comparison));
    out += "| | before | after |\n| :-- | :-- | :-- |\n";
    for pair in &comparison.runs {
        let name = |run: &Option<String>| run.as_deref().map_or("–".to_owned(), text);
        let _ = writeln!(out, "| JVM | {} | {} |", name(&pair.before), name(&pair.after));
    }
    let sides = [&comparison.before, &comparison.after];
    let _ = writeln!(out, "| suite | {} | {} |", text(&sides[0].suite), text(&sides[1].suite));
    let _ = writeln!(out, "| started | {} | {} |", text(&sides[0].started), text(&sides[1].started));
    for kind in Kind::ALL.into_iter().filter(|kind| comparison.count(*kind) > 0) {
        let _ = write!(out, "\n### {} ({})\n", kind.title(), comparison.count(kind));
        let cases = comparison.of_kind(kind).flat_map(|s| s.cases.iter().map(move |c| (s, c)));
        let cases: Vec<_> = cases.collect();
        let mut heading = None;
        for (statement, case) in cases.iter().take(LISTED) {
            if heading != Some(&statement.assertion) {
                heading = Some(&statement.assertion);
                let id = match (statement.assertion.as_str(), statement.link.as_str()) {
                    ("", _) => "no statement cited".to_owned(),
                    (id, "") => text(id),
                    (id, link) => format!("[{}]({link})", text(id)),
                };
                let says = if statement.text.is_empty() {
                    String::new()
                } else {
                    format!(": {}", text(&statement.text))
                };
                let _ = write!(out, "\n{id}{says}\n\n");
            }
            out += &entry(case);
        }
        if cases.len() > LISTED {
            let _ = write!(out, "\n… and {} cases more.\n", cases.len() - LISTED);
        }
    }
    out
}

fn headline(comparison: &Comparison) -> String {
    match (comparison.count(Kind::Broken), comparison.is_empty()) {
        (0, true) => "✅ no difference".to_owned(),
        (0, false) => "✅ no new failure".to_owned(),
        (1, _) => "❌ 1 new failure".to_owned(),
        (n, _) => format!("❌ {n} new failures"),
    }
}

fn entry(case: &CaseChange) -> String {
    let name = |status: Option<Status>| status.map_or("absent", Status::name);
    let observed = match case.observed.as_str() {
        "" => String::new(),
        observed => format!("<br>{}", text(observed)),
    };
    format!(
        "- {} → **{}** {} · {}{observed}\n",
        name(case.before),
        name(case.after),
        text(&case.case),
        text(&case.runs.join("; ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::tests::{different, hostile};

    #[test]
    fn for_a_pull_request() {
        let [before, after] = different();
        insta::assert_snapshot!(markdown(&Comparison::of(&before, &after)));
    }

    #[test]
    fn nothing_in_a_name_is_markup() {
        let markdown = markdown(&hostile());
        assert!(!markdown.contains("<img") && !markdown.contains("</script"), "{markdown}");
    }
}
