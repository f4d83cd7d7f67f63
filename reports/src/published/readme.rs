//! The table that a reader of the folder sees first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::cause::{self, Kind, first_and_last};
use crate::markdown::text;
use crate::results::{Results, Verdict};
use crate::summary::{Outcome, Summary};

pub fn readme(results: &Results) -> String {
    let summary = Summary::of(results);
    let commit = results.suite.commit.as_deref().map(|c| format!(", commit {c}")).unwrap_or_default();
    let date = results.started.split('T').next().unwrap_or_default();
    let mut out = format!(
        "# Published compliance reports\n\n\
         {} tested on {} with jvmti-check {}{}. The numbers count statements of the specification of each JVM's release.\n\n",
        crate::terminal::count(results.runs.len(), "JVM"),
        text(date),
        text(&results.suite.version),
        text(&commit),
    );
    out += "| JVM | VM | held | known deviations | permitted deviations | broken | tested | unexpected verdicts |\n";
    out += "| :-- | :-- | --: | --: | --: | --: | --: | --: |\n";
    for (run, jvm) in summary.runs.iter().zip(&results.runs) {
        let n = |outcome| run.coverage.get(outcome);
        let _ = writeln!(
            out,
            "| {} | {} {} | {} | {} | {} | {} | {} % | {} |",
            text(&run.label),
            text(&jvm.jvm.vm_name),
            text(&jvm.jvm.vm_version),
            n(Outcome::Held),
            n(Outcome::Known),
            n(Outcome::Permitted),
            n(Outcome::Broken),
            run.coverage.percent(),
            run.counts.unexpected(),
        );
    }
    out += &deviations(results);
    out += &untested(results);
    out += "\nThe files in this folder contain the verdicts: `suite.json` has what all JVMs share, each other file one \
            JVM. To generate the report with every statement, case and command, run\n\n\
            ```console\n$ jvmti-check report reports/published --out report\n```\n\n\
            `ci/publish` updates the files.\n";
    out
}

/// The deviations by cause, with the oldest and the newest of the tested builds that have each.
fn deviations(results: &Results) -> String {
    let causes = cause::causes(results);
    let mut out = String::new();
    for (kind, title) in [(Kind::New, "New deviations"), (Kind::Known, "Known deviations")] {
        let here: Vec<_> = causes.iter().filter(|cause| cause.kind == kind).collect();
        if here.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n## {title}\n");
        out += "| deviation | statements | cases | JVMs | first | last |\n| :-- | --: | --: | --: | :-- | :-- |\n";
        for cause in here {
            let (first, last) = first_and_last(cause, results).unwrap_or_default();
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} |",
                text(&cause.reason),
                cause.statements().len(),
                cause.cases().len(),
                cause.runs.len(),
                text(&first),
                text(&last),
            );
        }
    }
    out
}

/// The statements that have cases, none of which could be judged on any of the JVMs: the cases may be to blame.
fn untested(results: &Results) -> String {
    let releases: BTreeSet<u16> = results.runs.iter().map(|run| run.jvm.release).collect();
    let judged: BTreeSet<&str> = releases.into_iter().flat_map(|release| results.judged(release)).collect();
    let mut cited: BTreeMap<&str, &Verdict> = BTreeMap::new();
    for verdict in results.runs.iter().flat_map(|run| &run.verdicts).filter(|v| !v.status.is_judged()) {
        for id in verdict.cited() {
            cited.entry(id).or_insert(verdict);
        }
    }
    let mut out = String::new();
    for assertion in results.assertions.iter().filter(|assertion| !judged.contains(assertion.id.as_str())) {
        let Some(first) = cited.get(assertion.id.as_str()) else { continue };
        let reason = first.findings.first().map(|finding| finding.observed.as_str()).unwrap_or_default();
        let _ = writeln!(out, "| {} | {} | {} |", text(&assertion.id), text(&first.case), text(reason));
    }
    if !out.is_empty() {
        out.insert_str(
            0,
            "\n## Tested on none of these JVMs\n\n| statement | case | why not |\n| :-- | :-- | :-- |\n",
        );
    }
    out
}
