//! The published results, the cases and the lists of known deviations agree: what was judged once still has a case, and
//! what is listed was seen.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use jvmti_cases::CaseSet;
use jvmti_cases::built_in::case_files;
use jvmti_cases::known::Deviation;
use jvmti_judge::universal_assertions;
use jvmti_reports::published;
use jvmti_results::{Results, Status, Verdict};
use jvmti_spec::{Release, Spec};

fn results(folder: &str) -> Results {
    published::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../reports").join(folder)).unwrap()
}

fn both() -> (Results, CaseSet) {
    (results("published"), case_files(None).unwrap())
}

fn results_of_aarch64() -> Results {
    results("published-aarch64")
}

/// Emulated JVMs have a folder of their own, whose README says what docs/aarch64.md says.
#[test]
fn nothing_was_unexpected_on_aarch64() {
    let results = results_of_aarch64();
    for run in &results.runs {
        assert_eq!(run.jvm.arch, "aarch64");
        let unexpected = run.verdicts.iter().filter(|verdict| verdict.status.is_unexpected());
        let unexpected: Vec<&str> = unexpected.map(|verdict| verdict.case.as_str()).collect();
        assert!(unexpected.is_empty(), "{}: {unexpected:?}", run.jvm.version);
    }
    assert_eq!(results.runs.len(), 4);
}

/// A statement that no case tests any more would count as tested until the next results are published. Those that have turned out
/// to be untestable have none.
#[test]
fn every_statement_that_was_judged_still_has_a_case() {
    let (results, set) = both();
    for release in Release::REVIEWED {
        let edition = Spec::embedded().at(release);
        let selection = set.for_release(&edition).unwrap();
        let cases = selection.cases.iter().flat_map(|case| case.citations());
        let tested: BTreeSet<&str> = cases.chain(universal_assertions(&edition)).collect();
        let assertions = Spec::embedded().assertions(release).into_iter();
        let stated: BTreeSet<String> = assertions
            .filter(|assertion| assertion.untestable.is_none())
            .map(|assertion| assertion.id)
            .collect();
        let judged = results.judged(release.0);
        let lost: Vec<&&str> =
            judged.iter().filter(|id| stated.contains(**id) && !tested.contains(**id)).collect();
        assert!(lost.is_empty(), "statements of {release} that were judged and have no case now: {lost:#?}");
    }
}

/// Whether the deviation was listed for the JVM with a reason that no entry for this case has any more: it has been found out since.
fn is_told_otherwise(verdict: &Verdict, of: &Deviation, set: &CaseSet) -> bool {
    let mut entries = set.known().filter(|d| d.cases.contains(&verdict.case) && d.on == of.on);
    verdict.status == Status::Known && !entries.any(|d| d.is_reason_of(verdict))
}

/// An entry that nothing shows may be out of date, or hide a failure that it was not written for. Cases that are newer than the
/// published results of the JVMs that it is for cannot have been seen there, and what shows in some runs only need not have been.
#[test]
fn every_listed_deviation_was_seen_on_a_published_jvm() {
    let (here, set) = both();
    let there = results_of_aarch64();
    let unseen = set.known().filter(|d| d.on.options.is_empty() && !d.sometimes).filter(|d| {
        let results = if d.on.arch.as_deref() == Some("aarch64") { &there } else { &here };
        if d.is_shown_in(results) {
            return false;
        }
        let (mine, all): (Vec<_>, Vec<_>) =
            results.runs.iter().partition(|run| d.on.contain(&run.jvm, &run.vm_options));
        let runs = if mine.is_empty() { all } else { mine };
        let mut judged = runs
            .iter()
            .flat_map(|run| &run.verdicts)
            .filter(|verdict| d.cases.contains(&verdict.case) && verdict.status != Status::Inapplicable)
            .filter(|verdict| !is_told_otherwise(verdict, d, &set));
        // A universal rule finds it where a case brings it about.
        let is_universal = |case: &String| case.starts_with("universal/");
        let are_all = d.cases.iter().all(is_universal);
        judged.any(|verdict| are_all || !is_universal(&verdict.case))
    });
    let unseen: Vec<String> = unseen.map(|d| format!("{} on {}: {}", d.cases[0], d.on, d.reason)).collect();
    assert!(unseen.is_empty(), "listed, but shown by no published JVM: {unseen:#?}");
}
