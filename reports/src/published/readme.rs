//! The table that a reader of the folder sees first.

use std::fmt::Write;

use crate::markdown::text;
use crate::results::Results;
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
    out += "\nThe files in this folder contain the verdicts: `suite.json` has what all JVMs share, each other file one \
            JVM. To generate the report with every statement, case and command, run\n\n\
            ```console\n$ jvmti-check report reports/published --out report\n```\n\n\
            `ci/publish` updates the files.\n";
    out
}
