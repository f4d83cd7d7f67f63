//! Judges traces: the records of one launch and its cases go in, a verdict on each case comes out.
//!
//! [`judge`] reads the records once. During this pass, `progress` collects what the cases refer to: what came of each step
//! (`case_trace`), the events that a case watches (`watch`), and what scenarios bound and stated (`references`). The
//! universal rules, which hold for every trace, watch the same pass (`universal`).
//!
//! Then each case is judged (`verdict`): its steps (`steps`), events (`events`), facts, and the life of its agent
//! (`life`). `matching` decides whether a recorded value satisfies a condition; the answer may be that the trace cannot tell
//! (`truth`), which is never held against the JVM. `verdict_builder` gathers what did not hold and weighs each
//! expectation by the cited statements that are behind it (`basis`). If the JVM ended abnormally, `ending` finds the case to blame and returns those that
//! have to be run again.
//!
//! ```
//! use jvmti_cases::model::Case;
//! use jvmti_judge::{Assertions, Brief, Exit, LaunchEnd, judge};
//! use jvmti_results::{Jvm, Status};
//! use jvmti_spec::{Release, Spec};
//! use jvmti_wire::Plan;
//! use jvmti_wire::trace::{Body, Record, StepRef};
//!
//! // A launch of one case without expectations, and a JVM that aborted in its only call.
//! let spec = Spec::embedded().at(Release(25));
//! let assertions: Assertions = Spec::embedded().assertions(Release(25)).into_iter().collect();
//! let brief = Brief {
//!     release: Release(25),
//!     suite: "0".into(),
//!     jvm: Jvm::default(),
//!     configuration: None,
//!     vm_options: vec![],
//!     reproduce: "jvmti-check run {case}".into(),
//!     cases: vec![Case { id: "phase/get".into(), ..Case::default() }],
//!     inapplicable: vec![],
//! };
//! let function = spec.function("GetPhase").unwrap().slot;
//! let step = StepRef::Step { case: 0, step: 0 };
//! let body = Body::CallBegin { call: 1, environment: 1, function, step, args: vec![] };
//! let mut records = [Record { seq: 8, at: 0, thread: 1, body }].into_iter();
//! let ended = LaunchEnd { exit: Exit::Signal(6), lost: 0 };
//!
//! let judged = judge(&mut records, &Plan::default(), &brief, &spec, &assertions, &ended);
//! assert_eq!(judged.verdicts[0].1.status, Status::Crash);
//! assert_eq!(judged.culprit.unwrap().what, "GetPhase()");
//! ```

mod basis;
mod capabilities;
mod case_text;
mod case_trace;
mod conditions;
mod counted;
mod ending;
mod events;
mod happened;
mod life;
mod matching;
mod progress;
mod references;
mod refusals;
mod repeats;
mod scenario_runs;
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
    let mut assertions = universal::Watchers::new(spec).assertions();
    assertions.push(jvmti_cases::brief::JVM_GOES_ON);
    assertions
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
    let mut progress = progress::JudgePass::new(plan, brief, spec);
    let mut watchers = universal::Watchers::new(spec);
    for record in records {
        watchers.record(&record, &progress);
        progress.record(record);
    }
    let told = progress.process().map_or(ended.exit, |process| process.exit);
    let ended = &LaunchEnd { exit: told, ..*ended };
    let interrupted = ending::is_interrupted(&progress, ended);
    let mut judged = match ending::is_orderly(&progress, ended) {
        _ if interrupted => ending::interrupted(&mut progress, assertions, ended),
        true => ending::orderly(&mut progress, assertions, ended),
        false => ending::abnormal(&mut progress, assertions, ended),
    };
    judged.interrupted = interrupted;
    judged.late_start = life::late_start(&progress);
    judged.universal = watchers.verdicts(assertions, brief);
    judged.universal.extend(universal::goes_on(&progress, &judged, assertions, ended));
    // Where records are missing, what seems to be broken may be what is missing.
    let is_whole = !interrupted && ended.lost == 0;
    judged.universal.retain(|verdict| is_whole || verdict.status == Status::Pass);
    repeats::join(&mut judged, brief);
    judged
}
