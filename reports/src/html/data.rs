//! The data that the page's script shows: cases as rows, one cell for each run, every text once.

use std::collections::HashMap;

use serde::{Serialize, Serializer};

use crate::link::spec_page;
use crate::results::{AssertionInfo, Results, Status, Verdict};
use crate::summary::{chapter_title, labels};
use crate::visible;

/// Lines of a story that the page keeps; a longer one loses its beginning.
const STORY_LINES: usize = 200;

/// Index into [`Data::texts`].
type Text = usize;

#[derive(Serialize)]
pub struct Data {
    /// Every text, once; elsewhere by index.
    texts: Vec<String>,
    statuses: Vec<StatusName>,
    runs: Vec<Run>,
    /// Id and title.
    chapters: Vec<(Text, Text)>,
    assertions: Vec<Assertion>,
    cases: Vec<Case>,
}

#[derive(Serialize)]
struct StatusName {
    name: &'static str,
    unexpected: bool,
}

#[derive(Serialize)]
struct Run {
    label: String,
    release: u16,
    spec: String,
}

#[derive(Serialize)]
struct Assertion {
    id: Text,
    text: Text,
    anchor: Text,
    strength: Text,
}

#[derive(Serialize)]
struct Case {
    id: Text,
    about: Text,
    /// Index into `chapters`.
    chapter: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<Text>,
    /// Index into `assertions`, or the id of one that isn't registered.
    cites: Vec<Cite>,
    source: Text,
    asserted: u32,
    /// One for each run, null where the case isn't in it.
    cells: Vec<Option<Cell>>,
}

#[derive(PartialEq)]
enum Cite {
    Registered(usize),
    Unknown(Text),
}

/// A number from 0 for a registered one, below 0 for a text.
impl Serialize for Cite {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cite::Registered(index) => serializer.serialize_u64(*index as u64),
            Cite::Unknown(text) => serializer.serialize_i64(-1 - *text as i64),
        }
    }
}

#[derive(Serialize)]
struct Cell {
    /// Index into `statuses`.
    status: usize,
    micros: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Finding>,
    /// Microseconds, thread, what happened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    story: Vec<(u64, Text, Text)>,
    again: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Text>,
}

#[derive(Serialize)]
struct Finding {
    place: Text,
    expected: Text,
    observed: Text,
}

impl Data {
    pub fn of(results: &Results) -> Data {
        let mut builder = Builder::new(results);
        for (index, run) in results.runs.iter().enumerate() {
            for verdict in &run.verdicts {
                builder.add(index, verdict);
            }
        }
        builder.finish()
    }
}

struct Builder<'a> {
    results: &'a Results,
    registered: HashMap<&'a str, &'a AssertionInfo>,
    data: Data,
    texts: HashMap<String, Text>,
    chapters: HashMap<&'a str, usize>,
    assertions: HashMap<&'a str, usize>,
    cases: HashMap<&'a str, usize>,
}

