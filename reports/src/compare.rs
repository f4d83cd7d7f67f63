//! What changed from one run to another: statement by statement, with the cases that show it and the JVMs that it
//! concerns.

mod html;
mod markdown;
mod pairs;
mod text;

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use crate::link::spec_url;
use crate::results::{AssertionInfo, JvmRun, Results, Status, Verdict};
use crate::summary::machines;

pub use html::html;
pub use markdown::markdown;
pub use text::text;

/// In which way something came out differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Unexpected now, and not before (or not there before).
    Broken,
    /// Failed before, be it as listed among the known deviations, and does not now.
    Mended,
    /// Another status, or other findings, yet neither of the above.
    Changed,
    /// There before, not now.
    Missing,
    /// Not there before, and nothing unexpected.
    Added,
}

impl Kind {
    /// All, in order of display.
    pub const ALL: [Kind; 5] = [Kind::Broken, Kind::Mended, Kind::Changed, Kind::Missing, Kind::Added];

    /// What a reader calls it.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Broken => "New failures",
            Kind::Mended => "Fixed",
            Kind::Changed => "Changed",
            Kind::Missing => "Missing",
            Kind::Added => "New",
        }
    }
}

/// Everything that differs between two results.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    /// What the first results are.
    pub before: Side,
    /// What the second are.
    pub after: Side,
    /// The JVMs of both, paired.
    pub runs: Vec<Pair>,
    /// Statements on which something differs, in order of kind, then as in the specification.
    pub statements: Vec<StatementChange>,
}

/// One of the two results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Side {
    /// Version of the suite, with its commit if known.
    pub suite: String,
    /// When it was begun, RFC 3339.
    pub started: String,
    /// The machines.
    pub machines: Vec<String>,
}

/// A JVM of the one and of the other results that are held against each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pair {
    /// Name in the first results, if it is there.
    pub before: Option<String>,
    /// Name in the second results, if it is there.
    pub after: Option<String>,
}

impl Pair {
    /// Name of the two: one if they have the same.
    pub fn label(&self) -> String {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) if before != after => format!("{before} → {after}"),
            (before, after) => after.clone().or(before.clone()).unwrap_or_default(),
        }
    }
}

/// A statement of the specification on which cases came out differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatementChange {
    /// In which way.
    pub kind: Kind,
    /// Id of the statement; empty where the cases cite none.
    pub assertion: String,
    /// What it says, in our words.
    pub text: String,
    /// Where it is published.
    pub link: String,
    /// The cases.
    pub cases: Vec<CaseChange>,
}

/// A case that came out differently, in the same way on one or more JVMs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CaseChange {
    /// Id of the case.
    pub case: String,
    /// What it checks.
    pub about: String,
    /// Names of the JVMs.
    pub runs: Vec<String>,
    /// Before, if it was there.
    pub before: Option<Status>,
    /// After, if it is there.
    pub after: Option<Status>,
    /// What came, or the reason.
    pub observed: String,
    /// The command that runs it again.
    pub reproduce: String,
}

impl Comparison {
    /// Compares. JVMs are paired by what they say they are; an update of a JVM with its predecessor.
    pub fn of(before: &Results, after: &Results) -> Comparison {
        let pairs = pairs::pairs(before, after);
        let mut changes = Changes::new(before, after);
        for (pair, label) in pairs.iter().zip(pairs.iter().map(|p| p.names(before, after).label())) {
            if let (Some(before), Some(after)) = (pair.before, pair.after) {
                changes.add(&before.1.verdicts, after.1, &label);
            }
        }
        let side = |results: &Results| Side {
            suite: match &results.suite.commit {
                Some(commit) => format!("{} ({commit})", results.suite.version),
                None => results.suite.version.clone(),
            },
            started: results.started.clone(),
            machines: machines(results).into_iter().map(str::to_owned).collect(),
        };
        Comparison {
            before: side(before),
            after: side(after),
            runs: pairs.iter().map(|pair| pair.names(before, after)).collect(),
            statements: changes.finish(),
        }
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
            && self.runs.iter().all(|pair| pair.before.is_some() && pair.after.is_some())
    }

