//! What all renderings count: verdicts by status, statements asserted, and coverage of the specification by chapter.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::results::{AssertionInfo, Finding, JvmRun, Results, Status, Verdict};

/// Verdicts by status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([usize; Status::ALL.len()]);

impl Counts {
    /// Counts these verdicts.
    pub fn of<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Counts {
        verdicts.into_iter().fold(Counts::default(), |mut counts, verdict| {
            counts.0[verdict.status as usize] += 1;
            counts
        })
    }

    /// How many of that status.
    pub fn get(&self, status: Status) -> usize {
        self.0[status as usize]
    }

    /// Statuses that occur, in order of display.
    pub fn present(&self) -> impl Iterator<Item = (Status, usize)> + '_ {
        Status::ALL.into_iter().map(|s| (s, self.get(s))).filter(|(_, count)| *count > 0)
    }

    /// All.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// Those that nobody expected ([`Status::is_unexpected`]).
    pub fn unexpected(&self) -> usize {
        self.present().filter(|(s, _)| s.is_unexpected()).map(|(_, count)| count).sum()
    }
}

/// What became of one statement of the specification; of several verdicts on it the later in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Cannot be tested, for the reason registered.
    Untestable,
    /// No case that was run cites it, or its cases could not be carried out.
    Untested,
    /// Does not apply to this JVM.
    Inapplicable,
    /// Held in every case.
    Held,
    /// Not followed where the text only recommends.
    Permitted,
    /// Broken as listed among the known deviations.
    Known,
    /// Broken.
    Broken,
}

impl Outcome {
    /// All, in order of display.
    pub const ALL: [Outcome; 7] = [
        Outcome::Held,
        Outcome::Permitted,
        Outcome::Known,
        Outcome::Broken,
        Outcome::Inapplicable,
        Outcome::Untested,
        Outcome::Untestable,
    ];

    /// Lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Untestable => "untestable",
            Outcome::Untested => "untested",
            Outcome::Inapplicable => "inapplicable",
            Outcome::Held => "held",
            Outcome::Permitted => "permitted",
            Outcome::Known => "known",
            Outcome::Broken => "broken",
        }
    }

    fn of(verdict: &Verdict, assertion: &str) -> Outcome {
        match verdict.status {
            Status::Pass | Status::Fixed => Outcome::Held,
            Status::Inapplicable => Outcome::Inapplicable,
            Status::Error => Outcome::Untested,
            // After a crash or hang nothing is known about what came later in the case.
            Status::Crash | Status::Timeout if !blamed(verdict, assertion) => Outcome::Untested,
            _ if !blamed(verdict, assertion) => Outcome::Held,
            Status::Permitted => Outcome::Permitted,
            Status::Known => Outcome::Known,
            Status::Fail | Status::Crash | Status::Timeout => Outcome::Broken,
        }
    }
}

/// Whether the verdict is about that statement: a finding cites it, or one that cites none, which stands for all that
/// the case cites, as does a verdict without findings.
pub(crate) fn blamed(verdict: &Verdict, assertion: &str) -> bool {
    let blames = |f: &&Finding| f.cites.is_empty() || f.cites.iter().any(|c| c == assertion);
    // That it is listed says why, not what.
    let mut found = verdict.findings.iter().filter(|f| !f.tells_of_list()).peekable();
    found.peek().is_none() || found.any(|f| blames(&f))
}

/// Statements by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage([usize; Outcome::ALL.len()]);

impl Coverage {
    /// How many came out so.
    pub fn get(&self, outcome: Outcome) -> usize {
        self.0[outcome as usize]
    }

    /// Statements registered.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// Statements that a judged case cites.
    pub fn tested(&self) -> usize {
        [Outcome::Held, Outcome::Permitted, Outcome::Known, Outcome::Broken].map(|o| self.get(o)).iter().sum()
    }

    /// Statements that can be tested.
    pub fn testable(&self) -> usize {
        self.total() - self.get(Outcome::Untestable)
    }

    /// Tested statements in percent of those that can be tested, rounded down so that only all are 100.
    pub fn percent(&self) -> usize {
        (self.tested() * 100).checked_div(self.testable()).unwrap_or(0)
    }

    /// Whether so much was tested that the run was of all cases: a run of some is not told chapter by chapter.
    pub fn is_whole(&self) -> bool {
        self.tested() * 2 > self.testable()
    }

    fn add(&mut self, outcome: Outcome) {
        self.0[outcome as usize] += 1;
    }
}

/// Coverage of one chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChapterCoverage {
    /// Id of the chapter.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What became of its statements.
    pub coverage: Coverage,
}

/// What one run comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    /// Name of the run, short and unlike that of each other run ([`labels`]).
    pub label: String,
    /// Verdicts by status.
    pub counts: Counts,
    /// Asserted statements in judged cases.
    pub statements: u64,
    /// Wall time in milliseconds.
    pub wall_ms: u64,
    /// Coverage of the statements that hold in the JVM's release, over all chapters.
    pub coverage: Coverage,
    /// The same by chapter.
    pub chapters: Vec<ChapterCoverage>,
}

