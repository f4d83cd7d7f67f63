//! One JVM from its start to its end.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Once;
use std::time::{Duration, Instant};

use duct::{Handle, cmd};
use jvmti_wire::plan::{PARENT_VARIABLE, TRACE_VARIABLE};
use jvmti_wire::trace::{Ahead, Body, Exit, Process, Recorder, file as trace};

use super::capture::Drain;
use super::group::Group;
use super::visit::Visit;
use super::{CRASH_REPORT, Ended, Launch, LaunchError, Loading, Patience, Recording, Status, Stop, options};

/// How often the wish to stop and the progress are looked at. The end of the process is noticed at once.
const TICK: Duration = Duration::from_millis(50);
/// Likewise, where the program waits for something to be done.
const VISIT: Duration = Duration::from_millis(5);
/// How many bytes of the beginning and of the end of what a JVM wrote go into the trace.
const TOLD: usize = 8 * 1024;
/// How long a JVM that hangs is given to write its thread dump, and how long it must be silent to be done with it.
const DUMP: (Duration, Duration) = (Duration::from_millis(1500), Duration::from_secs(6));
/// How long output is waited for after the process has ended.
const LAST_OUTPUT: Duration = Duration::from_secs(2);

/// Starts the JVM and waits for its end, of which there is one in any case: its own, by lack of progress, by lack of
/// time, or because `stop` was asked for. Nothing that it started in its process group is left running. The trace is
/// sealed.
pub fn run(launch: &Launch, stop: &Stop) -> Result<Ended, LaunchError> {
    no_core_dumps();
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
    let (stdout, out) = Drain::start().map_err(start_error)?;
    let (stderr, err) = Drain::start().map_err(start_error)?;

    let begun = Instant::now();
    let (input, stdin) = match launch.acts.is_empty() {
        true => (None, None),
        false => std::io::pipe().map(|(reader, writer)| (Some(reader), Some(writer))).map_err(start_error)?,
    };
    let handle = {
        // The command holds the writing ends of the pipes; they must be closed here for the readers to see the end.
        let command = cmd(launch.program(), launch.arguments()).unchecked().stdout_file(out).stderr_file(err);
        let mut command = match input {
            Some(input) => command.stdin_file(input),
            None => command.stdin_null(),
        };
        let is_set = |variable: &&str| launch.env.iter().any(|(name, _)| name == variable);
        for variable in options::REMOVED_VARIABLES.into_iter().filter(|variable| !is_set(variable)) {
            command = command.env_remove(variable);
        }
        if let Some(recording) = &launch.recording {
            command = command.env(PARENT_VARIABLE, std::process::id().to_string());
            command = match recording.loading {
                Loading::Added => command.env_remove(TRACE_VARIABLE),
                Loading::Asked => command.env(TRACE_VARIABLE, &recording.trace),
            };
        }
        for (name, value) in options::SET_VARIABLES {
            command = command.env(name, value);
        }
        for (name, value) in &launch.env {
            command = command.env(name, value);
        }
        let lead_a_group = |command: &mut std::process::Command| {
            command.process_group(0);
            Ok(())
        };
        command.before_spawn(lead_a_group).start().map_err(start_error)?
    };
    let pid = handle.pids().first().copied().unwrap_or_default();
    let group = Group::led_by(pid);

    let mut visit = Visit::new(pid, &launch.acts, stdin);
    let outcome = wait(&handle, launch, stop, || visit.go_on(&stdout)).map_err(wait_error)?;
    let status = match outcome {
        Outcome::Ended(status) => of_exit(status),
        Outcome::Hung => {
            group.ask_for_threads();
            stdout.settle(DUMP.0, DUMP.1);
            Status::TimedOut
        }
        Outcome::Stopped => Status::Cancelled,
    };
    if !matches!(outcome, Outcome::Ended(_)) {
        group.end(|patience| matches!(handle.wait_timeout(patience), Ok(Some(_)) | Err(_)));
    }
    let wall = begun.elapsed();
    drop((group, ahead));
    let ended = Ended {
        status,
        stdout: stdout.finish(LAST_OUTPUT),
        stderr: stderr.finish(LAST_OUTPUT),
        wall,
        crash_report: crash_report(&launch.scratch, pid),
        attached: visit.attached,
    };
    if let Some(recording) = &launch.recording {
        note(&recording.trace, &ended);
        trace::seal(&recording.trace)?;
    }
    Ok(ended)
}

