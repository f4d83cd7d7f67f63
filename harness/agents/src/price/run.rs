//! Runs the program once and measures it.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use jvmti_runner::launch::process::{Command, EnvironmentVariables, Streams};
use jvmti_runner::launch::{Scratch, Status, Stop, options};
use jvmti_wire::Plan;
use jvmti_wire::plan::PARENT_VARIABLE;
use jvmti_wire::trace::{Body, Reader, TraceFile, file};

use super::{Job, PriceError};
use crate::os;

/// The size of the trace buffer in bytes: the probe writes few records in `OnLoad`.
const CAPACITY: u64 = 1 << 20;
/// The interval at which a run checks whether the user wants to stop. It notices the end of the process at once.
const TICK: Duration = Duration::from_millis(100);
/// The number of lines that are shown of a failed program's output.
const LINES: usize = 8;

/// The times of one run, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub cpu: f64,
    pub wall: f64,
}

/// A run without any capability.
pub(super) struct Without {
    pub measured: Measured,
    /// What the JVM calls itself.
    pub jvm: String,
    /// The capabilities that it offers.
    pub offered: Vec<String>,
}

/// Runs a program with the probe in it.
pub(super) struct Runner<'j> {
    job: &'j Job,
    stop: &'j Stop,
    scratch: Scratch,
}

/// A complete run.
struct Ran {
    status: Status,
    measured: Measured,
    /// What the probe recorded about the JVM, by key.
    told: Vec<(String, String)>,
}

impl Ran {
    fn told(&self, key: &str) -> Option<&str> {
        self.told.iter().find(|(told, _)| told == key).map(|(_, value)| value.as_str())
    }
}

impl<'j> Runner<'j> {
    pub(super) fn new(job: &'j Job, stop: &'j Stop) -> Result<Runner<'j>, PriceError> {
        let scratch = Scratch::new().map_err(|error| start_error(job, error))?;
        Ok(Runner { job, stop, scratch })
    }

    /// Runs the program without any capability; `None`: the user interrupted it.
    pub(super) fn without(&self) -> Result<Option<Without>, PriceError> {
        let Some(ran) = self.run(&[])? else { return Ok(None) };
        if ran.status != Status::Exited(self.job.exit) {
            let (wanted, ended) = (self.job.exit, ran.status);
            return Err(PriceError::Program { wanted, ended, said: self.said() });
        }
        let Some(offered) = ran.told("capabilities.onload") else {
            return Err(PriceError::Silent { java: self.job.java.clone(), said: self.said() });
        };
        let jvm = ["java.vm.name", "java.vm.version"].map(|key| ran.told(key).unwrap_or_default());
        Ok(Some(Without {
            measured: ran.measured,
            jvm: jvm.join(" ").trim().to_owned(),
            offered: offered.split_whitespace().map(str::to_owned).collect(),
        }))
    }

    /// Runs the program with that capability; `None`: the user interrupted it.
    pub(super) fn with(&self, bit: u16, name: &str) -> Result<Option<Result<Measured, String>>, PriceError> {
        let Some(ran) = self.run(&[bit])? else { return Ok(None) };
        let held = ran.told("capabilities.held").unwrap_or_default();
        Ok(Some(if ran.status != Status::Exited(self.job.exit) {
            Err(format!("{}, where the others have exit code {}{}", ran.status, self.job.exit, self.said()))
        } else if held != name {
            let held = if held.is_empty() { "none" } else { held };
            Err(format!("it was not granted alone, the environment had: {held}"))
        } else {
            Ok(ran.measured)
        }))
    }

    fn run(&self, capabilities: &[u16]) -> Result<Option<Ran>, PriceError> {
        if self.stop.asked() {
            return Ok(None);
        }
        let job = self.job;
        let failed = |error| start_error(job, error);
        let trace = self.scratch.path().join("run.jvmtitrace");
        let plan = Plan {
            launch: "price".to_owned(),
            capability_holder: Some(capabilities.to_vec()),
            ..Plan::default()
        };
        file::create(&trace, &plan, CAPACITY)?;
        let probe = options::probe(&job.probe, &trace);
        // Only one program runs at a time.
        let (before, begun) = (os::childrens_time(), Instant::now());
        let status =
            self.to_its_end([probe].into_iter().chain(job.args.iter().cloned()).collect()).map_err(failed)?;
        let measured = Measured { cpu: os::childrens_time() - before, wall: nanoseconds(begun.elapsed()) };
        let told = TraceFile::open(&trace).and_then(|file| file.reader().map(|reader| identity(&reader)))?;
        let _ = std::fs::remove_file(&trace);
        // If the user interrupts a run, that may be why it ended.
        let counts = status != Status::Cancelled && !self.stop.asked();
        Ok(counts.then_some(Ran { status, measured, told }))
    }

    /// Starts the launcher and waits for its end. Kills it and its children at the timeout, or when the user interrupts.
    fn to_its_end(&self, args: Vec<OsString>) -> io::Result<Status> {
        let command = Command {
            environment: EnvironmentVariables::Located,
            env: vec![(PARENT_VARIABLE.into(), std::process::id().to_string().into())],
            streams: Streams::Files { stdout: self.output("stdout"), stderr: self.output("stderr") },
            leads_group: true,
            ..Command::new(&self.job.java, args)
        };
        let child = command.start()?;
        let status = child.wait(TICK, self.job.limit, self.stop, &mut || false)?;
        if matches!(status, Status::TimedOut | Status::Cancelled) {
            child.end();
        }
        Ok(status)
    }

    fn output(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// The last lines of the program's output.
    fn said(&self) -> String {
        let mut lines = Vec::new();
        for name in ["stdout", "stderr"] {
            let text = std::fs::read(self.output(name)).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).into_owned();
            let all: Vec<&str> = text.lines().collect();
            lines.extend(all[all.len().saturating_sub(LINES)..].iter().map(|line| format!("\n    {line}")));
        }
        lines.concat()
    }
}

fn start_error(job: &Job, error: io::Error) -> PriceError {
    PriceError::Start { java: job.java.clone(), error }
}

fn identity(reader: &Reader<'_>) -> Vec<(String, String)> {
    let told = |body| match body {
        Body::Identity { key, value } => Some((key, value)),
        _ => None,
    };
    reader.records().filter_map(|record| told(record.body)).collect()
}

fn nanoseconds(time: Duration) -> f64 {
    time.as_nanos() as f64
}
