//! Cases that take several runs of their scenario: one verdict of all runs.

use std::collections::HashMap;

use jvmti_results::{Status, Verdict};

use crate::{Brief, Judged};

/// Makes one verdict of those on the runs of the same case: the worst. Where none is worse than the others and a run is
/// unfinished, the case is.
pub(super) fn join(judged: &mut Judged, brief: &Brief) {
    if brief.cases.iter().all(|case| case.repeats == 0) {
        return;
    }
    let mut first_runs: HashMap<&str, usize> = HashMap::new();
    let firsts: Vec<usize> = brief
        .cases
        .iter()
        .enumerate()
        .map(|(index, case)| *first_runs.entry(case.id.as_str()).or_insert(index))
        .collect();
    let mut verdicts: Vec<(usize, Verdict)> = Vec::new();
    for (index, verdict) in std::mem::take(&mut judged.verdicts) {
        let first = firsts[index];
        match verdicts.iter_mut().find(|(case, _)| *case == first) {
            None => verdicts.push((first, verdict)),
            Some((_, worst)) if weight(verdict.status) > weight(worst.status) => *worst = verdict,
            Some(_) => {}
        }
    }
    let mut unfinished: Vec<usize> = judged.unfinished.iter().map(|&index| firsts[index]).collect();
    unfinished.sort_unstable();
    unfinished.dedup();
    unfinished.retain(|case| !verdicts.iter().any(|(of, verdict)| of == case && weight(verdict.status) > 0));
    verdicts.retain(|(case, _)| !unfinished.contains(case));
    (judged.verdicts, judged.unfinished) = (verdicts, unfinished);
}

/// How much a verdict on one run says about the case.
fn weight(status: Status) -> u8 {
    match status {
        Status::Crash | Status::Timeout => 4,
        Status::Fail => 3,
        Status::Permitted => 2,
        Status::Error => 1,
        Status::Pass | Status::Inapplicable | Status::Known | Status::Fixed => 0,
    }
}
