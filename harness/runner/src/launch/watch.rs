//! One JVM from its start to its end.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use jvmti_wire::plan::{PARENT_VARIABLE, TRACE_VARIABLE};
use jvmti_wire::trace::{Ahead, Body, Exit, Process, Recorder, file as trace};

use super::archive;
use super::process::{Child, Command, EnvironmentVariables, Streams};
use super::progress::{Progress, Silence};
use super::visit::Visit;
use super::{CRASH_REPORT, Ended, Launch, LaunchError, Loading, MARK, Status, Stop, Timeouts};

/// How often the wish to stop and the progress are looked at.
const TICK: Duration = Duration::from_millis(50);
/// Likewise, where the program waits for something to be done.
const VISIT: Duration = Duration::from_millis(5);
/// How many bytes of the beginning and of the end of what a JVM wrote go into the trace.
const TOLD: usize = 8 * 1024;
/// How long a JVM that hangs must be silent to be done with its thread dump, and how long it may take for that.
const DUMP: (Duration, Duration) = (Duration::from_millis(1500), Duration::from_secs(6));

/// Starts the JVM and waits for its end, of which there is one in any case: its own, by lack of progress, by lack of
/// time, or because `stop` was asked for. Nothing that it started in its process group is left running. The trace is
/// sealed.
pub fn run(launch: &Launch, stop: &Stop) -> Result<Ended, LaunchError> {
    run_watched(launch, stop, &mut |_| {})
}

/// The same. `waits` is told again and again whether the JVM only waits.
pub fn run_watched(launch: &Launch, stop: &Stop, waits: &mut dyn FnMut(bool)) -> Result<Ended, LaunchError> {
    if let Some(archived) = archive::provide(launch, stop)? {
        return run_watched(&archived, stop, waits);
    }
    if let Some(recording) = &launch.recording {
        if recording.probe.to_string_lossy().contains('=') {
            return Err(LaunchError::ProbePath(recording.probe.clone()));
        }
        trace::create(&recording.trace, &recording.plan, recording.capacity)?;
    }
    // Without it recording only takes longer.
    let ahead = launch.recording.as_ref().and_then(|recording| Ahead::of(&recording.trace).ok());
    let start_error = |error| LaunchError::Start { java: launch.java.clone(), error };
    let wait_error = |error| LaunchError::Wait { java: launch.java.clone(), error };
    let mut child = launch.command().start().map_err(start_error)?;
    let mut visit = Visit::new(launch, child.take_input());
    let (status, silence) = wait(&child, launch, stop, &mut visit, waits).map_err(wait_error)?;
    if status == Status::TimedOut {
        child.dump_threads(DUMP.0, DUMP.1);
    }
    if matches!(status, Status::TimedOut | Status::Starved | Status::Cancelled) {
        child.end();
    }
    let (wall, cpu, pid) = (child.age(), child.cpu(), child.pid());
    drop(ahead);
    let (stdout, stderr) = child.finish();
    let crash_report = crash_report(launch, pid);
    let ended = Ended { status, stdout, stderr, wall, cpu, silence, crash_report, attached: visit.attached };
    if let Some(recording) = &launch.recording {
        let process = Process {
            exit: ended.status.into(),
            stdout: ended.stdout.excerpt(TOLD),
            stderr: told(&ended),
            attached: ended.attached.clone(),
        };
        note_end(&recording.trace, process, wall);
        trace::seal(&recording.trace)?;
    }
    Ok(ended)
}

/// What it wrote to standard error, and how it was silent in the end, if it was.
fn told(ended: &Ended) -> String {
    let mut text = ended.stderr.excerpt(TOLD);
    if let Some(silence) = &ended.silence {
        text.push_str(&format!("\njvmti-check: {silence}\n"));
    }
    text
}

impl Launch {
    fn command(&self) -> Command {
        let mut env = Vec::new();
        if let Some(recording) = &self.recording {
            env.push((PARENT_VARIABLE.into(), std::process::id().to_string().into()));
            if recording.loading == Loading::Asked {
                env.push((TRACE_VARIABLE.into(), recording.trace.clone().into()));
            }
        }
        env.extend(self.env.iter().cloned());
        Command {
            // What a JVM leaves in its working folder (core files, dumps) goes with the scratch folder.
            folder: Some(self.scratch.clone()),
            environment: EnvironmentVariables::Clean,
            env,
            streams: Streams::Captured { mark: (!self.acts.is_empty()).then_some(MARK) },
            leads_group: true,
            ..Command::new(self.program(), self.arguments())
        }
    }
}

/// Adds to the trace how the process ended: for a verdict the trace has to be enough.
pub fn note_end(trace: &Path, process: Process, wall: Duration) {
    // A trace that the JVM has damaged is read as far as it goes, without this.
    if let Ok(recorder) = Recorder::map(trace) {
        recorder.record(0, u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX), &Body::Ended(process));
    }
}

impl From<Status> for Exit {
    fn from(status: Status) -> Exit {
        match status {
            Status::Exited(code) => Exit::Code(code),
            Status::Signalled(signal) => Exit::Signal(signal),
            Status::TimedOut => Exit::TimedOut,
            Status::Cancelled | Status::Starved => Exit::Unknown,
        }
    }
}

fn wait(
    child: &Child,
    launch: &Launch,
    stop: &Stop,
    visit: &mut Visit<'_>,
    waits: &mut dyn FnMut(bool),
) -> std::io::Result<(Status, Option<Silence>)> {
    let tick = if launch.acts.is_empty() { TICK } else { VISIT };
    let Timeouts { idle, total } = launch.timeouts;
    let trace = launch.recording.as_ref().map(|recording| recording.trace.as_path());
    let mut progress = Progress::new(child.pid(), idle, total);
    let status = child.wait(tick, None, stop, &mut || {
        if visit.go_on(child) {
            progress.skip();
        }
        let is_over = progress.is_over(trace.and_then(|trace| trace::tail(trace).ok()), trace.is_some());
        waits(progress.waits());
        is_over
    })?;
    Ok(match status {
        Status::TimedOut => (progress.status(), Some(progress.silence())),
        other => (other, None),
    })
}

fn crash_report(launch: &Launch, pid: u32) -> Option<String> {
    let (path, others) = launch.family.crash_report(&launch.scratch, pid);
    let mut bytes = Vec::new();
    File::open(&path).ok()?.take(CRASH_REPORT).read_to_end(&mut bytes).ok()?;
    // All of them go with the scratch folder at the latest.
    for left in others.iter().chain([&path]) {
        let _ = std::fs::remove_file(left);
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
