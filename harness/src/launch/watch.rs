//! One JVM from its start to its end.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Once;
use std::time::{Duration, Instant};

use duct::{Handle, cmd};
use jvmti_wire::trace::file as trace;

use super::capture::Drain;
use super::group::Group;
use super::{CRASH_REPORT, Ended, Launch, LaunchError, Patience, Recording, Status, Stop, options};

/// How often the wish to stop and the progress are looked at. The end of the process is noticed at once.
const TICK: Duration = Duration::from_millis(50);
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
    let start_error = |error| LaunchError::Start { java: launch.java.clone(), error };
    let wait_error = |error| LaunchError::Wait { java: launch.java.clone(), error };
    let (stdout, out) = Drain::start().map_err(start_error)?;
    let (stderr, err) = Drain::start().map_err(start_error)?;

    let begun = Instant::now();
    let handle = {
        // The command holds the writing ends of the pipes; they must be closed here for the readers to see the end.
        let mut command =
            cmd(&launch.java, launch.arguments()).unchecked().stdin_null().stdout_file(out).stderr_file(err);
        for variable in options::REMOVED_VARIABLES {
            command = command.env_remove(variable);
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

    let outcome = wait(&handle, launch, stop).map_err(wait_error)?;
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
    drop(group);
    if let Some(recording) = &launch.recording {
        trace::seal(&recording.trace)?;
    }
    Ok(Ended {
        status,
        stdout: stdout.finish(LAST_OUTPUT),
        stderr: stderr.finish(LAST_OUTPUT),
        wall,
        crash_report: crash_report(&launch.scratch, pid),
    })
}

enum Outcome {
    Ended(ExitStatus),
    Hung,
    Stopped,
}

fn wait(handle: &Handle, launch: &Launch, stop: &Stop) -> std::io::Result<Outcome> {
    let Patience { idle, total } = launch.patience;
    let begun = Instant::now();
    let mut progress = launch.recording.as_ref().map(|recording| Progress::new(recording, idle));
    loop {
        if let Some(output) = handle.wait_timeout(TICK)? {
            return Ok(Outcome::Ended(output.status));
        }
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
fn no_core_dumps() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let maximum = getrlimit(Resource::Core).maximum;
        // If this is refused there are core files where the system writes them: a nuisance, not an error.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
    });
}