    /// Whether something fails that did not before: what a gate looks at.
    pub fn has_new_failures(&self) -> bool {
        self.count(Kind::Broken) > 0
    }

    /// Verdicts that differ in that way.
    pub fn count(&self, kind: Kind) -> usize {
        self.of_kind(kind).flat_map(|s| &s.cases).map(|c| c.runs.len()).sum()
    }

    /// The JVMs of the first results that are not in the second.
    pub fn missing_runs(&self) -> impl Iterator<Item = &str> {
        self.runs.iter().filter(|p| p.after.is_none()).filter_map(|p| p.before.as_deref())
    }

    /// The JVMs of the second results that are not in the first.
    pub fn added_runs(&self) -> impl Iterator<Item = &str> {
        self.runs.iter().filter(|p| p.before.is_none()).filter_map(|p| p.after.as_deref())
    }

    fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &StatementChange> {
        self.statements.iter().filter(move |s| s.kind == kind)
    }

    /// As a JSON document.
    pub fn json(&self) -> String {
        // Infallible: no map with keys other than strings, no writer that fails.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Statements with their changes, as they are found.
struct Changes<'a> {
    assertions: HashMap<&'a str, (usize, &'a AssertionInfo)>,
    found: BTreeMap<(Kind, usize, String), StatementChange>,
}

impl<'a> Changes<'a> {
    fn new(before: &'a Results, after: &'a Results) -> Changes<'a> {
        let mut assertions = HashMap::new();
        for info in after.assertions.iter().chain(&before.assertions) {
            let place = assertions.len();
            assertions.entry(info.id.as_str()).or_insert((place, info));
        }
        Changes { assertions, found: BTreeMap::new() }
    }

    fn add(&mut self, before: &[Verdict], after: &JvmRun, label: &str) {
        let mut both: BTreeMap<&str, [Option<&Verdict>; 2]> = BTreeMap::new();
        for (side, verdicts) in [before, &after.verdicts].into_iter().enumerate() {
            for verdict in verdicts {
                both.entry(&verdict.case).or_default()[side] = Some(verdict);
            }
        }
        for [before, after_verdict] in both.into_values() {
            let Some(kind) = kind(before, after_verdict) else { continue };
            let Some(told) = after_verdict.or(before) else { continue };
            self.note(kind, before, after_verdict, (told, after, label));
        }
    }

    fn note(
        &mut self,
        kind: Kind,
        before: Option<&Verdict>,
        after: Option<&Verdict>,
        (told, run, label): (&Verdict, &JvmRun, &str),
    ) {
        let blamed =
            |v: Option<&Verdict>| v.and_then(|v| v.findings.iter().find_map(|f| f.cites.first()).cloned());
        let id = blamed(after).or(blamed(before)).or_else(|| told.cites.first().cloned()).unwrap_or_default();
        let known = self.assertions.get(id.as_str()).copied();
        let key = (kind, known.map_or(usize::MAX, |(place, _)| place), id.clone());
        let statement = self.found.entry(key).or_insert_with(|| StatementChange {
            kind,
            assertion: id,
            text: known.map(|(_, a)| a.text.clone()).unwrap_or_default(),
            link: known.map(|(_, a)| spec_url(&run.jvm, &a.anchor)).unwrap_or_default(),
            cases: Vec::new(),
        });
        let change = CaseChange {
            case: told.case.clone(),
            about: told.about.clone(),
            runs: Vec::new(),
            before: before.map(|v| v.status),
            after: after.map(|v| v.status),
            observed: told.findings.first().map(|f| f.observed.clone()).unwrap_or_default(),
            reproduce: told.reproduce.clone(),
        };
        let same = |c: &&mut CaseChange| {
            (&c.case, c.before, c.after, &c.observed)
                == (&change.case, change.before, change.after, &change.observed)
        };
        match statement.cases.iter_mut().find(same) {
            Some(known) => known.runs.push(label.to_owned()),
            None => statement.cases.push(CaseChange { runs: vec![label.to_owned()], ..change }),
        }
    }

    fn finish(self) -> Vec<StatementChange> {
        self.found.into_values().collect()
    }
}

