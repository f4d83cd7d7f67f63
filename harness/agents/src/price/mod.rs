//! Measures what it costs to possess a capability. A program runs again and again, in turn without any capability and with
//! exactly one, which the probe adds in `OnLoad` and does not use. The probe enables no event and records no call, so that
//! the runs differ in that capability alone.

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

/// The largest number of rounds. More would make the comparison slower without making it clearer.
pub const MOST_ROUNDS: u32 = 50;

/// A program and the capabilities to measure with it, on one JVM.
#[derive(Clone, Debug)]
pub struct Job {
    /// The launcher, `bin/java`.
    pub java: PathBuf,
    /// The probe's library, by absolute path.
    pub probe: PathBuf,
    /// The arguments of the launcher: options, class path, main class, and arguments of the program.
    pub args: Vec<OsString>,
    /// The capabilities: bit and name.
    pub capabilities: Vec<(u16, String)>,
    /// The number of runs of each kind.
    pub rounds: u32,
    /// The exit code that the program should end with.
    pub exit: i32,
    /// A run that takes longer is killed.
    pub limit: Option<Duration>,
}

/// Why the prices could not be measured.
#[derive(Debug, Error)]
pub enum PriceError {
    /// The program does not end as it should, even without a capability.
    #[error(
        "the program has to end with exit code {wanted}, and without any capability it was: {ended}{said}"
    )]
    Program {
        /// The expected exit code.
        wanted: i32,
        /// How it ended.
        ended: Status,
        /// The end of its output, on a new line; empty if there is none.
        said: String,
    },
    /// The JVM did not load the probe, or the probe failed.
    #[error("the probe tells nothing of {}{said}", java.display())]
    Silent {
        /// The launcher.
        java: PathBuf,
        /// The end of the program's output, on a new line; empty if there is none.
        said: String,
    },
    /// The process could not be started, or the harness could not wait for it.
    #[error("cannot run {}: {error}", java.display())]
    Start {
        /// The launcher.
        java: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The trace file, which contains the plan for the probe, could not be created.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// The times of the runs of one kind.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Processor time of all threads, user and system, in nanoseconds.
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

/// The result for one capability.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The times of the runs with it.
    Ran(Runs),
    /// This JVM does not offer it in `OnLoad`.
    NotOffered,
    /// A run with it did not end as the runs without: how it ended, and the end of its output.
    Failed(String),
}

/// The results of a job.
#[derive(Clone, Debug, Default)]
pub struct Priced {
    /// What the JVM calls itself.
    pub jvm: String,
    /// The number of complete rounds.
    pub rounds: u32,
    /// The runs without any capability.
    pub without: Runs,
    /// The result for each capability, in the order of the job.
    pub answers: Vec<(String, Answer)>,
    /// Whether the user interrupted it.
    pub interrupted: bool,
}

/// Runs the program once to identify the JVM and to fill the file cache, and then in rounds. Each round has one run without
/// any capability and one with each. Every other round reverses the order, so that whatever else changes on the machine
/// affects all kinds alike. Calls `tell` after each run.
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

/// Does one run of each kind; `false`: the user interrupted the round, which does not count.
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
