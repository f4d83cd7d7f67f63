//! A table for spreadsheets: a row for each statement on each JVM.

use crate::cause;
use crate::link::spec_url;
use crate::results::Results;
use crate::summary::{self, labels};
use crate::visible;

/// Names of the columns.
const COLUMNS: [&str; 10] = [
    "jvm",
    "release",
    "chapter",
    "subject",
    "statement",
    "strength",
    "outcome",
    "deviations",
    "text",
    "specification",
];

/// The table. Lines end as RFC 4180 wants it.
pub fn render(results: &Results) -> String {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    // Infallible: the writer is memory, and all rows have as many cells.
    let _ = writer.write_record(COLUMNS);
    let causes = cause::causes(results);
    for (number, (run, label)) in results.runs.iter().zip(labels(results)).enumerate() {
        let here = causes.iter().filter(|cause| cause.runs.contains_key(&number));
        let here: Vec<_> = here.map(|cause| (cause, cause.statements_on(number))).collect();
        for (index, outcome) in summary::outcomes(run, &results.assertions) {
            let info = &results.assertions[index];
            let why = here.iter().filter(|(_, statements)| statements.contains(info.id.as_str()));
            let why: Vec<&str> = why.map(|(cause, _)| cause.id.as_str()).collect();
            let cells = [
                label.clone(),
                run.jvm.release.to_string(),
                summary::chapter_title(results, &info.chapter),
                info.subject.clone().unwrap_or_default(),
                info.id.clone(),
                info.strength.clone(),
                outcome.name().to_owned(),
                why.join(" "),
                info.text.clone(),
                spec_url(&run.jvm, &info.anchor),
            ];
            let _ = writer.write_record(cells.map(|cell| harmless(&cell)));
        }
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// On one line, and nothing that a spreadsheet takes for a formula.
fn harmless(text: &str) -> String {
    let line = visible::line(text);
    match line.starts_with(['=', '+', '-', '@']) {
        true => format!("'{line}"),
        false => line.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_row_for_each_statement_on_each_jvm() {
        let table = render(&sample::known());
        assert!(table.starts_with("jvm,release,chapter,"), "{table}");
        assert_eq!(table.lines().count(), 1 + 2 * 5, "{table}");
        let known = table.lines().find(|line| line.contains(",known,")).unwrap();
        assert!(known.contains("iteratethroughheap-counts-one-object-too-many-"), "{known}");
    }

    #[test]
    fn nothing_is_a_formula() {
        assert_eq!(harmless("=HYPERLINK(1)"), "'=HYPERLINK(1)");
        assert_eq!(harmless("a=1"), "a=1");
        let hostile = render(&sample::hostile());
        assert!(!hostile.contains('\u{1b}') && !hostile.contains('\u{0}'));
    }
}
