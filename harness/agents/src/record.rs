//! Starts a program as its user would, with the probe before the agents.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jvmti_runner::launch::{Status, Stop, options};
use jvmti_wire::Plan;
use jvmti_wire::plan::Between;
use jvmti_wire::trace::{Ahead, Body, Follower, Process, Recorder, TraceError, file};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Library;

/// A program to be started with agents in it.
#[derive(Clone, Debug)]
pub struct Program {
    /// The launcher, `bin/java`.
    pub java: PathBuf,
    /// The probe's library, by absolute path.
    pub probe: PathBuf,
    /// The agents, in the order in which they are loaded.
    pub agents: Vec<Library>,
    /// What the launcher is given after them: options, class path, main class, arguments.
    pub args: Vec<OsString>,
    /// Where the trace goes, compressed; must not exist yet. While the program runs, what has not been moved there yet lies
    /// beside it, under the name without the last ending.
    pub trace: PathBuf,
    /// Room for records that have not been moved yet, in bytes.
    pub capacity: u64,
    /// What is recorded.
    pub between: Between,
    /// The longest that it may run; `None`: as long as it likes.
    pub limit: Option<Duration>,
    /// What its standard streams are; `None`: those of this process.
    pub apart: Option<Apart>,
}

/// A program that runs by itself.
#[derive(Clone, Debug)]
pub struct Apart {
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// Where its standard output goes.
    pub stdout: PathBuf,
    /// Where its standard error goes.
    pub stderr: PathBuf,
}

impl Apart {
    fn set(&self, command: &mut Command) -> std::io::Result<()> {
        let (stdout, stderr) = (File::create(&self.stdout)?, File::create(&self.stderr)?);
        command.current_dir(&self.folder).stdin(Stdio::null()).stdout(stdout).stderr(stderr);
        command.envs(options::SET_VARIABLES);
        Ok(())
    }
}

/// What came of a program.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub status: Status,
    /// How long it ran.
    pub wall: Duration,
    /// Why what was recorded could not be moved into the compressed trace, at some time. What is left lies beside it.
    pub trouble: Option<TraceError>,
}