impl<'a> Builder<'a> {
    fn new(results: &'a Results) -> Builder<'a> {
        let statuses =
            Status::ALL.map(|s| StatusName { name: s.name(), unexpected: s.is_unexpected() }).into();
        let run = |(run, label): (&crate::results::JvmRun, String)| Run {
            label: visible::line(&label).into_owned(),
            release: run.jvm.release,
            spec: spec_page(&run.jvm),
        };
        let runs = results.runs.iter().zip(labels(results)).map(run).collect();
        let mut builder = Builder {
            results,
            registered: results.assertions.iter().map(|a| (a.id.as_str(), a)).collect(),
            data: Data {
                texts: Vec::new(),
                statuses,
                runs,
                chapters: Vec::new(),
                assertions: Vec::new(),
                cases: Vec::new(),
            },
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

    fn add(&mut self, run: usize, verdict: &'a Verdict) {
        let known = self.cases.get(verdict.case.as_str()).copied();
        let free = known.filter(|i| self.data.cases[*i].cells[run].is_none());
        let index = free.unwrap_or_else(|| self.case(verdict));
        let cell = self.cell(verdict);
        let cites: Vec<Cite> = verdict.cited().into_iter().map(|id| self.cite(id)).collect();
        let case = &mut self.data.cases[index];
        case.cells[run] = Some(cell);
        for cite in cites {
            if !case.cites.contains(&cite) {
                case.cites.push(cite);
            }
        }
    }

    fn case(&mut self, verdict: &'a Verdict) -> usize {
        let case = Case {
            id: self.text(&verdict.case),
            about: self.block(&verdict.about),
            chapter: self.chapter(&verdict.chapter),
            subject: verdict.subject.as_deref().map(|s| self.text(s)),
            cites: Vec::new(),
            source: self.text(&verdict.source),
            asserted: verdict.asserted,
            cells: self.results.runs.iter().map(|_| None).collect(),
        };
        self.data.cases.push(case);
        let index = self.data.cases.len() - 1;
        self.cases.insert(&verdict.case, index);
        index
    }

    fn cell(&mut self, verdict: &Verdict) -> Cell {
        let hidden = verdict.story.len().saturating_sub(STORY_LINES);
        let status = Status::ALL.iter().position(|s| *s == verdict.status).unwrap_or_default();
        let findings = verdict.findings.iter().map(|f| Finding {
            place: self.text(&f.place),
            expected: self.block(&f.expected),
            observed: self.block(&f.observed),
        });
        let findings = findings.collect();
        let mut story: Vec<_> = Vec::new();
        if verdict.status != Status::Pass {
            if let (1.., Some(first)) = (hidden, verdict.story.get(hidden)) {
                story.push((first.at_us, 0, self.text(&format!("… {hidden} earlier lines"))));
            }
            let shown = verdict.story[hidden..].iter();
            story.extend(shown.map(|line| (line.at_us, self.text(&line.thread), self.block(&line.text))));
        }
        Cell {
            status,
            micros: verdict.micros,
            findings,
            story,
            again: self.text(&verdict.reproduce),
            trace: verdict.trace.as_deref().map(|t| self.text(t)),
        }
    }

    fn cite(&mut self, id: &'a str) -> Cite {
        let Some(assertion) = self.registered.get(id).copied() else { return Cite::Unknown(self.text(id)) };
        if let Some(index) = self.assertions.get(id) {
            return Cite::Registered(*index);
        }
        let shown = Assertion {
            id: self.text(&assertion.id),
            text: self.block(&assertion.text),
            anchor: self.text(&assertion.anchor),
            strength: self.text(&assertion.strength),
        };
        self.data.assertions.push(shown);
        let index = self.data.assertions.len() - 1;
        self.assertions.insert(id, index);
        Cite::Registered(index)
    }

    fn chapter(&mut self, id: &'a str) -> usize {
        if let Some(index) = self.chapters.get(id) {
            return *index;
        }
        let title = chapter_title(self.results, id);
        let chapter = (self.text(id), self.text(title));
        self.data.chapters.push(chapter);
        self.chapters.insert(id, self.data.chapters.len() - 1);
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

    fn finish(self) -> Data {
        self.data
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn one_row_for_a_case_whichever_jvms_it_ran_on() {
        let data = Data::of(&sample::small());
        let rows: Vec<_> = data
            .cases
            .iter()
            .map(|c| (data.texts[c.id].as_str(), c.cells.iter().map(Option::is_some).collect::<Vec<_>>()))
            .collect();
        assert_eq!(rows.len(), 9);
        assert_eq!(rows[0], ("get-thread-state/new", vec![true, true]));
        assert_eq!(rows[2], ("IterateThroughHeap#null/callbacks", vec![true, false]));
    }

    #[test]
    fn each_cell_names_its_own_status() {
        let results = sample::small();
        let data = Data::of(&results);
        for (r, run) in results.runs.iter().enumerate() {
            for verdict in &run.verdicts {
                let row = data.cases.iter().find(|c| data.texts[c.id] == verdict.case).unwrap();
                let cell = row.cells[r].as_ref().unwrap();
                assert_eq!(data.statuses[cell.status].name, verdict.status.name());
            }
        }
    }

    #[test]
    fn a_case_twice_in_one_run_is_two_rows() {
        let mut results = sample::small();
        let again = results.runs[0].verdicts[0].clone();
        results.runs[0].verdicts.push(again);
        assert_eq!(Data::of(&results).cases.len(), 10);
    }
}