/// Adds to the trace how the process ended: for a verdict the trace has to be enough.
fn note(trace: &Path, ended: &Ended) {
    let process = Process {
        exit: ended.status.into(),
        stdout: ended.stdout.excerpt(TOLD),
        stderr: ended.stderr.excerpt(TOLD),
        attached: ended.attached.clone(),
    };
    // A trace that the JVM has damaged is read as far as it goes, without this.
    if let Ok(recorder) = Recorder::map(trace) {
        recorder.record(0, u64::try_from(ended.wall.as_nanos()).unwrap_or(u64::MAX), &Body::Ended(process));
    }
}

impl From<Status> for Exit {
    fn from(status: Status) -> Exit {
        match status {
            Status::Exited(code) => Exit::Code(code),
            Status::Signalled(signal) => Exit::Signal(signal),
            Status::TimedOut => Exit::TimedOut,
            Status::Cancelled => Exit::Unknown,
        }
    }
}

enum Outcome {
    Ended(ExitStatus),
    Hung,
    Stopped,
}

fn wait(handle: &Handle, launch: &Launch, stop: &Stop, mut visit: impl FnMut()) -> std::io::Result<Outcome> {
    let tick = if launch.acts.is_empty() { TICK } else { VISIT };
    let Patience { idle, total } = launch.patience;
    let begun = Instant::now();
    let mut progress = launch.recording.as_ref().map(|recording| Progress::new(recording, idle));
    loop {
        if let Some(output) = handle.wait_timeout(tick)? {
            return Ok(Outcome::Ended(output.status));
        }
        visit();
        if stop.asked() {
            return Ok(Outcome::Stopped);
        }
        if begun.elapsed() >= total || progress.as_mut().is_some_and(Progress::is_over) {
            return Ok(Outcome::Hung);
        }
    }
}

/// Whether a JVM still records.
struct Progress<'a> {
    trace: &'a Path,
    idle: Duration,
    seen: Option<u64>,
    since: Instant,
}

impl<'a> Progress<'a> {
    fn new(recording: &'a Recording, idle: Duration) -> Progress<'a> {
        Progress { trace: &recording.trace, idle, seen: None, since: Instant::now() }
    }

    fn is_over(&mut self) -> bool {
        let now = trace::tail(self.trace).ok();
        if now != self.seen {
            (self.seen, self.since) = (now, Instant::now());
        }
        self.since.elapsed() >= self.idle
    }
}

fn of_exit(status: ExitStatus) -> Status {
    match (status.code(), status.signal()) {
        (Some(code), _) => Status::Exited(code),
        (None, signal) => Status::Signalled(signal.unwrap_or_default()),
    }
}

fn crash_report(scratch: &Path, pid: u32) -> Option<String> {
    let path = scratch.join(format!("hs_err_{pid}.log"));
    let mut bytes = Vec::new();
    File::open(&path).ok()?.take(CRASH_REPORT).read_to_end(&mut bytes).ok()?;
    // Both go with the scratch folder at the latest.
    let _ = std::fs::remove_file(&path);
    let _ = std::fs::remove_file(scratch.join(format!("replay_{pid}.log")));
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A JVM's core is gigabytes that nobody asked for; the limit is inherited.
pub fn no_core_dumps() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let maximum = getrlimit(Resource::Core).maximum;
        // If this is refused there are core files where the system writes them: a nuisance, not an error.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
    });
}
