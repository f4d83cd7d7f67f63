//! A comparison as results of the second JVM, for reports.

use std::path::Path;

use jvmti_results::{Finding, Jvm, JvmRun, Status, Verdict};
use jvmti_runner::shell;

use super::Difference;
use crate::{Behaviour, Reading};

/// A verdict for each difference, and for each function without one. The paths are those of the two recordings.
pub fn results(
    (before, before_path): (&Reading, &Path),
    (after, after_path): (&Reading, &Path),
    found: &[Difference],
) -> JvmRun {
    let [before_path, after_path] = [before_path, after_path].map(|path| path.display().to_string());
    let of = |case: String, subject: &str, status: Status| Verdict {
        case,
        subject: Some(subject.to_owned()),
        status,
        chapter: "agents".to_owned(),
        asserted: 1,
        source: format!("{after_path} against {before_path}"),
        trace: Some(after_path.clone()),
        reproduce: shell::command(["jvmti-check", "agent", "compare", &before_path, &after_path]),
        ..Verdict::default()
    };
    let of_difference = |difference: &Difference| {
        let Difference { kind, what, place, before, after } = difference;
        let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
        let status = if kind.is_worse() { Status::Fail } else { Status::Permitted };
        let subject = what.split([' ', '(']).next().unwrap_or_default();
        let (expected, observed) = (before.clone(), after.clone());
        Verdict {
            about: kind.name().to_owned(),
            findings: vec![Finding { place: place.clone(), expected, observed, ..Finding::default() }],
            ..of(format!("{}: {what}{at}", kind.name()), subject, status)
        }
    };
    let mut verdicts: Vec<Verdict> = found.iter().map(of_difference).collect();
    let differs = |name: &str| found.iter().any(|difference| difference.what == name);
    for (name, is) in &after.digest.functions {
        if let (Some(was), false) = (before.digest.functions.get(name), differs(name)) {
            let about = format!("called {} before, {} now", super::times(was.count), super::times(is.count));
            verdicts.push(Verdict { about, ..of(format!("as before: {name}"), name, Status::Pass) });
        }
    }
    JvmRun { jvm: jvm(&after.behaviour, after.release.0), verdicts, launches: 1, ..JvmRun::default() }
}

/// The JVM of a recording, as far as the recording identifies it.
fn jvm(behaviour: &Behaviour, release: u16) -> Jvm {
    let of = |key: &str| behaviour.identity.get(key).cloned().unwrap_or_default();
    Jvm {
        release,
        // The probe does not query system properties in a foreign program, so java.version is unknown.
        version: of("java.vm.version"),
        vendor: of("java.vm.vendor"),
        vm_name: of("java.vm.name"),
        vm_version: of("java.vm.version"),
        vm_info: of("java.vm.info"),
        jvmti_version: of("jvmti.version"),
        ..Jvm::default()
    }
}