impl RunSummary {
    /// Asserted statements per second of wall time, if any time was measured.
    pub fn statements_per_second(&self) -> Option<u64> {
        (self.statements * 1000).checked_div(self.wall_ms)
    }
}

/// What all runs come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Verdicts of all runs.
    pub counts: Counts,
    /// One for each run.
    pub runs: Vec<RunSummary>,
    /// Coverage by chapter over all runs: the gravest outcome of each statement.
    pub chapters: Vec<ChapterCoverage>,
    /// The same over all chapters.
    pub coverage: Coverage,
}

impl Summary {
    /// Counts it all.
    pub fn of(results: &Results) -> Summary {
        let outcomes: Vec<_> = results.runs.iter().map(|run| outcomes(run, &results.assertions)).collect();
        let mut gravest: BTreeMap<usize, Outcome> = BTreeMap::new();
        for (index, outcome) in outcomes.iter().flatten() {
            gravest.entry(*index).and_modify(|known| *known = (*known).max(*outcome)).or_insert(*outcome);
        }
        let runs = results.runs.iter().zip(labels(results)).zip(&outcomes).map(|((run, label), outcomes)| {
            let (chapters, coverage) = coverage(results, outcomes);
            RunSummary {
                label,
                counts: Counts::of(&run.verdicts),
                statements: run
                    .verdicts
                    .iter()
                    .filter(|v| v.status.is_judged())
                    .map(|v| u64::from(v.asserted))
                    .sum(),
                wall_ms: run.wall_ms,
                coverage,
                chapters,
            }
        });
        let (chapters, all) = coverage(results, &gravest);
        Summary {
            counts: Counts::of(results.runs.iter().flat_map(|r| &r.verdicts)),
            runs: runs.collect(),
            chapters,
            coverage: all,
        }
    }
}

/// Outcome of each statement (by its index) that holds in the run's release.
pub(crate) fn outcomes(run: &JvmRun, assertions: &[AssertionInfo]) -> BTreeMap<usize, Outcome> {
    let mut cited: HashMap<&str, Outcome> = HashMap::new();
    for verdict in &run.verdicts {
        for assertion in verdict.cited() {
            let outcome = Outcome::of(verdict, assertion);
            cited.entry(assertion).and_modify(|known| *known = (*known).max(outcome)).or_insert(outcome);
        }
    }
    let here = assertions.iter().enumerate().filter(|(_, a)| a.holds_in(run.jvm.release));
    here.map(|(index, a)| {
        let uncited = if a.untestable.is_some() { Outcome::Untestable } else { Outcome::Untested };
        (index, cited.get(a.id.as_str()).copied().unwrap_or(uncited))
    })
    .collect()
}

fn coverage(results: &Results, outcomes: &BTreeMap<usize, Outcome>) -> (Vec<ChapterCoverage>, Coverage) {
    let mut chapters: Vec<ChapterCoverage> = Vec::new();
    let mut all = Coverage::default();
    for (index, outcome) in outcomes {
        let id = &results.assertions[*index].chapter;
        let position = chapters.iter().position(|c| c.id == *id).unwrap_or_else(|| {
            let title = chapter_title(results, id);
            chapters.push(ChapterCoverage { id: id.clone(), title, coverage: Coverage::default() });
            chapters.len() - 1
        });
        chapters[position].coverage.add(*outcome);
        all.add(*outcome);
    }
    let order = |id: &str| results.chapters.iter().position(|c| c.id == id).unwrap_or(usize::MAX);
    chapters.sort_by_key(|c| order(&c.id));
    (chapters, all)
}

