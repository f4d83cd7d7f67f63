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
