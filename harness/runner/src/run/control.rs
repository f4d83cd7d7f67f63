//! Whether a JVM runs at all in a launcher of ours, without the agent that a case is about. A JVM that does not is not blamed for what
//! its agents lack: which programs may create it is not for the specification to say.

use std::sync::OnceLock;

use jvmti_cases::model::Life;
use jvmti_results::{Status, Verdict};

use super::queue::Job;
use super::{Bench, attempt, bare, life, tally};
use crate::launch::{self, Launch};

/// What became of the launcher without an agent: nothing to tell if its program ended as it should.
#[derive(Debug, Default)]
pub struct Control(OnceLock<Option<String>>);

impl Control {
    /// Replaces the verdict on a case that blames a JVM in a launcher of ours, if the JVM does not run there anyway.
    pub fn review(&self, bench: &Bench<'_>, job: &Job, case: usize, verdict: &mut Verdict) {
        let case = &bench.subjects[job.subject].tests.cases[case];
        let is_embedded = case.life.as_ref().is_some_and(|life| life.embedded);
        let blames = matches!(verdict.status, Status::Fail | Status::Crash | Status::Timeout);
        if !is_embedded || !blames || bench.stop.asked() {
            return;
        }
        if let Some(trouble) = self.0.get_or_init(|| trouble(bench, job)) {
            let reproduce = std::mem::take(&mut verdict.reproduce);
            *verdict = Verdict { reproduce, ..tally::bare(case, Status::Inapplicable, trouble.clone()) };
        }
    }
}

/// Runs an empty program in the launcher. Tells how that ended, if it did not end well by itself.
fn trouble(bench: &Bench<'_>, job: &Job) -> Option<String> {
    let subject = &bench.subjects[job.subject];
    let launch = Launch { timeouts: bench.options.timeouts, ..bare::launch(subject, bench.scratch) };
    let life = Life { embedded: true, ..Life::default() };
    let launch = life::lead(launch, &life, bench, &subject.jdk).ok()?;
    let ended = launch::run(&launch, bench.stop).ok()?;
    match ended.status {
        launch::Status::Exited(0) | launch::Status::Cancelled | launch::Status::Starved => None,
        status => Some(format!(
            "this JVM does not run in a program that creates it by JNI_CreateJavaVM, even without an agent: {status}\n{}",
            attempt::output(&ended)
        )),
    }
}
