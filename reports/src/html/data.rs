//! The data that the page's script shows: statements and cases as rows, a letter for each JVM, every text once.

use std::collections::HashMap;

use serde::{Serialize, Serializer};

use super::state::State;
use crate::gist::gist;
use crate::link::spec_page;
use crate::matrix::Cell;
use crate::results::{AssertionInfo, JvmRun, Results, Status, Verdict};
use crate::summary::{self, chapter_title, labels};
use crate::visible;

/// Lines of a story that the page keeps; a longer one loses its beginning.
const STORY_LINES: usize = 200;
/// Where the id of a case goes in a run's command.
const CASE: &str = "{case}";

/// Index into [`Data::texts`].
type Text = usize;

#[derive(Serialize)]
pub struct Data {
    /// Every text, once; elsewhere by index.
    texts: Vec<String>,
    states: Vec<StateName>,
    /// Letter and name of each status.
    statuses: Vec<(char, &'static str)>,
    runs: Vec<Run>,
    /// Id and title, in order.
    chapters: Vec<(Text, Text)>,
    assertions: Vec<Assertion>,
    cases: Vec<CaseRow>,
}

#[derive(Serialize)]
struct StateName {
    letter: char,
    name: &'static str,
    unexpected: bool,
}

#[derive(Serialize)]
struct Run {
    label: String,
    release: u16,
    spec: String,
    /// The command that runs a case again, with [`CASE`] in it.
    again: String,
}

/// A statement. One without text is cited and not registered; one without id stands for the cases that cite none.
#[derive(Serialize)]
struct Assertion {
    id: Text,
    text: Text,
    anchor: Text,
    strength: Text,
    chapter: usize,
    subject: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    untestable: Option<Text>,
    /// A [`State`]'s letter for each run.
    states: String,
}

#[derive(Serialize)]
struct CaseRow {
    id: Text,
    about: Text,
    /// Indices into `assertions`.
    cites: Vec<usize>,
    source: Text,
    /// Where the case stands: its family, row and column.
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<(Text, Text, Text)>,
    asserted: u32,
    /// A status's letter for each run, a dot where the case isn't in it.
    statuses: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outcomes: Vec<VerdictRow>,
}

/// What came of the case where it isn't a pass, once for all JVMs on which the same came.
#[derive(Serialize)]
struct VerdictRow {
    runs: Vec<usize>,
    status: char,
    micros: u64,
    findings: Vec<FindingRow>,
    /// Microseconds, thread, what happened; of the first of the runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    story: Vec<(u64, Text, Text)>,
    /// The command where it isn't the run's.
    #[serde(skip_serializing_if = "Option::is_none")]
    again: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Text>,
}

#[derive(PartialEq)]
struct FindingRow {
    place: Text,
    expected: Text,
    observed: Text,
}

impl Serialize for FindingRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.place, self.expected, self.observed).serialize(serializer)
    }
}

impl Data {
    pub fn of(results: &Results) -> Data {
        let mut builder = Builder::new(results);
        builder.statements();
        for (index, run) in results.runs.iter().enumerate() {
            for verdict in &run.verdicts {
                builder.add(index, verdict);
            }
        }
        builder.data
    }
}

fn letter(status: Status) -> char {
    match status {
        Status::Pass => 'p',
        Status::Fail => 'f',
        Status::Crash => 'c',
        Status::Timeout => 't',
        Status::Permitted => 'm',
        Status::Known => 'k',
        Status::Fixed => 'x',
        Status::Inapplicable => 'i',
        Status::Error => 'e',
    }
}

struct Builder<'a> {
    results: &'a Results,
    data: Data,
    /// For each run its command, as far as a template gives it.
    templates: Vec<Option<String>>,
    texts: HashMap<String, Text>,
    chapters: HashMap<String, usize>,
    assertions: HashMap<&'a str, usize>,
    cases: HashMap<&'a str, usize>,
}

