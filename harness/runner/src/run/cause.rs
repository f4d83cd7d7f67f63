//! What a crash takes: the case that it cut short, or also cases that ran before it in the same JVM. A JVM may come to harm in one
//! case and end in another, which should not be blamed alone.

use jvmti_results::{Status, Verdict};

use super::Bench;
use super::attempt;
use super::queue::Job;
use super::tally::Tally;
use crate::plan::{self, Limits};

/// How many JVMs may be started to find what one crash takes.
const STARTS: u32 = 40;
/// Crashes of one JVM that are looked into: one that crashes all the time would take too long.
pub const CRASHES: u32 = 10;

/// What a crash takes.
#[derive(Debug, PartialEq, Eq)]
enum Cause {
    /// The case crashes a JVM of its own, too.
    Itself,
    /// These cases before it, none of which could be left out.
    After(Vec<usize>),
    /// Something that does not show again.
    Chance,
}

/// Finds what the crash in this case of the launch takes if nobody expects it, and says so in the verdict.
pub fn explain(bench: &Bench<'_>, tally: &Tally, job: &Job, case: usize, verdict: &mut Verdict) {
    let entries = &job.launch.cases;
    let Some(position) = entries.iter().position(|entry| entry.case == case) else { return };
    let is_before = |run: Option<u32>| run.is_none() || run <= entries[position].scenario_run;
    let before = entries.iter().filter(|entry| entry.case != case && is_before(entry.scenario_run));
    let before: Vec<usize> = before.map(|entry| entry.case).collect();
    if before.is_empty() || bench.stop.asked() || !tally.is_news(verdict) || !tally.looks_into_a_crash() {
        return;
    }
    let mut starts = 0;
    let cause = cause(&before, &mut |before| {
        starts += 1;
        (starts <= STARTS && !bench.stop.asked()).then(|| crashes_after(bench, tally, job, before, case))
    });
    let cases = &bench.subjects[job.subject].tests.cases;
    let told = match &cause {
        Some(Cause::After(before)) => {
            let ids: Vec<&str> = before.iter().map(|&index| cases[index].id.as_str()).collect();
            verdict.reproduce = reproduce(&bench.subjects[job.subject].reproduce, &ids, &cases[case].id);
            format!("not by itself, but after {} in the same JVM", ids.join(", "))
        }
        Some(Cause::Chance) => "neither by itself nor again after the same cases in one JVM".to_owned(),
        Some(Cause::Itself) | None => return,
    };
    if let Some(finding) = verdict.findings.first_mut() {
        finding.observed.push_str("; ");
        finding.observed.push_str(&told);
    }
}

/// Whether the case crashes a JVM in which these cases run as well.
fn crashes_after(bench: &Bench<'_>, tally: &Tally, job: &Job, before: &[usize], case: usize) -> bool {
    let subject = &bench.subjects[job.subject];
    let wanted: Vec<usize> = before.iter().copied().chain([case]).collect();
    let schedule = plan::schedule(&subject.tests.cases, &wanted, &subject.identity.offer, Limits::FEW);
    let has_it = |launch: &plan::Launch| launch.cases.iter().any(|entry| entry.case == case);
    let Some(launch) = schedule.launches.into_iter().find(has_it) else { return false };
    let verdicts = attempt::try_out(bench, tally, &job.leftover(launch));
    let id = &subject.tests.cases[case].id;
    verdicts.iter().any(|verdict| verdict.case == *id && verdict.status == Status::Crash)
}

/// What it takes of `before`, found by leaving out ever smaller parts. `crashes` tells whether it crashes after the
/// cases it is given, or `None` when it is time to stop.
fn cause(before: &[usize], crashes: &mut impl FnMut(&[usize]) -> Option<bool>) -> Option<Cause> {
    if crashes(&[])? {
        return Some(Cause::Itself);
    }
    if !crashes(before)? {
        return Some(Cause::Chance);
    }
    let mut needed = before.to_vec();
    let mut parts = 2;
    while needed.len() > 1 {
        let size = needed.len().div_ceil(parts);
        let halves = needed.chunks(size).map(<[usize]>::to_vec);
        let without = |part: &[usize]| needed.iter().copied().filter(|case| !part.contains(case)).collect();
        let rests = needed.chunks(size).map(without).filter(|_| parts > 2);
        let mut smaller = None;
        for candidate in halves.chain(rests) {
            match crashes(&candidate) {
                Some(true) => {
                    smaller = Some(candidate);
                    break;
                }
                Some(false) => {}
                None => return Some(Cause::After(needed)),
            }
        }
        match smaller {
            Some(candidate) => {
                needed = candidate;
                parts = 2;
            }
            None if size == 1 => break,
            None => parts = (parts * 2).min(needed.len()),
        }
    }
    Some(Cause::After(needed))
}

/// The command that runs all of them; in `template`, `{case}` stands for the one case that other commands run.
fn reproduce(template: &str, before: &[&str], case: &str) -> String {
    let quote = template.split("{case}").next().and_then(|text| text.chars().next_back());
    let between = match quote {
        Some(quote @ ('\'' | '"')) => format!("{quote} {quote}"),
        _ => " ".to_owned(),
    };
    let all: Vec<&str> = before.iter().copied().chain([case]).collect();
    template.replace("{case}", &all.join(&between))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_command_names_all_cases() {
        assert_eq!(reproduce("run '{case}' --jdk x", &["a", "b#c"], "d"), "run 'a' 'b#c' 'd' --jdk x");
        assert_eq!(reproduce("run {case}", &["a"], "b"), "run a b");
    }

    #[test]
    fn what_the_case_does_itself_and_what_happens_once_has_no_other_cause() {
        assert_eq!(cause(&[1, 2, 3], &mut |_| Some(true)), Some(Cause::Itself));
        assert_eq!(cause(&[1, 2, 3], &mut |_| Some(false)), Some(Cause::Chance));
        assert_eq!(cause(&[1, 2, 3], &mut |_| None), None);
    }

    proptest! {
        #[test]
        fn what_it_takes_is_found(len in 1usize..160, picks in prop::collection::btree_set(0usize..160, 1..3)) {
            let before: Vec<usize> = (0..len).collect();
            let culprits: Vec<usize> = picks.into_iter().filter(|pick| *pick < len).collect();
            prop_assume!(!culprits.is_empty());
            let mut tries = 0;
            let found = cause(&before, &mut |given| {
                tries += 1;
                Some(culprits.iter().all(|culprit| given.contains(culprit)))
            });
            if culprits.len() == 1 {
                prop_assert!(tries <= STARTS);
            }
            prop_assert_eq!(found, Some(Cause::After(culprits)));
        }
    }
}
