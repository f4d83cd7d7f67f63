//! What was done in a case and what came of it, for people to read.

use jvmti_results::StoryLine;
use jvmti_wire::trace::{Body, Record};

use super::progress::JudgePass;

/// The most characters of a line: the answers about a thousand classes are in the trace.
const LONGEST: usize = 2000;

fn shortened(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Whether the line says no more than that a name was given to what is called by that name (`$lock is $lock`).
fn is_own_name(text: &str) -> bool {
    text.starts_with('$') && text.split_once(" is ").is_some_and(|(name, value)| name == value)
}

/// What was done in the case and what came, for reading.
pub(super) fn of_case(progress: &JudgePass<'_>, case: usize) -> Vec<StoryLine> {
    let trace = &progress.cases[case];
    let names = &progress.names;
    let line = |record: &Record, text: String| StoryLine {
        at_us: record.at / 1000,
        thread: names.thread(record.thread),
        text: shortened(text),
    };
    let mut lines: Vec<(u64, StoryLine)> = trace
        .story
        .iter()
        .map(|(record, function)| {
            let text = match (&record.body, function) {
                (Body::CallEnd { code, outputs, .. }, Some(function)) => {
                    format!("{} → {}", names.function(*function), names.result(*function, *code, outputs))
                }
                _ => names.record(record),
            };
            (record.seq, line(record, text))
        })
        .collect();
    // Of what all cases of the scenario run share, what came up to this case's last record.
    let last = trace.story.last().map_or(u64::MAX, |(record, _)| record.seq);
    let shared = progress.shared(case).iter();
    let told = shared.filter(|r| r.seq <= last || matches!(r.body, Body::RunEnd { .. }));
    let told = told.map(|r| (r, names.record(r))).filter(|(_, text)| !is_own_name(text));
    lines.extend(told.map(|(r, text)| (r.seq, line(r, text))));
    lines.sort_by_key(|(seq, _)| *seq);
    let mut lines: Vec<StoryLine> = lines.into_iter().map(|(_, line)| line).collect();
    if trace.untold > 0 {
        let at_us = trace.span.map_or(0, |(_, last)| last / 1000);
        let text = format!("… and {} records more", trace.untold);
        lines.push(StoryLine { at_us, thread: String::new(), text });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::is_own_name;

    #[test]
    fn names_that_say_nothing_are_left_out() {
        assert!(is_own_name("$m2 is $m2"));
        assert!(!is_own_name("$m2 is $m1") && !is_own_name("$n is 3") && !is_own_name("fact \"a\" is a"));
    }
}