impl<'a> Builder<'a> {
    fn new(results: &'a Results) -> Builder<'a> {
        let templates: Vec<_> = results.runs.iter().map(template).collect();
        let runs =
            results.runs.iter().zip(labels(results)).zip(&templates).map(|((run, label), again)| Run {
                label: visible::line(&label).into_owned(),
                release: run.jvm.release,
                spec: spec_page(&run.jvm),
                again: visible::line(again.as_deref().unwrap_or_default()).into_owned(),
            });
        let states = State::ALL.map(|s| StateName {
            letter: s.letter(),
            name: s.name(),
            unexpected: s.is_unexpected(),
        });
        let mut builder = Builder {
            results,
            data: Data {
                texts: Vec::new(),
                states: states.into(),
                statuses: Status::ALL.map(|s| (letter(s), s.name())).into(),
                runs: runs.collect(),
                chapters: Vec::new(),
                assertions: Vec::new(),
                cases: Vec::new(),
            },
            templates,
            texts: HashMap::new(),
            chapters: HashMap::new(),
            assertions: HashMap::new(),
            cases: HashMap::new(),
        };
        builder.text("");
        for chapter in &results.chapters {
            builder.chapter(&chapter.id);
        }
        builder
    }

    /// The registered statements, each with what came of it on each JVM.
    fn statements(&mut self) {
        let results = self.results;
        let mut states = vec![vec![State::Unstated; results.runs.len()]; results.assertions.len()];
        for (r, run) in results.runs.iter().enumerate() {
            for (index, outcome) in summary::outcomes(run, &results.assertions) {
                states[index][r] = outcome.into();
            }
        }
        for (info, states) in results.assertions.iter().zip(states) {
            let index = self.statement(info, &states);
            self.assertions.entry(&info.id).or_insert(index);
        }
    }

    fn statement(&mut self, info: &AssertionInfo, states: &[State]) -> usize {
        let statement = Assertion {
            id: self.text(&info.id),
            text: self.block(&info.text),
            anchor: self.text(&info.anchor),
            strength: self.text(&info.strength),
            chapter: self.chapter(&info.chapter),
            subject: self.text(info.subject.as_deref().unwrap_or_default()),
            untestable: info.untestable.as_deref().map(|reason| self.block(reason)),
            states: states.iter().map(|s| s.letter()).collect(),
        };
        self.data.assertions.push(statement);
        self.data.assertions.len() - 1
    }

    /// A row for what isn't registered, under the chapter of the case that cites it.
    fn unregistered(&mut self, id: &'a str, verdict: &Verdict) -> usize {
        let info = AssertionInfo {
            id: id.into(),
            chapter: verdict.chapter.clone(),
            subject: verdict.subject.clone(),
            ..AssertionInfo::default()
        };
        let index = self.statement(&info, &vec![State::Unstated; self.results.runs.len()]);
        self.assertions.insert(id, index);
        index
    }

    fn add(&mut self, run: usize, verdict: &'a Verdict) {
        let known = self.cases.get(verdict.case.as_str()).copied();
        let free = known.filter(|i| self.data.cases[*i].statuses.as_bytes()[run] == b'.');
        let index = free.unwrap_or_else(|| self.case(verdict));
        let cited = verdict.cited();
        let cited = if cited.is_empty() && free.is_none() { vec![""] } else { cited };
        for id in cited {
            let found = self.assertions.get(id).copied();
            let cite = found.unwrap_or_else(|| self.unregistered(id, verdict));
            self.refine(cite, run, verdict);
            if !self.data.cases[index].cites.contains(&cite) {
                self.data.cases[index].cites.push(cite);
            }
        }
        let letter = letter(verdict.status);
        let statuses = &mut self.data.cases[index].statuses;
        statuses.replace_range(run..=run, letter.encode_utf8(&mut [0; 4]));
        if verdict.status != Status::Pass {
            self.outcome(index, run, verdict);
        }
    }

    /// What the case tells of the statement beyond what coverage counts.
    fn refine(&mut self, cite: usize, run: usize, verdict: &Verdict) {
        let states = &mut self.data.assertions[cite].states;
        let Some(state) = states.chars().nth(run).and_then(State::of_letter) else { return };
        let refined = state.refined(verdict.status);
        states.replace_range(run..=run, refined.letter().encode_utf8(&mut [0; 4]));
    }

    fn case(&mut self, verdict: &'a Verdict) -> usize {
        let case = CaseRow {
            id: self.text(&verdict.case),
            about: self.block(&verdict.about),
            cites: Vec::new(),
            source: self.text(&verdict.source),
            cell: self.cell(&verdict.case),
            asserted: verdict.asserted,
            statuses: ".".repeat(self.results.runs.len()),
            outcomes: Vec::new(),
        };
        self.data.cases.push(case);
        let index = self.data.cases.len() - 1;
        self.cases.insert(&verdict.case, index);
        index
    }

    fn cell(&mut self, id: &str) -> Option<(Text, Text, Text)> {
        let cell = Cell::of(id)?;
        Some((self.text(cell.family), self.text(cell.row), self.text(cell.column)))
    }

    fn outcome(&mut self, case: usize, run: usize, verdict: &Verdict) {
        let status = letter(verdict.status);
        let findings: Vec<FindingRow> = verdict.findings.iter().map(|f| self.finding(f)).collect();
        let again = (self.again(run, verdict) != verdict.reproduce).then(|| self.text(&verdict.reproduce));
        let same =
            |o: &VerdictRow| o.status == status && o.again == again && self.is_same(&o.findings, &findings);
        if let Some(place) = self.data.cases[case].outcomes.iter().position(same) {
            self.data.cases[case].outcomes[place].runs.push(run);
            return;
        }
        let story = self.story(verdict);
        let trace = verdict.trace.as_deref().map(|t| self.text(t));
        let outcome =
            VerdictRow { runs: vec![run], status, micros: verdict.micros, findings, story, again, trace };
        self.data.cases[case].outcomes.push(outcome);
    }

    /// Whether these say the same, but for addresses and the numbers that objects are given as they are seen.
    fn is_same(&self, a: &[FindingRow], b: &[FindingRow]) -> bool {
        let texts = |f: &FindingRow| [f.place, f.expected, f.observed].map(|t| gist(&self.data.texts[t]));
        a == b || (a.len() == b.len() && a.iter().zip(b).all(|(a, b)| texts(a) == texts(b)))
    }

    fn finding(&mut self, f: &crate::results::Finding) -> FindingRow {
        FindingRow {
            place: self.text(&f.place),
            expected: self.block(&f.expected),
            observed: self.block(&f.observed),
        }
    }

    fn story(&mut self, verdict: &Verdict) -> Vec<(u64, Text, Text)> {
        let hidden = verdict.story.len().saturating_sub(STORY_LINES);
        let mut story = Vec::new();
        if let (1.., Some(first)) = (hidden, verdict.story.get(hidden)) {
            story.push((first.at_us, 0, self.text(&format!("… {hidden} earlier lines"))));
        }
        let shown = verdict.story[hidden..].iter();
        story.extend(shown.map(|line| (line.at_us, self.text(&line.thread), self.block(&line.text))));
        story
    }

    fn again(&self, run: usize, verdict: &Verdict) -> String {
        let template = self.templates[run].as_deref().unwrap_or_default();
        template.replacen(CASE, &verdict.case, 1)
    }

    fn chapter(&mut self, id: &str) -> usize {
        if let Some(index) = self.chapters.get(id) {
            return *index;
        }
        let title = chapter_title(self.results, id);
        let chapter = (self.text(id), self.text(&title));
        self.data.chapters.push(chapter);
        self.chapters.insert(id.to_owned(), self.data.chapters.len() - 1);
        self.data.chapters.len() - 1
    }

    fn text(&mut self, text: &str) -> Text {
        self.intern(visible::line(text).into_owned())
    }

    fn block(&mut self, text: &str) -> Text {
        self.intern(visible::block(text).into_owned())
    }

    fn intern(&mut self, text: String) -> Text {
        if let Some(index) = self.texts.get(&text) {
            return *index;
        }
        let index = self.data.texts.len();
        self.data.texts.push(text.clone());
        self.texts.insert(text, index);
        index
    }
}

/// The run's command with a place for the case, out of its first verdict.
fn template(run: &JvmRun) -> Option<String> {
    let first = run.verdicts.iter().find(|v| !v.case.is_empty() && v.reproduce.contains(&v.case))?;
    Some(first.reproduce.replacen(&first.case, CASE, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn one_row_for_a_case_whichever_jvms_it_ran_on() {
        let data = Data::of(&sample::small());
        let rows: Vec<_> =
            data.cases.iter().map(|c| (data.texts[c.id].as_str(), c.statuses.as_str())).collect();
        assert_eq!(rows.len(), 9);
        assert_eq!(rows[0], ("get-thread-state/new", "pp"));
        assert_eq!(rows[1], ("get-thread-state/sleeping", "fp"));
        assert_eq!(rows[2], ("IterateThroughHeap#null/callbacks", "c."));
    }

    #[test]
    fn each_statement_has_a_state_on_each_jvm() {
        let data = Data::of(&sample::small());
        let rows: Vec<_> =
            data.assertions.iter().map(|a| (data.texts[a.id].as_str(), a.states.as_str())).collect();
        assert_eq!(
            rows,
            [
                ("GetThreadState#description", "em"),
                ("thread-state/sleeping-is-timed", "fn"),
                ("IterateThroughHeap#description", "tk"),
                ("IterateThroughHeap#null/callbacks", "cn"),
                ("FollowReferences#advice", "uu"),
            ]
        );
    }

    #[test]
    fn what_came_alike_is_there_once() {
        let mut results = sample::small();
        results.runs[0].verdicts[1].findings[0].observed = "klass: #12 at 0x7f00".into();
        let mut other = results.runs[0].clone();
        other.jvm.release = 26;
        other.verdicts[1].findings[0].observed = "klass: #9 at 0xa1".into();
        results.runs.push(other);
        let data = Data::of(&results);
        assert_eq!(data.cases[1].outcomes.len(), 1);
        assert_eq!(data.cases[1].outcomes[0].runs, [0, 2]);
        assert_ne!(gist("NONE (0)"), gist("NONE (1)"));
    }

    #[test]
    fn a_case_twice_in_one_run_is_two_rows() {
        let mut results = sample::small();
        let again = results.runs[0].verdicts[0].clone();
        results.runs[0].verdicts.push(again);
        assert_eq!(Data::of(&results).cases.len(), 10);
    }
}
