//! The details of a verdict that is not a pass: what the specification says, what was called, what was expected and
//! observed, on which JVM, and the command to reproduce it.

use super::{Style, shortened};
use crate::link::spec_url;
use crate::results::{AssertionInfo, Finding, JvmRun, StoryLine, Verdict};
use crate::visible;

/// The number of lines shown of a story; a longer one loses its beginning.
const STORY_LINES: usize = 40;
/// The most characters of a line of a story; the whole is in the trace and in the other reports.
const LONGEST: usize = 400;
/// So many lines of the scenario in a row are shown as one.
const SETUP: usize = 3;
/// The column at which the text of a labelled line begins.
const TEXT: usize = 12;

/// The details of one verdict. Ends with a line break.
pub fn failure(verdict: &Verdict, run: &JvmRun, assertions: &[AssertionInfo], style: Style) -> String {
    let mut block = Block::new(style);
    let status = verdict.status.name().to_uppercase();
    block.out += &style.status(verdict.status, &format!("── {status} ── "));
    block.out += &format!("{}\n", style.bold(&visible::line(&verdict.case)));
    block.labelled("about", &verdict.about);
    for id in verdict.cited() {
        match assertions.iter().find(|a| a.id == id) {
            Some(assertion) => block.statement(assertion, &spec_url(&run.jvm, &assertion.anchor)),
            None => block.labelled("spec", id),
        }
    }
    block.story(&verdict.story);
    block.seen(verdict);
    for listed in verdict.findings.iter().filter(|finding| finding.tells_of_list()) {
        block.labelled("listed", &listed.observed);
    }
    block.labelled("on", &identity(run));
    block.labelled("case", &verdict.source);
    block.labelled("trace", verdict.trace.as_deref().unwrap_or_default());
    let report = verdict.crash.as_ref().and_then(|crash| crash.file.as_deref());
    block.labelled("report", report.unwrap_or_default());
    block.verbatim("rerun", &verdict.reproduce);
    block.out
}

/// The JVM in one line, with everything that distinguishes it from others.
fn identity(run: &JvmRun) -> String {
    let jvm = &run.jvm;
    let mut text = format!(
        "{}, {} {} ({}), JVM TI {}, {}, {}",
        jvm.label(),
        jvm.vm_name,
        jvm.vm_version,
        jvm.vm_info,
        jvm.jvmti_version,
        jvm.arch,
        jvm.home
    );
    if !run.vm_options.is_empty() {
        text += &format!(", with {}", run.vm_options.join(" "));
    }
    text
}

/// A line of a story, or how many lines of the scenario are left out in its place.
enum StoryPart<'a> {
    Line(&'a StoryLine),
    Setup(usize),
}

/// The story, with what the scenario published or named, which the calls rarely need, folded.
fn folded(story: &[StoryLine]) -> Vec<StoryPart<'_>> {
    let is_setup = |line: &StoryLine| line.text.starts_with("fact \"") || line.text.starts_with('$');
    let mut told = Vec::new();
    for lines in story.chunk_by(|a, b| is_setup(a) == is_setup(b)) {
        match lines.first().is_some_and(is_setup) && lines.len() > SETUP {
            true => told.push(StoryPart::Setup(lines.len())),
            false => told.extend(lines.iter().map(StoryPart::Line)),
        }
    }
    told
}

/// Lines that each begin with a label.
pub(super) struct Block {
    style: Style,
    pub(super) out: String,
}

impl Block {
    pub(super) fn new(style: Style) -> Block {
        Block { style, out: String::new() }
    }

    /// What was found, and the JVM's own words if it crashed.
    pub(super) fn seen(&mut self, verdict: &Verdict) {
        for finding in verdict.findings.iter().filter(|finding| !finding.tells_of_list()) {
            self.finding(finding);
        }
        if let Some(crash) = &verdict.crash {
            self.labelled("JVM says", &crash.said.join("\n"));
        }
    }

