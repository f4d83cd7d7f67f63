//! The life of an agent and of its JVM: how they begin and end, and what is expected of that.

use serde::{Deserialize, Serialize};

use super::Matcher;

/// How agents get into a JVM, and how it ends. In texts, `{probe}` stands for the path of the probe's library,
/// `{folder}` for the folder that it is in, and `{copy}` for the path of a copy of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// Options of the JVM, in place of the one by which the probe gets in otherwise.
    pub options: Vec<String>,
    /// Environment variables.
    pub environment: Vec<(String, String)>,
    /// Agents loaded while the program waits, before it runs its scenario.
    pub attach: Vec<Attachment>,
    /// Whether the JVM is made by a launcher that has the probe linked into it under the name `probe`.
    pub embedded: bool,
    /// How the program ends.
    pub ending: Ending,
    /// What the agent's start-up functions return, call by call.
    pub returns: Vec<i32>,
}

/// An agent loaded into a running JVM.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its library, as the JVM is given it.
    pub library: String,
    /// The options.
    pub options: String,
    /// Whether it is loaded as soon as the JVM listens, perhaps before the live phase, instead of while the program waits.
    #[serde(default)]
    pub early: bool,
}

/// How a program ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Its main method returns.
    #[default]
    Return,
    /// `System.exit` with this code.
    Exit(i32),
    /// `Runtime.halt` with this code.
    Halt(i32),
    /// By an exception that nobody catches.
    Uncaught,
    /// By SIGTERM from outside.
    Sigterm,
}

/// What must become of the agent and the process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LifeExpectation {
    /// These came, in this order, others in between allowed.
    pub in_order: Vec<Happening>,
    /// None of these came.
    pub never: Vec<Happening>,
    /// So many of these came.
    pub counts: Vec<(Happening, Matcher)>,
    /// The exit code, 128 + n after signal n.
    pub exit: Option<Matcher>,
    /// What the process wrote to standard output.
    pub stdout: Option<Matcher>,
    /// What it wrote to standard error.
    pub stderr: Option<Matcher>,
}

/// A call of a start-up or shutdown function of the agent, or an event of the VM's life.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Happening {
    /// Name of the function (`Agent_OnLoad`) or event (`VMDeath`).
    pub what: String,
    /// Condition on the options that the function was passed.
    pub options: Option<Matcher>,
    /// Condition on the file name of the library or executable that it is in.
    pub image: Option<Matcher>,
    /// What must not have come before it.
    #[serde(default)]
    pub before: Option<String>,
}
