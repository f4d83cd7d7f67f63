//! Running cases on mutants, and telling which of them noticed.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use jvmti_cases::model::{Case, Sharing};
use jvmti_cases::select::UNIVERSAL;
use jvmti_results::{Status, Verdict};
use jvmti_runner::launch::Timeouts;
use serde::{Deserialize, Serialize};

use crate::bench::{Bench, Change, ScoreError};
use crate::{Excused, Mutant};

/// A mutant that hangs is given up after so long.
const TIMEOUTS: Timeouts = Timeouts { idle: Duration::from_secs(6), total: Duration::from_secs(40) };
/// Cases that one mutant is tried with at the most, those about its subject first, and how many of them it is tried with first,
/// those that share a JVM: few are enough for a mutant that breaks its rule always.
const CASES: [usize; 2] = [120, 16];
/// The same for one that breaks it only in some state.
const NARROW_CASES: [usize; 2] = [3000, 300];

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Detection {
    /// A case that cites a rule that it breaks tells.
    Detected,
    /// Only others tell.
    Otherwise,
    /// Nobody tells, though cases cite the rules that it breaks.
    Survived,
    /// It did nothing else than the real JVM: what it would have broken never came about in those cases.
    Idle,
    /// No case cites the rules that it breaks, applies to this JVM, and does not fail on the unbroken one anyway.
    Untested,
    /// Nobody tells, or nobody is to tell, and the text permits it: the reason stands among the excuses.
    Excused,
}

/// One mutant's score.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Score {
    /// The mutant's id.
    pub mutant: String,
    /// What it does.
    pub does: String,
    /// What became of it.
    pub outcome: Detection,
    /// Of the statements that it breaks those that tell, or, of a survivor, all that are cited.
    pub rules: Vec<String>,
    /// The cases that tell, as many as are needed to look into it: those that cite a broken rule first.
    pub told_by: Vec<String>,
    /// Why it is excused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Milliseconds.
    pub millis: u64,
}

/// The mutants of a JVM, and the cases that they need.
#[derive(Debug)]
pub struct Scoring {
    bench: Bench,
    mutants: Vec<Mutant>,
    excused: Excused,
}

/// Told cases are listed up to here.
const LISTED: usize = 5;

impl Scoring {
    /// Scores these mutants on that bench. The cases that they need are run once, with nothing broken.
    pub fn new(mut bench: Bench, mutants: Vec<Mutant>) -> Result<Scoring, ScoreError> {
        let rules: BTreeSet<String> = mutants
            .iter()
            .flat_map(|mutant| mutant.breaks.among(&bench.assertions))
            .map(str::to_owned)
            .collect();
        let subjects: BTreeSet<&str> = mutants.iter().map(|m| m.subject.as_str()).collect();
        bench.begin(|case| {
            case.subject.as_deref().is_some_and(|subject| subjects.contains(subject))
                || case.citations().any(|id| rules.contains(id))
        })?;
        Ok(Scoring { bench, mutants, excused: Excused::embedded()? })
    }

    /// The mutants that it is for.
    pub fn mutants(&self) -> &[Mutant] {
        &self.mutants
    }

    /// The JVM's name.
    pub fn jvm(&self) -> String {
        self.bench.jvm()
    }

