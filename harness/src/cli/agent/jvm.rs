//! What the JVM did in a recording, by the universal rules: those that need no case, as they hold for every call and event.

use std::fmt::Write as _;
use std::path::Path;

use jvmti_cases::brief::JVM_GOES_ON;
use jvmti_judge::{Brief, Exit, LaunchEnd};
use jvmti_results::{Jvm, Status, Verdict};
use jvmti_spec::{Release, Spec};

use super::super::fault::Fault;
use super::super::trace;
use super::recording;

/// The rules that the JVM broke in the recording. Why a JVM ended is left out: of that the agent's findings tell.
pub(super) fn broken(path: &Path, release: Release) -> Result<Vec<Verdict>, Fault> {
    let file = recording(path)?;
    let reader = trace::reader(&file, path)?;
    let brief = Brief {
        release,
        suite: String::new(),
        jvm: Jvm::default(),
        configuration: None,
        vm_options: vec![],
        reproduce: format!("jvmti-check agent check --jvm {}", path.display()),
        cases: vec![],
        inapplicable: vec![],
    };
    let edition = Spec::embedded().at(release);
    let assertions = Spec::embedded().assertions(release).into_iter().collect();
    let mut records = reader.records();
    let ended = LaunchEnd { exit: Exit::Unknown, lost: 0 };
    let judged =
        jvmti_judge::judge(&mut records, reader.plan(), &brief, &edition, &assertions, &ended).universal;
    let is_broken = |verdict: &Verdict| verdict.status == Status::Fail && verdict.case != JVM_GOES_ON;
    Ok(judged.into_iter().filter(is_broken).collect())
}

/// A rule that the JVM broke, and where.
pub(super) fn shown(verdict: &Verdict) -> String {
    let mut out = format!("── JVM ── {}\n{:>10}  {}\n", verdict.case, "spec", verdict.about);
    for finding in &verdict.findings {
        let _ = writeln!(out, "{:>10}  {}", "at", finding.place);
        let _ = writeln!(out, "{:>10}  {}", "expected", finding.expected);
        let _ = writeln!(out, "{:>10}  {}", "observed", finding.observed);
    }
    out
}
