//! The end of the JVM's process, which the harness appends to the trace.

use serde::{Deserialize, Serialize};

/// A process that has ended, as seen from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// How it ended.
    pub exit: Exit,
    /// What it wrote to standard output, or the beginning and the end of that.
    pub stdout: String,
    /// What it wrote to standard error, likewise.
    pub stderr: String,
    /// What came of each wish that an agent be loaded while it ran: the VM's answer, or why none came.
    pub attached: Vec<Result<String, String>>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// The harness ended it, since it had not ended in time.
    TimedOut,
    /// Unknown: the trace alone is at hand.
    Unknown,
}

impl Exit {
    /// Whether someone outside may have ended the process: the user, the harness, a terminal that closes, a supervisor,
    /// the OOM killer. A JVM that receives SIGHUP, SIGINT or SIGTERM shuts down in order and exits with 128 and the
    /// number of the signal.
    pub fn is_from_outside(self) -> bool {
        const SIGHUP: i32 = 1;
        const SIGINT: i32 = 2;
        const SIGKILL: i32 = 9;
        const SIGTERM: i32 = 15;
        match self {
            Exit::Unknown => true,
            Exit::Signal(signal) => matches!(signal, SIGHUP | SIGINT | SIGKILL | SIGTERM),
            Exit::Code(code) => matches!(code.saturating_sub(128), SIGHUP | SIGINT | SIGTERM),
            Exit::TimedOut => false,
        }
    }
}
