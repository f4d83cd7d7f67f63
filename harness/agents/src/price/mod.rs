//! What possessing a capability costs: a program is run over and over, in turns without any capability and with exactly
//! one, which is added in `OnLoad` and not used. Nothing is enabled and nothing recorded meanwhile: the runs differ in
//! that capability alone.

mod run;
pub mod show;
pub mod statistics;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use jvmti_runner::launch::{Status, Stop};
use jvmti_wire::trace::TraceError;
use run::{Measured, Runner};
use statistics::Sample;
use thiserror::Error;

/// The most rounds: beyond that the comparison takes longer than it gains.
pub const MOST_ROUNDS: u32 = 50;

/// What is to be priced, on one JVM.
#[derive(Clone, Debug)]
pub struct Job {
    /// The launcher, `bin/java`.
    pub java: PathBuf,
    /// The probe's library, by absolute path.
    pub probe: PathBuf,
    /// What the launcher is given: options, class path, main class, arguments.
    pub args: Vec<OsString>,
    /// The capabilities: bit and name.
    pub capabilities: Vec<(u16, String)>,
    /// How many runs there are of each kind.
    pub rounds: u32,
    /// The exit code with which the program ends.
    pub exit: i32,
    /// The longest that a run may take.
    pub limit: Option<Duration>,
}

/// Why there are no prices.
#[derive(Debug, Error)]
pub enum PriceError {
    /// The program itself does not end as it should.
    #[error(
        "the program has to end with exit code {wanted}, and without any capability it was: {ended}{said}"
    )]
    Program {
        /// The exit code that is wanted.
        wanted: i32,
        /// How it ended.
        ended: Status,
        /// The end of what it wrote, on a new line; empty if it wrote nothing.
        said: String,
    },
    /// The probe was not loaded, or could not do its work.
    #[error("the probe tells nothing of {}{said}", java.display())]
    Silent {
        /// The launcher.
        java: PathBuf,
        /// The end of what the program wrote, on a new line; empty if it wrote nothing.
        said: String,
    },
    /// The process could not be started, or not be waited for.
    #[error("cannot run {}: {error}", java.display())]
    Start {
        /// The launcher.
        java: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The trace, in which the probe finds what it has to do, could not be made.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// What runs of one kind took.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Processor time, user's and system's, of all threads, in nanoseconds.
    pub cpu: Sample,
    /// Time from start to end, in nanoseconds.
    pub wall: Sample,
}

impl Runs {
    fn add(&mut self, measured: Measured) {
        self.cpu.add(measured.cpu);
        self.wall.add(measured.wall);
    }
}

/// What came of a capability.
#[derive(Clone, Debug)]
pub enum Answer {
    /// What the runs with it took.
    Ran(Runs),
    /// This JVM does not offer it in `OnLoad`.
    NotOffered,
    /// A run with it did not end as those without: how, and the end of what it wrote.
    Failed(String),
}

/// What came of a job.
#[derive(Clone, Debug, Default)]
pub struct Priced {
    /// What the JVM calls itself.
    pub jvm: String,
    /// How many rounds were finished.
    pub rounds: u32,
    /// The runs without any capability.
    pub without: Runs,
    /// By capability what came of it, in the order asked for.
    pub answers: Vec<(String, Answer)>,
    /// Whether the user ended it.
    pub interrupted: bool,
}

/// Runs the program: once to see what the JVM is and to have read from disk what there is to read, and then in rounds.
/// In each round there is a run without any capability and one with each, and every other round they come in reverse
/// order, so that what else changes meanwhile changes for all. `tell` is told of each run that is over.
pub fn price(job: &Job, stop: &Stop, tell: &dyn Fn()) -> Result<Priced, PriceError> {
    let runner = Runner::new(job, stop)?;
    let mut priced = Priced::default();
    let Some(first) = runner.without()? else { return Ok(Priced { interrupted: true, ..priced }) };
    tell();
    priced.jvm = first.jvm;
    for (_, name) in &job.capabilities {
        let answer =
            if first.offered.contains(name) { Answer::Ran(Runs::default()) } else { Answer::NotOffered };
        priced.answers.push((name.clone(), answer));
    }
    for round in 0..job.rounds {
        match one_round(&runner, job, round, &mut priced, tell)? {
            true => priced.rounds += 1,
            false => {
                priced.interrupted = true;
                break;
            }
        }
    }
    Ok(priced)
}

/// One run of each kind; `false`: interrupted, and the round does not count.
fn one_round(
    runner: &Runner<'_>,
    job: &Job,
    round: u32,
    priced: &mut Priced,
    tell: &dyn Fn(),
) -> Result<bool, PriceError> {
    let alive =
        (0..job.capabilities.len()).filter(|index| matches!(priced.answers[*index].1, Answer::Ran(_)));
    let mut order: Vec<Option<usize>> = [None].into_iter().chain(alive.map(Some)).collect();
    if round % 2 == 1 {
        order.reverse();
    }
    let mut done = Vec::new();
    for which in order {
        let run = match which {
            None => runner.without()?.map(|first| Ok(first.measured)),
            Some(index) => {
                let (bit, name) = &job.capabilities[index];
                runner.with(*bit, name)?
            }
        };
        let Some(run) = run else { return Ok(false) };
        tell();
        done.push((which, run));
    }
    for (which, run) in done {
        match (which, run) {
            (None, Ok(measured)) => priced.without.add(measured),
            (Some(index), Err(why)) => {
                priced.answers[index].1 = Answer::Failed(format!("round {}: {why}", round + 1));
            }
            (Some(index), Ok(measured)) => {
                if let Answer::Ran(runs) = &mut priced.answers[index].1 {
                    runs.add(measured);
                }
            }
            (None, Err(_)) => {}
        }
    }
    Ok(true)
}
