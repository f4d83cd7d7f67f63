//! From findings to causes: deviations of JVMs, each with all the verdicts that it explains.
//!
//! Known deviations are grouped by the reason that the lists give. What is new is grouped by what was observed: verdicts
//! that failed alike probably have one cause, and one look at the first of them may explain all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use crate::gist::gist;
use crate::results::{Finding, Jvm, JvmRun, KnownDeviation, Results, Status, Verdict};
use crate::summary::{blamed, labels};

/// Whether a cause was known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// No list has it.
    New,
    /// The harness's own trouble, which says nothing about a JVM.
    Own,
    /// A list of known deviations has it.
    Known,
}

/// One cause, and what it explains.
#[derive(Clone, Debug)]
pub struct Cause<'a> {
    /// Its id, for links.
    pub id: String,
    /// Whether it was known before.
    pub kind: Kind,
    /// What the JVM does against which statement; of a new one what was observed.
    pub reason: String,
    /// What the lists say of it.
    pub known: Option<&'a KnownDeviation>,
    /// The verdicts, by the number of the run.
    pub runs: BTreeMap<usize, Vec<&'a Verdict>>,
}

impl<'a> Cause<'a> {
    /// All verdicts, those of the first JVM first.
    pub fn verdicts(&self) -> impl Iterator<Item = &'a Verdict> + '_ {
        self.runs.values().flatten().copied()
    }

    /// The first verdict, and the number of its run.
    pub fn first(&self) -> Option<(usize, &'a Verdict)> {
        self.runs.iter().find_map(|(run, verdicts)| Some((*run, *verdicts.first()?)))
    }

    /// The status of its verdicts, the gravest if they differ.
    pub fn status(&self) -> Status {
        let gravity = [Status::Crash, Status::Timeout, Status::Fail, Status::Error, Status::Known];
        gravity.into_iter().find(|status| self.verdicts().any(|v| v.status == *status)).unwrap_or_default()
    }

    /// The cases that show it, each once.
    pub fn cases(&self) -> Vec<&'a str> {
        unique(self.verdicts().map(|verdict| verdict.case.as_str()))
    }

    /// The statements that it breaks, each once.
    pub fn statements(&self) -> Vec<&'a str> {
        unique(self.verdicts().flat_map(|v| v.cited().into_iter().filter(|id| blamed(v, id))))
    }

    /// The statements that it breaks in the run with this number.
    pub fn statements_on(&self, run: usize) -> BTreeSet<&'a str> {
        let verdicts = self.runs.get(&run).into_iter().flatten();
        verdicts.flat_map(|v| v.cited().into_iter().filter(|id| blamed(v, id))).collect()
    }
}

fn unique<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = std::collections::HashSet::new();
    all.filter(|one| seen.insert(*one)).collect()
}

/// All causes: the new ones first, then the harness's own, then the known ones; of each kind those first that explain most.
pub fn causes(results: &Results) -> Vec<Cause<'_>> {
    let listed: HashMap<&str, &KnownDeviation> =
        results.deviations.iter().map(|known| (known.id.as_str(), known)).collect();
    let mut places: HashMap<(Kind, String), usize> = HashMap::new();
    let mut causes: Vec<Cause<'_>> = Vec::new();
    for (number, run) in results.runs.iter().enumerate() {
        for verdict in &run.verdicts {
            let Some((kind, key)) = key(verdict) else { continue };
            let place = *places.entry((kind, key.clone())).or_insert_with(|| {
                causes.push(begun(kind, key, verdict, &listed));
                causes.len() - 1
            });
            causes[place].runs.entry(number).or_default().push(verdict);
        }
    }
    // Stable: causes that explain as much stay in the order of their cases.
    causes.sort_by_key(|cause| (cause.kind, std::cmp::Reverse(cause.verdicts().count())));
    causes
}

/// What the verdict shares with all others of one cause.
fn key(verdict: &Verdict) -> Option<(Kind, String)> {
    match verdict.status {
        Status::Known => {
            // Results of former versions only have the words.
            let listed = verdict.findings.iter().find(|f| f.tells_of_list());
            let words = listed.map(|f| KnownDeviation::id_of(&f.observed));
            let id = verdict.deviation.clone().or(words);
            Some((Kind::Known, id.unwrap_or_else(|| verdict.case.clone())))
        }
        Status::Error => Some((Kind::Own, alike(verdict))),
        status if status.is_unexpected() => Some((Kind::New, alike(verdict))),
        _ => None,
    }
}

/// What a verdict that nobody expected has in common with those that failed alike.
fn alike(verdict: &Verdict) -> String {
    let mut parts = vec![verdict.status.name().to_owned()];
    if let Some(crash) = &verdict.crash {
        // The place in the JVM tells more than the call that led there.
        parts.extend(crash.said.iter().map(|line| gist(line)));
        return parts.join("\n");
    }
    parts.push(verdict.subject.clone().unwrap_or_else(|| verdict.case.clone()));
    let first = verdict.findings.iter().find(|f| !f.tells_of_list());
    let first_line = |text: &str| gist(text.lines().next().unwrap_or_default());
    parts.extend(first.map(|f| format!("{}\n{}", gist(&f.expected), first_line(&f.observed))));
    parts.join("\n")
}

