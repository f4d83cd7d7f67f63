//! A process from its start to its end: the one place where the harness starts programs.
//!
//! [`Command`] says what to start and what its streams, environment and process group are; [`Child`] is waited for,
//! ended, and gives what it wrote.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeWriter};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use duct::{Expression, Handle, cmd};

use super::capture::{Captured, Drain};
use super::options::{REMOVED_VARIABLES, SET_VARIABLES};
use super::{Status, Stop, group, usage};
use crate::os::process::{self as os_process, End, Group};

/// How long output is waited for after the process has ended.
const LAST_OUTPUT: Duration = Duration::from_secs(2);

/// A process to be started.
#[derive(Clone, Debug)]
pub struct Command {
    /// The path of the executable; it is not looked up in `PATH`.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The working folder; `None`: that of this process.
    pub folder: Option<PathBuf>,
    /// What it inherits of this process's environment.
    pub environment: EnvironmentVariables,
    /// Variables to set.
    pub env: Vec<(OsString, OsString)>,
    /// Its standard streams.
    pub streams: Streams,
    /// Whether it leads a process group of its own. What it starts is ended with it then, but Ctrl-C in the terminal
    /// does not reach it.
    pub leads_group: bool,
    /// How long it may take to end after SIGTERM.
    pub grace: Duration,
}

/// The environment of a process. One that is not inherited as it is leaves no core file either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvironmentVariables {
    /// The environment of this process as it is.
    Inherited,
    /// With the variables that every JVM is given: [`SET_VARIABLES`].
    Located,
    /// Likewise, and without those by which a JVM takes options from outside: [`REMOVED_VARIABLES`].
    Clean,
}

/// The standard streams of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Streams {
    /// Those of this process.
    Inherited,
    /// No input; the output goes to files.
    Files {
        /// For standard output.
        stdout: PathBuf,
        /// For standard error.
        stderr: PathBuf,
    },
    /// The output is kept in part, see [`Captured`].
    Captured {
        /// The text that is counted in the standard output as it comes, see [`Child::marks`]. With it the process has an
        /// input, too: [`Child::take_input`].
        mark: Option<&'static str>,
    },
}

/// A process that was started. When dropped, what is left of its group is killed.
#[derive(Debug)]
pub struct Child {
    handle: Handle,
    group: Group,
    grace: Duration,
    begun: Instant,
    input: Option<PipeWriter>,
    output: Option<(Drain, Drain)>,
    /// Tells that it has ended before it is waited for, when its processor time is still known.
    end: Option<End>,
    cpu: OnceLock<Duration>,
}

impl Command {
    /// A process that inherits everything from this one.
    pub fn new(program: impl Into<PathBuf>, args: Vec<OsString>) -> Command {
        Command {
            program: program.into(),
            args,
            folder: None,
            environment: EnvironmentVariables::Inherited,
            env: Vec::new(),
            streams: Streams::Inherited,
            leads_group: false,
            grace: Duration::from_millis(500),
        }
    }

    /// Starts it.
    pub fn start(self) -> io::Result<Child> {
        if self.environment != EnvironmentVariables::Inherited {
            os_process::leave_no_dumps();
        }
        let mut expression = cmd(&self.program, &self.args).unchecked();
        if let Some(folder) = &self.folder {
            expression = expression.dir(folder);
        }
        expression = self.with_environment(expression);
        let (mut input, mut output) = (None, None);
        expression = match &self.streams {
            Streams::Inherited => expression,
            Streams::Files { stdout, stderr } => {
                let (stdout, stderr) = (File::create(stdout)?, File::create(stderr)?);
                expression.stdin_null().stdout_file(stdout).stderr_file(stderr)
            }
            Streams::Captured { mark } => {
                let (stdout, out) = Drain::start(*mark)?;
                let (stderr, err) = Drain::start(None)?;
                output = Some((stdout, stderr));
                expression = expression.stdout_file(out).stderr_file(err);
                if mark.is_some() {
                    let (reader, writer) = io::pipe()?;
                    input = Some(writer);
                    expression.stdin_file(reader)
                } else {
                    expression.stdin_null()
                }
            }
        };
        if self.leads_group {
            expression = expression.before_spawn(|command| {
                os_process::lead_group(command);
                Ok(())
            });
        }
        let begun = Instant::now();
        // The expression holds the writing ends of the pipes; dropping it lets the readers see the end.
        let handle = expression.start()?;
        drop(expression);
        let pid = handle.pids().first().copied().unwrap_or_default();
        let group = if self.leads_group { Group::led_by(pid) } else { Group::only(pid) };
        let end = End::of(pid);
        Ok(Child { handle, group, grace: self.grace, begun, input, output, end, cpu: OnceLock::new() })
    }