/// Why a program could not be recorded.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The trace file could not be made, or not be closed.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The process could not be started.
    #[error("cannot start {}: {error}", java.display())]
    Start {
        /// The launcher.
        java: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The process could not be waited for.
    #[error("lost sight of {}: {error}", java.display())]
    Wait {
        /// The launcher.
        java: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

/// How long a program may take to end when it is asked to.
const GRACE: Duration = Duration::from_secs(5);

impl Program {
    /// The arguments that the launcher gets.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut probe = OsString::from("-agentpath:");
        probe.push(&self.probe);
        probe.push("=trace=");
        probe.push(self.live());
        let agents = self.agents.iter().map(|agent| OsString::from(agent.option()));
        [probe].into_iter().chain(agents).chain(self.args.iter().cloned()).collect()
    }

    /// Where the JVM records.
    fn live(&self) -> PathBuf {
        absolute(&self.trace).with_extension("")
    }

    /// Runs it to its end. Its standard streams are this process's own, if it does not run apart.
    pub fn run(&self, stop: &Stop) -> Result<Ended, RecordError> {
        let (live, target) = (self.live(), absolute(&self.trace));
        let plan = Plan {
            launch: "recording".to_owned(),
            brief: self.described(),
            between: Some(self.between.clone()),
            ..Plan::default()
        };
        file::create_followed(&live, &plan, self.capacity)?;
        let nothing = |error| {
            // Nothing was recorded.
            let _ = (std::fs::remove_file(&live), std::fs::remove_file(&target));
            error
        };
        let follower = Follower::start(&live, &target).map_err(RecordError::from).map_err(nothing)?;
        // Without it recording only takes longer.
        let ahead = Ahead::of(&live).ok();
        let begun = Instant::now();
        let mut command = Command::new(&self.java);
        command.args(self.arguments());
        let set = self.apart.as_ref().map_or(Ok(()), |apart| apart.set(&mut command));
        let started = set.and_then(|()| command.spawn());
        let started = started.map_err(|error| RecordError::Start { java: self.java.clone(), error });
        let child = started.map_err(nothing)?;
        let over = AtomicBool::new(false);
        let (ended, (mut follower, mut trouble)) = std::thread::scope(|scope| {
            let following = scope.spawn(|| follow(follower, &over));
            let ended = wait(child, self.limit, stop);
            over.store(true, Ordering::Release);
            (ended, following.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let wall = begun.elapsed();
        drop(ahead);
        follower.admit_last();
        if let Ok(status) = ended {
            note(&live, status, wall);
        }
        if let Err(error) = follower.finish() {
            trouble = Some(error);
        }
        let lost = |error| RecordError::Wait { java: self.java.clone(), error };
        Ok(Ended { status: ended.map_err(lost)?, wall, trouble })
    }

    /// What was recorded, for whoever reads the trace.
    fn described(&self) -> String {
        let agents = self.agents.iter().map(Library::option).collect();
        let program = self.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let described = Described { java: self.java.clone(), agents, program };
        serde_json::to_string(&described).unwrap_or_default()
    }
}

/// What a recording is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    /// The launcher, `bin/java`.
    pub java: PathBuf,
    /// The options by which the agents were loaded.
    pub agents: Vec<String>,
    /// What the launcher was given after them: options, class path, main class, arguments.
    pub program: Vec<String>,
}

impl Described {
    /// As the plan of a recording tells it; `None`: it is none of `agent record`.
    pub fn of(plan: &Plan) -> Option<Described> {
        plan.between.as_ref().and_then(|_| serde_json::from_str(&plan.brief).ok())
    }
}

/// Moves the trace along until the process has ended. While it can't, as on a full disk, records are lost from when the
/// room is full; gives the last reason of that.
fn follow(mut follower: Follower, over: &AtomicBool) -> (Follower, Option<TraceError>) {
    let mut pause = PAUSE.0;
    let mut trouble = None;
    while !over.load(Ordering::Acquire) {
        pause = match follower.step() {
            Ok(true) => PAUSE.0,
            Ok(false) => (pause * 2).min(PAUSE.1),
            Err(error) => {
                trouble = Some(error);
                PAUSE.1
            }
        };
        std::thread::sleep(pause);
    }
    (follower, trouble)
}

/// How long the trace is left alone after something has been moved, and at the most.
const PAUSE: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(20));

/// Adds to the trace how the process ended.
fn note(trace: &Path, status: Status, wall: Duration) {
    let (stdout, stderr) = (String::new(), String::new());
    let process = Process { exit: status.into(), stdout, stderr, attached: Vec::new() };
    // A trace that the JVM has damaged is read as far as it goes, without this.
    if let Ok(recorder) = Recorder::map(trace) {
        recorder.record(0, u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX), &Body::Ended(process));
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Waits for the program; ends it when its time is up, or when the user wants that.
fn wait(mut child: Child, limit: Option<Duration>, stop: &Stop) -> std::io::Result<Status> {
    let begun = Instant::now();
    let mut asked: Option<(Instant, Status)> = None;
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(asked.map_or_else(|| of_exit(status), |(_, why)| why));
        }
        let over = limit.is_some_and(|limit| begun.elapsed() >= limit);
        match &asked {
            None if over || stop.asked() => {
                terminate(&child);
                asked = Some((Instant::now(), if over { Status::TimedOut } else { Status::Cancelled }));
            }
            Some((since, _)) if since.elapsed() >= GRACE => child.kill()?,
            _ => {}
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Asks the program to end, so that its agents are told.
fn terminate(child: &Child) {
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        // It may have ended by now, which is what is wanted.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

pub(super) fn of_exit(status: ExitStatus) -> Status {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => Status::Exited(code),
        (None, signal) => Status::Signalled(signal.unwrap_or_default()),
    }
}