fn begun<'a>(
    kind: Kind,
    key: String,
    verdict: &'a Verdict,
    listed: &HashMap<&str, &'a KnownDeviation>,
) -> Cause<'a> {
    let known = listed.get(key.as_str()).copied().filter(|_| kind == Kind::Known);
    let said = |finding: Option<&Finding>| finding.map(|f| f.observed.clone()).unwrap_or_default();
    let reason = match (kind, known) {
        (_, Some(known)) => known.reason.clone(),
        (Kind::Known, None) => said(verdict.findings.iter().find(|f| f.tells_of_list())),
        _ => seen(verdict),
    };
    let id = if kind == Kind::Known { key } else { KnownDeviation::id_of(&key) };
    Cause { id, kind, reason, known, runs: BTreeMap::new() }
}

/// In one line, what was observed.
fn seen(verdict: &Verdict) -> String {
    let crash = verdict.crash.as_ref().map(|crash| crash.said.join("; "));
    let first = || verdict.findings.first();
    let told = crash.filter(|said| !said.is_empty()).unwrap_or_else(|| {
        let observed = first().map(|f| f.observed.as_str()).unwrap_or_default();
        let observed = observed.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        match first().map(|f| f.expected.as_str()).unwrap_or_default() {
            "" => observed.to_owned(),
            expected => format!("{observed}, where {expected} is expected"),
        }
    });
    match verdict.subject.as_deref() {
        Some(subject) => format!("{subject}: {told}"),
        None => told,
    }
}

/// What builds are ordered by: feature release, the numbers of the version, and that early-access builds come before the
/// released one.
pub(crate) fn age(jvm: &Jvm) -> (u16, Vec<u64>, bool) {
    let numbers = jvm.version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
    (jvm.release, numbers.collect(), !jvm.version.contains("-ea"))
}

/// The runs from the oldest build to the newest.
pub fn by_age(runs: &[JvmRun]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by_key(|index| (age(&runs[*index].jvm), runs[*index].jvm.vendor.clone()));
    order
}

/// The oldest and the newest of the tested builds that have the cause.
pub fn first_and_last(cause: &Cause<'_>, results: &Results) -> Option<(String, String)> {
    let labels = labels(results);
    let has = |index: &usize| cause.runs.contains_key(index);
    let order: Vec<usize> = by_age(&results.runs).into_iter().filter(has).collect();
    Some((labels[*order.first()?].clone(), labels[*order.last()?].clone()))
}

/// A cause as `results.json` tells it. Readers compute it anew.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct CauseRecord {
    /// Its id; of a known deviation that of `deviations`.
    id: String,
    /// `new`, `own` (the harness's trouble) or `known`.
    kind: &'static str,
    /// What the JVM does against which statement; of a new one what was observed.
    reason: String,
    /// The statements that it breaks.
    statements: Vec<String>,
    /// The cases that show it.
    cases: Vec<String>,
    /// The JVMs that have it, by the number of their run.
    runs: Vec<usize>,
}

/// All causes, as `results.json` tells them.
pub(crate) fn told(results: &Results) -> Vec<CauseRecord> {
    let owned = |all: Vec<&str>| all.into_iter().map(str::to_owned).collect();
    let one = |cause: Cause<'_>| CauseRecord {
        kind: match cause.kind {
            Kind::New => "new",
            Kind::Own => "own",
            Kind::Known => "known",
        },
        statements: owned(cause.statements()),
        cases: owned(cause.cases()),
        runs: cause.runs.keys().copied().collect(),
        id: cause.id,
        reason: cause.reason,
    };
    causes(results).into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn one_cause_explains_many_verdicts() {
        let results = sample::known();
        let all = causes(&results);
        let cause =
            all.iter().find(|c| c.reason == "IterateThroughHeap counts one object too many.").unwrap();
        assert_eq!((cause.kind, cause.cases()), (Kind::Known, vec!["heap/one", "heap/two"]));
        assert_eq!(cause.runs.keys().copied().collect::<Vec<_>>(), [0, 1]);
        assert_eq!(cause.statements(), ["IterateThroughHeap#description"], "the list says why, not what");
        assert_eq!(all.iter().map(|c| c.kind).collect::<Vec<_>>().first(), Some(&Kind::New));
    }

    #[test]
    fn what_failed_alike_is_one_cause() {
        let mut results = sample::small();
        let mut again = results.runs[0].verdicts[1].clone();
        again.case = "get-thread-state/sleeping-too".into();
        results.runs[0].verdicts.push(again);
        let all = causes(&results);
        let two = all.iter().find(|c| c.cases().contains(&"get-thread-state/sleeping-too")).unwrap();
        assert_eq!(two.cases(), ["get-thread-state/sleeping", "get-thread-state/sleeping-too"]);
        assert_eq!(two.kind, Kind::New);
    }

    #[test]
    fn results_of_former_versions_are_grouped_by_the_words() {
        let mut results = sample::known();
        results.deviations.clear();
        results.runs.iter_mut().flat_map(|run| &mut run.verdicts).for_each(|v| v.deviation = None);
        let all = causes(&results);
        let cause = all.iter().find(|c| c.reason.ends_with("(JDK-1234567)")).unwrap();
        assert_eq!(cause.verdicts().count(), 3);
    }

    #[test]
    fn builds_are_ordered_by_age() {
        let run = |release, version: &str| {
            let jvm = crate::results::Jvm { release, version: version.into(), ..Default::default() };
            JvmRun { jvm, ..JvmRun::default() }
        };
        let runs =
            [run(21, "21.0.13"), run(8, "1.8.0_504"), run(21, "21.0.2"), run(28, "28-ea"), run(28, "28")];
        assert_eq!(by_age(&runs), [1, 2, 0, 3, 4]);
    }
}
