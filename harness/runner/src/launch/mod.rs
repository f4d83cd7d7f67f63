//! Starts a JVM with the probe, watches over it, and ends it together with everything that it started.
//!
//! [`process`] is the launcher of all commands; [`run`] configures it for a JVM under test.

mod archive;
pub mod attach;
mod capture;
pub mod embedded_probe;
mod group;
pub mod options;
pub mod probe;
pub mod process;
mod progress;
mod scratch;
mod stop;
mod visit;
mod watch;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jvmti_wire::Plan;
use thiserror::Error;

use crate::jvm::Jdk;
use crate::jvm::family::Family;
use crate::os::names::BETWEEN_ENTRIES;
pub use crate::os::usage;

pub use capture::Captured;
pub use progress::Silence;
pub use scratch::Scratch;
pub use stop::Stop;
pub use watch::{note_end, run, run_watched};

/// One JVM to be started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The launcher, `bin/java`.
    pub java: PathBuf,
    /// The JVM's family.
    pub family: Family,
    /// Options for the JVM beyond those of [`options`], the user's last.
    pub vm_options: Vec<String>,
    /// Class path entries.
    pub class_path: Vec<PathBuf>,
    /// Main class, or what takes its place (`-version`).
    pub main_class: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// What the probe does and where it records; `None`: a bare JVM.
    pub recording: Option<Recording>,
    /// When to give the JVM up.
    pub timeouts: Timeouts,
    /// Environment variables to set. Others by which a JVM takes options are removed.
    pub env: Vec<(OsString, OsString)>,
    /// The working folder of the JVM, where the files that it may leave go: crash reports, temporary files.
    pub scratch: PathBuf,
    /// The launcher with the probe linked into it, if the JVM's own `bin/java` is not used.
    pub embedded: Option<Embedding>,
    /// What the harness does to the JVM from outside, in this order, each when the program requests it by [`MARK`].
    pub acts: Vec<Act>,
}

/// A launcher that has the probe linked into it: this program itself.
#[derive(Clone, Debug)]
pub struct Embedding {
    /// The executable, `jvmti-check`.
    pub executable: PathBuf,
    /// The JVM's library.
    pub vm: PathBuf,
    /// The dynamic loader to start it with, where the JVM needs another one than the executable.
    pub loader: Option<PathBuf>,
}

/// The line on standard output by which a program requests the next [`Act`]. It goes on after it has read a line.
pub const MARK: &str = "jvmticheck: waiting";

/// Something done to a running JVM from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Makes it load an agent.
    Attach {
        /// The library, as the JVM is given it.
        library: String,
        /// The options.
        options: String,
        /// Whether this is done without a request, as soon as the JVM listens, if it does so before the next request.
        early: bool,
    },
    /// Sends it SIGTERM.
    Terminate,
}

/// The probe in a JVM.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The agent library, by absolute path.
    pub probe: PathBuf,
    /// The trace file; made by [`run`], must not exist yet.
    pub trace: PathBuf,
    /// What the probe does.
    pub plan: Plan,
    /// Trace buffer size, in bytes.
    pub capacity: u64,
    /// How the probe gets in.
    pub loading: Loading,
}

/// How the probe gets into a JVM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loading {
    /// By an option that is added to the launch.
    #[default]
    Added,
    /// By an option or an act of the launch itself. An environment variable names the trace.
    Asked,
}

/// How long a JVM may take, by its own time: while it would go on but gets no processor, its time stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// After so long without a new record a JVM is taken to hang. Without a recording only `total` counts.
    pub idle: Duration,
    /// The longest time that it may run in all.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts { idle: Duration::from_secs(20), total: Duration::from_secs(300) }
    }
}

/// How a JVM ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal, which the harness did not send.
    Signalled(i32),
    /// It was ended because it recorded nothing new for too long, or ran for too long in all.
    TimedOut,
    /// It was ended because the machine hardly let it run, for many times as long as it might have taken.
    Starved,
    /// It was ended because [`Stop`] was asked for.
    Cancelled,
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Status::Exited(code) => write!(f, "exit code {code}"),
            Status::Signalled(signal) => write!(f, "ended by signal {signal}"),
            Status::TimedOut => f.write_str("ended because its time was up"),
            Status::Starved => f.write_str("ended because the machine left it hardly any processor time"),
            Status::Cancelled => f.write_str("interrupted"),
        }
    }
}

/// What came of a launch.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How it ended.
    pub status: Status,
    /// What it wrote to standard output. After a hang a thread dump is at the end.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// From the start to the end of the process.
    pub wall: Duration,
    /// The processor time that it took, as far as it is known.
    pub cpu: Option<Duration>,
    /// What it did when it was given up, if it was.
    pub silence: Option<Silence>,
    /// The JVM's own report of its crash, at most its first [`CRASH_REPORT`] bytes.
    pub crash_report: Option<String>,
    /// The JVM's answer to each [`Act::Attach`], or why there was none.
    pub attached: Vec<Result<String, String>>,
}

/// How much of a crash report is kept.
pub const CRASH_REPORT: u64 = 256 * 1024;

/// Why a JVM could not be launched.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The trace file could not be made, or not be closed.
    #[error(transparent)]
    Trace(#[from] jvmti_wire::trace::TraceError),
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
    /// An agent path ends at the first `=`.
    #[error("the probe cannot be loaded from {}: a JVM takes the `=` in it for the start of the agent's options", .0.display())]
    ProbePath(PathBuf),
}

impl Launch {
    /// A launch with nothing set but what every launch has.
    pub fn new(java: impl Into<PathBuf>, scratch: impl Into<PathBuf>) -> Launch {
        let java = java.into();
        let home = Jdk::home_of_launcher(&java);
        Launch {
            family: home.map_or_else(Family::default, |home| Family::of_home(&home)),
            java,
            vm_options: Vec::new(),
            class_path: Vec::new(),
            main_class: String::new(),
            args: Vec::new(),
            recording: None,
            timeouts: Timeouts::default(),
            env: Vec::new(),
            scratch: scratch.into(),
            embedded: None,
            acts: Vec::new(),
        }
    }

    /// The executable to start.
    pub fn program(&self) -> &Path {
        let embedded = self.embedded.as_ref();
        embedded.map_or(&self.java, |embedding| embedding.loader.as_ref().unwrap_or(&embedding.executable))
    }

    /// The class path as a JVM takes it.
    pub(crate) fn class_path_text(&self) -> OsString {
        let entries: Vec<&OsStr> = self.class_path.iter().map(|p| p.as_os_str()).collect();
        entries.join(OsStr::new(BETWEEN_ENTRIES))
    }

    /// The arguments that the launcher gets.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut args: Vec<OsString> = Vec::new();
        if let Some(embedding) = &self.embedded {
            if let Some(loader) = &embedding.loader {
                let libraries = loader.parent().unwrap_or(Path::new("/")).as_os_str();
                args.extend(["--library-path".into(), libraries.to_owned()]);
                args.push(embedding.executable.clone().into());
            }
            args.extend(["embed".into(), embedding.vm.clone().into()]);
        }
        args.extend(options::standing(self.family, &self.vm_options, &self.scratch));
        if let Some(recording) = self.recording.as_ref().filter(|r| r.loading == Loading::Added) {
            args.push(options::probe(&recording.probe, &recording.trace));
        }
        args.extend(self.vm_options.iter().map(OsString::from));
        if !self.class_path.is_empty() {
            args.extend(["-cp".into(), self.class_path_text()]);
        }
        args.push(self.main_class.clone().into());
        args.extend(self.args.iter().map(OsString::from));
        args
    }
}