fn was_amiss(status: Status) -> bool {
    status.is_unexpected() || status == Status::Known
}

fn is_well(status: Status) -> bool {
    matches!(status, Status::Pass | Status::Fixed | Status::Permitted)
}

fn kind(before: Option<&Verdict>, after: Option<&Verdict>) -> Option<Kind> {
    let unexpected = |v: Option<&Verdict>| v.is_some_and(|v| v.status.is_unexpected());
    match (before, after) {
        (_, None) => before.map(|_| Kind::Missing),
        _ if unexpected(after) && !unexpected(before) => Some(Kind::Broken),
        (None, Some(_)) => Some(Kind::Added),
        (Some(b), Some(a)) if was_amiss(b.status) && is_well(a.status) => Some(Kind::Mended),
        (Some(b), Some(a)) if b.status != a.status => Some(Kind::Changed),
        // What came names addresses, times and numbered objects; only what it is about makes it another finding.
        (Some(b), Some(a)) => {
            let gist = |v: &Verdict| -> Vec<(Vec<String>, String, String)> {
                v.findings.iter().map(|f| (f.cites.clone(), f.place.clone(), f.expected.clone())).collect()
            };
            (b.status.is_unexpected() && gist(b) != gist(a)).then_some(Kind::Changed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    pub(super) fn different() -> [Results; 2] {
        let before = sample::small();
        let mut after = before.clone();
        let verdicts = &mut after.runs[0].verdicts;
        verdicts[0].status = Status::Fail;
        verdicts[1].status = Status::Pass;
        verdicts[1].findings.clear();
        verdicts[2].findings[0].place = "IterateThroughHeap\u{1b}[2J".into();
        verdicts.pop();
        verdicts.push(Verdict { case: "new".into(), status: Status::Pass, ..Verdict::default() });
        after.runs[1].verdicts[0].status = Status::Fail;
        let mut another = after.runs[1].clone();
        (another.jvm.release, another.jvm.version) = (28, "28-ea".into());
        after.runs.push(another);
        after.suite.version = "0.2.0".into();
        [before, after]
    }

    pub(super) fn hostile() -> Comparison {
        let (mut before, after) = (sample::hostile(), sample::hostile());
        for verdict in before.runs.iter_mut().flat_map(|run| &mut run.verdicts) {
            verdict.status = if verdict.status == Status::Pass { Status::Crash } else { Status::Pass };
        }
        Comparison::of(&before, &after)
    }

    #[test]
    fn nothing_differs_from_itself() {
        let results = sample::large();
        let comparison = Comparison::of(&results, &results);
        assert!(comparison.is_empty() && !comparison.has_new_failures());
    }

    #[test]
    fn each_kind_of_difference() {
        let [before, after] = different();
        let comparison = Comparison::of(&before, &after);
        assert_eq!(Kind::ALL.map(|kind| comparison.count(kind)), [2, 1, 1, 1, 1]);
        assert_eq!(comparison.added_runs().collect::<Vec<_>>(), ["28-ea Debian"]);
        let same = &comparison.statements[0].cases[0];
        assert_eq!(same.runs.len(), 2, "one change on two JVMs is told once");
        insta::assert_snapshot!(comparison.json());
    }

    #[test]
    fn listing_a_failure_does_not_mend_it() {
        let kind = |before, after| {
            let verdict = |status| Verdict { status, ..Verdict::default() };
            super::kind(Some(&verdict(before)), Some(&verdict(after)))
        };
        assert_eq!(kind(Status::Fail, Status::Known), Some(Kind::Changed));
        assert_eq!(kind(Status::Known, Status::Pass), Some(Kind::Mended));
        assert_eq!(kind(Status::Known, Status::Fail), Some(Kind::Broken));
        assert_eq!(kind(Status::Known, Status::Known), None);
    }

    #[test]
    fn what_only_wanders_is_no_difference() {
        let before = sample::small();
        let mut after = before.clone();
        after.runs[0].verdicts[1].findings[0].observed = "0x7f0012345678".into();
        assert!(Comparison::of(&before, &after).is_empty());
    }
}
