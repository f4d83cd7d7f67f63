//! From a trace to verdicts.
//!
//! One pass over the records ([`progress`]) keeps what some case cares about; then each case is judged ([`steps`],
//! [`verdict`]) or, if the JVM ended before its time, blamed or left for another run ([`ending`]). The rules that hold
//! for every trace watch the same pass ([`universal`]).

mod capabilities;
mod case_text;
mod case_trace;
mod conditions;
mod ending;
mod events;
mod happened;
mod life;
mod matching;
mod progress;
mod references;
mod steps;
mod story;
pub mod thread_state;
mod truth;
mod universal;
mod verdict;
mod verdict_builder;
mod watch;

#[cfg(test)]
mod tests;

use jvmti_results::Status;
use jvmti_spec::Edition;
use jvmti_wire::Plan;
use jvmti_wire::trace::Record;

pub use case_text::describe;
pub use jvmti_cases::{Brief, Culprit, Judged, LaunchEnd};
pub use jvmti_spec::Assertions;
pub use jvmti_wire::trace::Exit;

/// The assertions that are judged over every trace, whatever its cases.
pub fn universal_assertions(spec: &Edition) -> Vec<&'static str> {
    universal::Watchers::new(spec).assertions()
}

/// Judges the trace of one launch.
///
/// `assertions` are those of the release that judges; `ended` is how the process ended, as far as the trace itself
/// does not tell.
pub fn judge(
    records: &mut dyn Iterator<Item = Record>,
    plan: &Plan,
    brief: &Brief,
    spec: &Edition,
    assertions: &Assertions,
    ended: &LaunchEnd,
) -> Judged {
    let mut progress = progress::Progress::new(plan, brief, spec);
    let mut watchers = universal::Watchers::new(spec);
    for record in records {
        watchers.record(&record, &progress);
        progress.record(record);
    }
    let told = progress.process.as_ref().map_or(ended.exit, |process| process.exit);
    let ended = &LaunchEnd { exit: told, ..*ended };
    let interrupted = ending::is_interrupted(&progress, ended);
    let mut judged = match ending::is_orderly(&progress, ended) {
        _ if interrupted => ending::interrupted(&mut progress, assertions, ended),
        true => ending::orderly(&mut progress, assertions, ended),
        false => ending::abnormal(&mut progress, assertions, ended),
    };
    judged.universal = watchers.verdicts(assertions, brief);
    judged.universal.retain(|verdict| !interrupted || verdict.status == Status::Pass);
    judged
}
