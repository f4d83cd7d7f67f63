//! The verdicts on universal rules: a JVM keeps a rule if it does so in each launch.
//!
//! A JVM that ends while no case is at work may still end through a case that it had left: one of those that run again
//! afterwards. Only if none of them ends a JVM is the end a verdict of its own.

use std::collections::{BTreeMap, BTreeSet};

use jvmti_cases::Judged;
use jvmti_cases::brief::JVM_GOES_ON;
use jvmti_results::{Status, Verdict};

/// What the launches of one JVM have shown, in any order.
#[derive(Debug, Default)]
pub struct Universal {
    /// By rule.
    verdicts: BTreeMap<String, Verdict>,
    /// Ends while no case was at work, each with the cases that were left.
    ends: Vec<(Vec<String>, Verdict)>,
    /// Cases that have ended a JVM.
    culprits: BTreeSet<String>,
}

impl Universal {
    /// Takes what a launch has shown, whose cases have these ids.
    pub fn take(&mut self, judged: &mut Judged, ids: &[&str]) {
        let id = |index: usize| ids.get(index).map(|id| (*id).to_owned());
        self.culprits.extend(judged.culprit.as_ref().and_then(|culprit| id(culprit.case?)));
        let left: Vec<String> = judged.unfinished.iter().filter_map(|index| id(*index)).collect();
        for verdict in judged.universal.drain(..) {
            match verdict.case == JVM_GOES_ON && verdict.status != Status::Pass {
                true => self.ends.push((left.clone(), verdict)),
                false => unite(&mut self.verdicts, verdict),
            }
        }
    }

    /// Notes that a case has ended a JVM.
    pub fn blame(&mut self, case: &str) {
        self.culprits.insert(case.to_owned());
    }

    /// The verdicts, by rule. Ends are told if no case answers for them.
    pub fn finish(self) -> impl Iterator<Item = Verdict> {
        let Universal { mut verdicts, ends, culprits } = self;
        let explained = |left: &[String]| left.iter().any(|case| culprits.contains(case));
        let unexplained = ends.into_iter().filter(|(left, _)| !explained(left));
        unexplained.for_each(|(_, verdict)| unite(&mut verdicts, verdict));
        verdicts.into_values()
    }
}

fn unite(verdicts: &mut BTreeMap<String, Verdict>, verdict: Verdict) {
    match verdicts.get_mut(&verdict.case) {
        Some(so_far) => so_far.unite(&verdict),
        None => drop(verdicts.insert(verdict.case.clone(), verdict)),
    }
}

#[cfg(test)]
mod tests {
    use jvmti_cases::Culprit;

    use super::*;

    const CASES: &[&str] = &["a", "b"];

    fn ended() -> Judged {
        let rule = |status| Verdict { case: JVM_GOES_ON.to_owned(), status, ..Verdict::default() };
        let universal = vec![rule(Status::Pass), rule(Status::Crash)];
        Judged { unfinished: vec![1], universal, ..Judged::default() }
    }

    fn told(universal: Universal) -> Vec<Status> {
        universal.finish().map(|verdict| verdict.status).collect()
    }

    #[test]
    fn an_end_is_told_unless_a_case_that_was_left_ends_a_jvm_as_well() {
        let mut universal = Universal::default();
        universal.take(&mut ended(), CASES);
        assert_eq!(told(universal), [Status::Crash]);

        let mut universal = Universal::default();
        let culprit = Some(Culprit { case: Some(1), call: None, what: String::new(), thread: 0 });
        universal.take(&mut Judged { culprit, ..Judged::default() }, CASES);
        universal.take(&mut ended(), CASES);
        assert_eq!(told(universal), [Status::Pass]);

        let mut universal = Universal::default();
        universal.take(&mut ended(), CASES);
        universal.blame("a");
        assert_eq!(told(universal), [Status::Crash], "it had finished");
    }
}