    fn with_environment(&self, mut expression: Expression) -> Expression {
        // Of several settings of one variable the first would hold.
        let is_set = |variable: &str| self.env.iter().any(|(name, _)| name == variable);
        if self.environment == EnvironmentVariables::Clean {
            for variable in REMOVED_VARIABLES.into_iter().filter(|variable| !is_set(variable)) {
                expression = expression.env_remove(variable);
            }
        }
        if self.environment != EnvironmentVariables::Inherited {
            for (name, value) in SET_VARIABLES.into_iter().filter(|(name, _)| !is_set(name)) {
                expression = expression.env(name, value);
            }
        }
        self.env.iter().fold(expression, |expression, (name, value)| expression.env(name, value))
    }
}

impl Child {
    /// Its id.
    pub fn pid(&self) -> u32 {
        self.handle.pids().first().copied().unwrap_or_default()
    }

    /// How long ago it was started.
    pub fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Waits until it has ended, has run for longer than `limit`, hangs, or `stop` was asked for; the latter three do not
    /// end it. The end of the process is noticed at once; `hangs` and `stop` are asked every `tick`.
    pub fn wait(
        &self,
        tick: Duration,
        limit: Option<Duration>,
        stop: &Stop,
        hangs: &mut dyn FnMut() -> bool,
    ) -> io::Result<Status> {
        loop {
            if let Some(status) = self.ended_within(tick)? {
                return Ok(status);
            }
            let hangs = hangs();
            if stop.asked() {
                return Ok(Status::Cancelled);
            }
            if hangs || limit.is_some_and(|limit| self.age() >= limit) {
                return Ok(Status::TimedOut);
            }
        }
    }

    /// How it ended, as soon as it has, or `None` after that time.
    fn ended_within(&self, time: Duration) -> io::Result<Option<Status>> {
        let mut left = time;
        if let Some(end) = &self.end {
            let has_ended = end.comes_within(time);
            if has_ended == Some(false) {
                return Ok(None);
            }
            if has_ended.is_some() {
                if let Some(cpu) = usage::of_process(self.pid()) {
                    let _ = self.cpu.set(cpu);
                }
                left = Duration::from_secs(1);
            }
        }
        Ok(self.handle.wait_timeout(left)?.map(|output| os_process::status(output.status)))
    }

    /// The processor time that it took, if it has ended and that is known.
    pub fn cpu(&self) -> Option<Duration> {
        self.cpu.get().copied()
    }

    /// Ends it, and its group: by SIGTERM, and after the grace by SIGKILL.
    pub fn end(&self) {
        let has_ended = |timeout| matches!(self.ended_within(timeout), Ok(Some(_)) | Err(_));
        group::end(&self.group, self.grace, has_ended);
    }

    /// Has a JVM write its threads to its standard output, and waits until it has: until nothing has come for `quiet`, at
    /// most for `timeout`.
    pub fn dump_threads(&self, quiet: Duration, timeout: Duration) {
        self.group.ask_for_threads();
        if let Some((stdout, _)) = &self.output {
            stdout.settle(quiet, timeout);
        }
    }

    /// The writing end of its standard input, if it has one.
    pub fn take_input(&mut self) -> Option<PipeWriter> {
        self.input.take()
    }

    /// How many marks it has written to its standard output.
    pub fn marks(&self) -> usize {
        self.output.as_ref().map_or(0, |(stdout, _)| stdout.marks())
    }

    /// What it wrote, to standard output and to standard error, if that is captured. Kills what is left of its group.
    pub fn finish(self) -> (Captured, Captured) {
        let Child { group, output, .. } = self;
        drop(group);
        let output = output.map(|(stdout, stderr)| (stdout.finish(LAST_OUTPUT), stderr.finish(LAST_OUTPUT)));
        output.unwrap_or_default()
    }
}
