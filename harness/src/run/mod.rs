//! The runner: from cases and JVMs to verdicts. Launches run in parallel; what a crash or a hang left over runs again
//! without the case that caused it.

mod attempt;
mod queue;
mod tally;

use std::path::PathBuf;

use jvmti_reports::Verdict;
use jvmti_reports::results::{Jvm, JvmRun};
use jvmti_spec::Edition;
use thiserror::Error;

use crate::case::Inapplicable;
use crate::case::known::Deviation;
use crate::case::model::Case;
use crate::judge::Assertions;
use crate::jvm::{Identity, Jdk};
use crate::launch::{Patience, Scratch, Stop};
use crate::plan::{self, Limits};

use queue::{Job, Queue};
use tally::Tally;

/// A JVM to be tested, with the cases that are for its release.
#[derive(Debug)]
pub struct Subject {
    /// Where it is.
    pub jdk: Jdk,
    /// What it says of itself, and offers to agents.
    pub identity: Identity,
    /// The text that it is judged by.
    pub edition: Edition,
    /// The statements of that text.
    pub assertions: Assertions,
    /// The selected cases for its release.
    pub cases: Vec<Case>,
    /// Selected cases that are not for its release.
    pub inapplicable: Vec<Inapplicable>,
    /// Known deviations, of this JVM and of others.
    pub known: Vec<Deviation>,
}

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// JVMs that run at the same time.
    pub jobs: usize,
    /// The user's options for every JVM.
    pub vm_options: Vec<String>,
    /// The agent library.
    pub probe: PathBuf,
    /// When to give a JVM up.
    pub patience: Patience,
    /// Folder in which every trace is kept, if wanted.
    pub keep_traces: Option<PathBuf>,
    /// Version of the suite.
    pub suite: String,
    /// Command that runs a case again on a JVM, with `{home}` and `{case}` where those go.
    pub reproduce: String,
}

/// Is told what happens while it happens. Called from several threads.
pub trait Watcher: Sync {
    /// The work has been planned: so many cases in so many launches.
    fn scheduled(&self, jvm: &Jvm, cases: usize, launches: usize);
    /// A verdict has been reached.
    fn verdict(&self, jvm: &Jvm, verdict: &Verdict);
}

/// Trouble of the harness's own that makes going on pointless.
#[derive(Debug, Error)]
pub enum RunError {
    /// No room for traces and classes.
    #[error("cannot make a scratch folder below {}: {error}; set TMPDIR to a folder with room", std::env::temp_dir().display())]
    Scratch {
        /// Why.
        error: std::io::Error,
    },
    /// The folder for traces cannot be made.
    #[error("cannot keep traces in {path}: {error}")]
    KeepTraces {
        /// The folder.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

/// What the attempts share.
struct Bench<'a> {
    subjects: &'a [Subject],
    options: &'a Options,
    scratch: &'a Scratch,
    stop: &'a Stop,
    watcher: &'a dyn Watcher,
}

/// Runs every subject's cases and gives one [`JvmRun`] per subject, in their order. After `stop` was asked for, what
/// has not been reached is reported as such.
pub fn run(
    subjects: &[Subject],
    options: &Options,
    stop: &Stop,
    watcher: &dyn Watcher,
) -> Result<Vec<JvmRun>, RunError> {
    let scratch = Scratch::new().map_err(|error| RunError::Scratch { error })?;
    if let Some(path) = &options.keep_traces {
        std::fs::create_dir_all(path).map_err(|error| RunError::KeepTraces { path: path.clone(), error })?;
    }
    let bench = Bench { subjects, options, scratch: &scratch, stop, watcher };
    let tallies: Vec<Tally> = subjects.iter().map(|subject| Tally::new(subject, options)).collect();
    let queue =
        Queue::new(subjects.iter().zip(&tallies).enumerate().flat_map(|(index, (subject, tally))| {
            let wanted: Vec<usize> = (0..subject.cases.len()).collect();
            let schedule = plan::schedule(
                &subject.cases,
                &wanted,
                &subject.identity.offer,
                Limits { jobs: options.jobs },
            );
            watcher.scheduled(
                &subject.identity.jvm,
                wanted.len() + subject.inapplicable.len(),
                schedule.launches.len(),
            );
            for case in &subject.inapplicable {
                tally.not_for_release(case, watcher);
            }
            for (case, reason) in &schedule.inapplicable {
                tally.inapplicable(&subject.cases[*case], &reason.to_string(), watcher);
            }
            schedule.launches.into_iter().map(move |launch| Job { subject: index, launch, attempt: 1 })
        }));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                while let Some(job) = queue.take() {
                    let again = attempt::run(&bench, &tallies[job.subject], &job);
                    queue.done(again);
                }
            });
        }
    });
    Ok(tallies.into_iter().map(Tally::finish).collect())
}
