//! Records a program: starts it as its user would, with the probe before the agents.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jvmti_runner::jvm::Jdk;
use jvmti_runner::launch::process::{Child, Command, EnvironmentVariables, Streams};
use jvmti_runner::launch::{Status, Stop, note_end, options};
use jvmti_wire::Plan;
use jvmti_wire::plan::Interception;
use jvmti_wire::trace::{Ahead, Body, Follower, PACKED_ENDING, Process, Recorder, TraceError, file};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::child_jvms::{ChildJvm, ChildJvms};
use super::{Library, crash_report, misuse};

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
    /// The compressed trace; must not exist yet. While the program runs, the records that are not compressed yet are in a
    /// file beside it, under the name without the last ending.
    pub trace: PathBuf,
    /// Size in bytes of the buffer for records that are not compressed yet.
    pub capacity: u64,
    /// What the probe records.
    pub interception: Interception,
    /// The longest that it may run; `None`: as long as it likes.
    pub limit: Option<Duration>,
    /// Folder and standard streams of its own; `None`: those of this process.
    pub apart: Option<Apart>,
}

/// Where a program runs that has nothing to do with the user's terminal.
#[derive(Clone, Debug)]
pub struct Apart {
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// Where its standard output goes.
    pub stdout: PathBuf,
    /// Where its standard error goes.
    pub stderr: PathBuf,
}

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub status: Status,
    /// How long it ran.
    pub wall: Duration,
    /// Why records could not be compressed at some time. Those that are left lie beside the trace.
    pub trouble: Option<TraceError>,
    /// The JVMs that the program started.
    pub children: Vec<ChildJvm>,
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
/// How often the wish to stop is looked at.
const TICK: Duration = Duration::from_millis(20);
/// One in so many times, child JVMs are looked for: the shortest ones last some 50 ms.
const TICKS: u32 = 2;

impl Program {
    /// The arguments that the launcher gets.
    pub fn arguments(&self) -> Vec<OsString> {
        let probe = options::probe(&self.probe, &self.live());
        let agents = self.agents.iter().map(|agent| OsString::from(agent.option()));
        [probe].into_iter().chain(agents).chain(self.args.iter().cloned()).collect()
    }

    /// Where the JVM records.
    fn live(&self) -> PathBuf {
        absolute(&self.trace).with_extension("")
    }

    /// Runs it to its end.
    pub fn run(&self, stop: &Stop) -> Result<Ended, RecordError> {
        let (live, target) = (self.live(), absolute(&self.trace));
        let plan = Plan {
            launch: "recording".to_owned(),
            brief: self.described(),
            intercept: Some(Interception {
                ensured_references: Some(misuse::ENSURED_REFERENCES),
                ..self.interception.clone()
            }),
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
        let started = self.command().start();
        let started = started.map_err(|error| RecordError::Start { java: self.java.clone(), error });
        let child = started.map_err(nothing)?;
        let over = AtomicBool::new(false);
        let mut children = ChildJvms::of(child.pid());
        let (ended, (mut follower, mut trouble)) = std::thread::scope(|scope| {
            let following = scope.spawn(|| follow(follower, &over));
            let ended = wait(&child, self.limit, stop, &mut children);
            over.store(true, Ordering::Release);
            (ended, following.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let wall = child.age();
        drop(ahead);
        follower.admit_last();
        if let Ok(status) = ended {
            self.note_crash(child.pid(), status, &live, wall);
            let (stdout, stderr) = (String::new(), String::new());
            note_end(&live, Process { exit: status.into(), stdout, stderr, attached: Vec::new() }, wall);
        }
        if let Err(error) = follower.finish() {
            trouble = Some(error);
        }
        let lost = |error| RecordError::Wait { java: self.java.clone(), error };
        let children = children.finish(&live);
        Ok(Ended { status: ended.map_err(lost)?, wall, trouble, children })
    }

    /// Adds to the trace what the JVM says of its crash, if it has crashed.
    fn note_crash(&self, pid: u32, status: Status, live: &Path, wall: Duration) {
        if status == Status::Exited(0) {
            return;
        }
        let here = || std::env::current_dir().unwrap_or_default();
        let folder = self.apart.as_ref().map_or_else(here, |apart| apart.folder.clone());
        let report = crash_report::read(pid, &self.args, &folder, &self.probe);
        if let (false, Ok(recorder)) = (report.is_empty(), Recorder::map(live)) {
            let at = u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX);
            for said in report {
                recorder.record(0, at, &Body::Native(said));
            }
        }
    }

    fn command(&self) -> Command {
        let command = Command { grace: GRACE, ..Command::new(&self.java, self.arguments()) };
        match &self.apart {
            None => command,
            Some(Apart { folder, stdout, stderr }) => Command {
                folder: Some(folder.clone()),
                environment: EnvironmentVariables::Located,
                streams: Streams::Files { stdout: stdout.clone(), stderr: stderr.clone() },
                ..command
            },
        }
    }

    /// The description of the recording that the trace carries.
    fn described(&self) -> String {
        let agents = self.agents.iter().map(Library::option).collect();
        let program = self.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let described = Described { java: self.java.clone(), agents, program };
        serde_json::to_string(&described).unwrap_or_default()
    }
}

/// The program and the agents of a recording.
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
    /// Reads it from the plan of a trace; `None`: `agent record` did not write the trace.
    pub fn of(plan: &Plan) -> Option<Described> {
        plan.intercept.as_ref().and_then(|_| serde_json::from_str(&plan.brief).ok())
    }
}

/// Compresses the trace until the process has ended. While that fails, as on a full disk, records are lost once the buffer
/// is full; gives the last error.
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

/// How long to pause after something was compressed, and at most.
const PAUSE: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(20));

/// A path for the trace where no file exists: `foo-jdk-25.jvmtitrace.zst`.
pub fn free_trace_path(folder: &Path, agents: &[Library], jdk: &Jdk) -> PathBuf {
    let stem = |path: &Path| {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        stem.strip_prefix("lib").map_or(stem.clone(), str::to_owned)
    };
    let agent = match agents.first() {
        Some(Library::Path(path, _) | Library::Jar(path, _)) => stem(path),
        Some(Library::Name(name, _)) => name.clone(),
        None => "agent".to_owned(),
    };
    let home = jdk.home.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = absolute(folder);
    let named = |suffix: String| folder.join(format!("{agent}-{home}{suffix}.jvmtitrace.{PACKED_ENDING}"));
    let numbered = (2..).map(|n| named(format!("-{n}")));
    let is_free = |path: &PathBuf| !path.exists() && !path.with_extension("").exists();
    [named(String::new())].into_iter().chain(numbered).find(is_free).unwrap_or_default()
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Waits for the program; ends it when its time is up, or when the user wants that. Meanwhile looks for JVMs that it starts.
fn wait(
    child: &Child,
    limit: Option<Duration>,
    stop: &Stop,
    children: &mut ChildJvms,
) -> std::io::Result<Status> {
    let mut ticks = 0u32;
    let mut look = || {
        ticks = ticks.wrapping_add(1);
        if ticks.is_multiple_of(TICKS) {
            children.look();
        }
        false
    };
    let status = child.wait(TICK, limit, stop, &mut look)?;
    if matches!(status, Status::TimedOut | Status::Cancelled) {
        child.end();
    }
    Ok(status)
}