/// Title of that chapter, or what its id says.
pub fn chapter_title(results: &Results, id: &str) -> String {
    let known = results.chapters.iter().find(|c| c.id == id);
    known.map_or_else(|| capitalised(&id.replace('-', " ")), |c| c.title.clone())
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The machines that the JVMs ran on, each once.
pub fn machines(results: &Results) -> Vec<&str> {
    let mut machines: Vec<&str> = Vec::new();
    for run in &results.runs {
        if !run.machine.is_empty() && !machines.contains(&run.machine.as_str()) {
            machines.push(&run.machine);
        }
    }
    machines
}

/// A short name for each run, each unlike the others: version, vendor and configuration, where that isn't enough the
/// processor, where that isn't the options, where these aren't either the Java home.
pub fn labels(results: &Results) -> Vec<String> {
    let short: Vec<String> = results.runs.iter().map(JvmRun::short).collect();
    let arch = |i: usize| &results.runs[i].jvm.arch;
    let on_several =
        |i: usize| (0..short.len()).any(|other| short[other] == short[i] && arch(other) != arch(i));
    let with_arch = refined(&short, |i| if on_several(i) { arch(i).clone() } else { String::new() });
    let with_options = refined(&with_arch, |i| results.runs[i].vm_options.join(" "));
    refined(&with_options, |i| results.runs[i].jvm.home.clone())
}

/// Labels with more appended to those that occur more than once.
fn refined(labels: &[String], more: impl Fn(usize) -> String) -> Vec<String> {
    let twice = |label: &String| labels.iter().filter(|l| *l == label).count() > 1;
    let append = |(i, label): (usize, &String)| match more(i) {
        more if twice(label) && !more.is_empty() => format!("{label} {more}"),
        _ => label.clone(),
    };
    labels.iter().enumerate().map(append).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Jvm;

    fn verdict(status: Status, cites: &[&str], blamed: &[&str]) -> Verdict {
        let owned = |ids: &[&str]| ids.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>();
        let findings = vec![Finding { cites: owned(blamed), ..Finding::default() }];
        Verdict { status, cites: owned(cites), findings, asserted: 2, ..Verdict::default() }
    }

    fn assertion(id: &str, chapter: &str) -> AssertionInfo {
        AssertionInfo { id: id.into(), chapter: chapter.into(), ..AssertionInfo::default() }
    }

    #[test]
    fn one_build_for_two_processors_has_two_labels() {
        let on = |arch: &str, options: &[&str]| JvmRun {
            jvm: Jvm { version: "25.0.2".into(), arch: arch.into(), ..Jvm::default() },
            vm_options: options.iter().map(|option| (*option).to_owned()).collect(),
            ..JvmRun::default()
        };
        let labelled = |runs: Vec<JvmRun>| labels(&Results { runs, ..Results::default() });
        let both = labelled(vec![on("amd64", &[]), on("aarch64", &[])]);
        assert!(both[0].ends_with(" amd64") && both[1].ends_with(" aarch64"), "{both:?}");
        let one = labelled(vec![on("amd64", &[]), on("amd64", &["-Xint"])]);
        assert!(!one[0].contains("amd64") && one[1].ends_with(" -Xint"), "{one:?}");
    }

    #[test]
    fn a_failure_counts_against_the_statement_that_it_blames() {
        let one = |status, blamed: &[&str], ask| Outcome::of(&verdict(status, &["a", "b"], blamed), ask);
        assert_eq!(one(Status::Fail, &["a"], "a"), Outcome::Broken);
        assert_eq!(one(Status::Fail, &["a"], "b"), Outcome::Held);
        assert_eq!(one(Status::Fail, &[], "b"), Outcome::Broken);
        assert_eq!(one(Status::Crash, &["a"], "b"), Outcome::Untested);
        assert_eq!(one(Status::Permitted, &["b"], "b"), Outcome::Permitted);
        assert_eq!(one(Status::Error, &[], "b"), Outcome::Untested);
    }

    #[test]
    fn a_finding_counts_against_what_it_cites_beyond_the_case() {
        let run =
            JvmRun { verdicts: vec![verdict(Status::Fail, &["a"], &["universal"])], ..JvmRun::default() };
        let assertions = vec![assertion("a", "thread"), assertion("universal", "errors")];
        let summary = Summary::of(&Results { runs: vec![run], assertions, ..Results::default() });
        assert_eq!(summary.coverage.get(Outcome::Held), 1);
        assert_eq!(summary.coverage.get(Outcome::Broken), 1);
    }

    #[test]
    fn coverage_counts_each_statement_once_in_its_release() {
        let mut later = assertion("later", "thread");
        later.since = Some(21);
        let mut untestable = assertion("untestable", "heap");
        untestable.untestable = Some("no way to observe it".into());
        let run = JvmRun {
            jvm: Jvm { release: 17, ..Jvm::default() },
            wall_ms: 500,
            verdicts: vec![
                verdict(Status::Pass, &["a"], &[]),
                verdict(Status::Fail, &["a"], &[]),
                verdict(Status::Pass, &["a", "b"], &[]),
                verdict(Status::Inapplicable, &["c"], &[]),
            ],
            ..JvmRun::default()
        };
        let assertions = ["a", "b", "c", "d"].map(|id| assertion(id, "thread"));
        let assertions = assertions.into_iter().chain([later, untestable]).collect();
        let summary = Summary::of(&Results { runs: vec![run], assertions, ..Results::default() });
        let run = &summary.runs[0];
        let got = Outcome::ALL.map(|o| run.coverage.get(o));
        assert_eq!(
            got,
            [1, 0, 0, 1, 1, 1, 1],
            "held, permitted, known, broken, inapplicable, untested, untestable"
        );
        assert_eq!(
            (run.coverage.total(), run.coverage.tested(), run.coverage.percent()),
            (5, 2, 50),
            "of the testable"
        );
        assert_eq!(run.chapters.len(), 2);
        assert_eq!((run.statements, run.statements_per_second()), (6, Some(12)));
        assert_eq!(summary.coverage, run.coverage);
    }

    #[test]
    fn runs_are_told_apart() {
        let run = |version: &str, option: &str| JvmRun {
            jvm: Jvm {
                version: version.into(),
                vendor: "Debian".into(),
                vm_name: "Server VM".into(),
                ..Jvm::default()
            },
            vm_options: vec![option.into()],
            ..JvmRun::default()
        };
        let runs = vec![run("17", "-Xint"), run("25", "-Xint"), run("25", "-Xcomp")];
        assert_eq!(
            labels(&Results { runs, ..Results::default() }),
            ["17 Debian", "25 Debian -Xint", "25 Debian -Xcomp"]
        );
    }
}