    /// Tries one mutant.
    pub fn score(&self, mutant: &Mutant) -> Result<Score, ScoreError> {
        let begun = Instant::now();
        let rules: BTreeSet<&str> = mutant.breaks.among(&self.bench.assertions).into_iter().collect();
        let cases = self.cases(mutant, &rules);
        let cited = cases.iter().flat_map(|case| case.citations()).filter(|id| rules.contains(id));
        let cited: BTreeSet<String> = cited.map(str::to_owned).collect();
        let (mut telling, mut acted) = (BTreeSet::new(), false);
        let (mut right, mut wrong) = (Vec::new(), Vec::new());
        // A few are enough for most mutants.
        let (few, rest) = cases.split_at(cases.len().min(reach(mutant)[1]));
        for cases in [few, rest].into_iter().filter(|cases| !cases.is_empty()) {
            let change = Change::of(std::slice::from_ref(&mutant.mutation));
            let (verdicts, did) = self.bench.run(change, cases, TIMEOUTS)?;
            acted |= did.contains(&true);
            for verdict in verdicts.iter().filter(|verdict| self.is_told(verdict)) {
                let cited: Vec<&str> = verdict.cited().into_iter().filter(|id| rules.contains(id)).collect();
                telling.extend(cited.iter().map(|id| (*id).to_owned()));
                if cited.is_empty() { &mut wrong } else { &mut right }.push(verdict.case.clone());
            }
            if !right.is_empty() {
                break;
            }
        }
        let reason = self.excused.reason(&mutant.id).map(str::to_owned);
        let outcome = match (&reason, right.is_empty(), wrong.is_empty()) {
            (_, false, _) => Detection::Detected,
            (Some(_), ..) => Detection::Excused,
            (_, _, false) => Detection::Otherwise,
            _ if cited.is_empty() => Detection::Untested,
            _ if !acted => Detection::Idle,
            _ => Detection::Survived,
        };
        right.extend(wrong);
        right.truncate(LISTED);
        let rules = if telling.is_empty() { cited } else { telling };
        Ok(Score {
            mutant: mutant.id.clone(),
            does: mutant.does.clone(),
            outcome,
            rules: rules.into_iter().collect(),
            told_by: right,
            reason: reason.filter(|_| outcome == Detection::Excused),
            millis: begun.elapsed().as_millis() as u64,
        })
    }

    /// The cases that ought to tell: those that cite a broken rule and do not fail on the unbroken JVM. If there are none, or
    /// if the rule is one that every call and event is held against, those about the mutant's subject, too.
    fn cases(&self, mutant: &Mutant, rules: &BTreeSet<&str>) -> Vec<&Case> {
        // What does not apply to the unbroken JVM may apply to the mutant: nothing is unavailable on the one, say.
        let can_tell = |status| matches!(status, Status::Pass | Status::Permitted | Status::Inapplicable);
        let sound = |case: &&Case| self.bench.verdicts.get(&case.id).is_some_and(|v| can_tell(v.status));
        let all: Vec<&Case> = self.bench.sound.tests.cases.iter().filter(sound).collect();
        let cites = |case: &&&Case| case.citations().any(|id| rules.contains(id));
        let about = |case: &&&Case| case.subject.as_ref() == Some(&mutant.subject);
        let universal = rules.iter().any(|rule| rule.starts_with(UNIVERSAL));
        let mut cases: Vec<&Case> =
            all.iter().filter(|case| cites(case) || (universal && about(case))).copied().collect();
        if cases.is_empty() {
            cases = all.iter().filter(about).copied().collect();
        }
        let alone = |case: &Case| {
            let shared = case.sharing != Sharing::Nothing && case.vm_options.is_empty();
            !shared || case.undefined || case.life.is_some()
        };
        cases.sort_by_key(|case| (case.subject.as_ref() != Some(&mutant.subject), alone(case)));
        cases.truncate(reach(mutant)[0]);
        cases
    }

    /// Whether a verdict differs from that on the unbroken JVM, for the worse.
    fn is_told(&self, verdict: &Verdict) -> bool {
        is_told(self.bench.verdicts.get(&verdict.case).map(|before| before.status), verdict.status)
    }
}

/// How many cases a mutant is tried with, and how many of them first.
fn reach(mutant: &Mutant) -> [usize; 2] {
    if mutant.id.contains('@') { NARROW_CASES } else { CASES }
}

/// Whether a status tells of something that the one on the unbroken JVM did not. That the harness could not judge is no
/// word about the JVM.
fn is_told(before: Option<Status>, now: Status) -> bool {
    match now {
        Status::Fail | Status::Crash | Status::Timeout | Status::Permitted | Status::Known => {
            before != Some(now)
        }
        Status::Pass | Status::Inapplicable | Status::Fixed | Status::Error => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_verdicts_on_the_jvm_detect_a_mutant() {
        for now in [Status::Fail, Status::Crash, Status::Timeout, Status::Permitted, Status::Known] {
            assert!(is_told(Some(Status::Pass), now) && is_told(None, now) && !is_told(Some(now), now));
        }
        for now in [Status::Pass, Status::Inapplicable, Status::Fixed, Status::Error] {
            assert!(!is_told(Some(Status::Pass), now) && !is_told(None, now), "{now:?}");
        }
    }
}