    pub(super) fn statement(&mut self, assertion: &AssertionInfo, url: &str) {
        self.labelled("spec", &format!("{} ({}): {}", assertion.id, assertion.strength, assertion.text));
        self.verbatim("", url);
    }

    fn story(&mut self, story: &[StoryLine]) {
        let told = folded(story);
        let hidden = told.len().saturating_sub(STORY_LINES);
        if hidden > 0 {
            self.labelled("done", &format!("… {hidden} earlier lines"));
        }
        for (i, line) in told[hidden..].iter().enumerate() {
            let label = if i == 0 && hidden == 0 { "done" } else { "" };
            match line {
                StoryPart::Line(line) => {
                    let at = line.at_us as f64 / 1e3;
                    let text = shortened(&line.text, LONGEST);
                    self.labelled(label, &format!("{at:>9.3} ms  {}  {text}", line.thread));
                }
                StoryPart::Setup(n) => self.labelled(label, &format!("… {n} lines of the scenario")),
            }
        }
    }

    fn finding(&mut self, finding: &Finding) {
        self.labelled("at", &finding.place);
        self.labelled("expected", &finding.expected);
        self.labelled("observed", &finding.observed);
    }

    /// Appends a label and its wrapped text; nothing if the text is empty.
    pub(super) fn labelled(&mut self, label: &str, text: &str) {
        let text = visible::block(text);
        let text = text.replace('\t', "    ");
        if text.trim().is_empty() {
            return;
        }
        let room = self.style.width.saturating_sub(TEXT).max(20);
        let options = textwrap::Options::new(room).subsequent_indent("  ");
        let wrapped = text.lines().flat_map(|line| textwrap::wrap(line, &options));
        for (i, line) in wrapped.enumerate() {
            let label = if i == 0 { label } else { "" };
            self.out += format!("{}{line}", self.label(label)).trim_end();
            self.out.push('\n');
        }
    }

    /// Appends a label and a text for copying, which is not wrapped.
    pub(super) fn verbatim(&mut self, label: &str, text: &str) {
        if !text.is_empty() {
            self.out += &format!("{}{}\n", self.label(label), visible::line(text));
        }
    }

    fn label(&self, label: &str) -> String {
        let padded = format!("{label:>width$}  ", width = TEXT - 2);
        if label.is_empty() { padded } else { self.style.dim(&padded) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn blocks(style: Style) -> String {
        let results = sample::small();
        let unexpected = results.runs.iter().flat_map(|run| run.verdicts.iter().map(move |v| (run, v)));
        unexpected
            .filter(|(_, v)| v.status.is_unexpected())
            .map(|(run, v)| failure(v, run, &results.assertions, style) + "\n")
            .collect()
    }

    #[test]
    fn reads_without_opening_a_log() {
        insta::assert_snapshot!("failures-plain", blocks(Style::PLAIN));
        insta::assert_snapshot!("failures-coloured", blocks(Style { colour: true, ..Style::PLAIN }));
    }

    #[test]
    fn what_the_scenario_published_is_folded() {
        let mut results = sample::small();
        let line = |text: String| StoryLine { at_us: 1, thread: "main".into(), text };
        results.runs[0].verdicts[0].story = (0..9).map(|i| line(format!("fact \"n\" is {i}"))).collect();
        results.runs[0].verdicts[0].story.push(line("GetPhase()".into()));
        let block = failure(&results.runs[0].verdicts[0], &results.runs[0], &[], Style::PLAIN);
        assert!(block.contains("… 9 lines of the scenario") && block.contains("GetPhase()"), "{block}");
        assert!(!block.contains("fact"), "{block}");
    }

    #[test]
    fn a_long_story_loses_its_beginning() {
        let mut results = sample::small();
        let line = |i| StoryLine { at_us: i, thread: "main".into(), text: format!("call {i}") };
        results.runs[0].verdicts[0].story = (0..100).map(line).collect();
        let block = failure(&results.runs[0].verdicts[0], &results.runs[0], &[], Style::PLAIN);
        assert!(
            block.contains("60 earlier lines") && block.contains("call 60") && !block.contains("call 59")
        );
    }
}
