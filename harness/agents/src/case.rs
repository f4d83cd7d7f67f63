//! Agent cases: an agent, a program, and how the agent has to behave.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jvmti_cases::Diagnostics;
use jvmti_cases::source::SourceFile;
use jvmti_spec::{Edition, Release};
use schemars::JsonSchema;
use serde::Deserialize;
use thiserror::Error;

use crate::case_reading;
use crate::misuse::Severity;

/// An agent case, as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentCase {
    /// What it is about, in a line.
    #[serde(default)]
    pub about: String,
    /// The agents, as `--agent` takes them; paths are relative to the case file.
    pub agents: Vec<String>,
    /// The arguments of the launcher: options, class path, main class, program arguments. The program runs in a temporary
    /// folder with links to the files next to the case file.
    pub program: Vec<String>,
    /// The first and the last release that it is for: `11..`, `8..17`, `21`.
    #[serde(default)]
    pub releases: Option<String>,
    /// Seconds that the program may take.
    #[serde(default = "default_timeout")]
    pub timeout: u64,
    /// What has to come of it.
    #[serde(default)]
    pub expect: Expect,
}

fn default_timeout() -> u64 {
    60
}

/// What has to come of a case.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The program's exit code.
    #[serde(default)]
    pub exit: i32,
    /// Patterns that standard output has to match.
    #[serde(default)]
    pub stdout: Vec<String>,
    /// Patterns that standard error has to match.
    #[serde(default)]
    pub stderr: Vec<String>,
    /// Functions that have to be called, or must not be.
    #[serde(default)]
    pub calls: Happenings,
    /// Events that have to come, or must not.
    #[serde(default)]
    pub events: Happenings,
    /// Errors that functions may return; any other fails the case. Left out: all may.
    #[serde(default)]
    pub errors: Option<BTreeMap<String, Vec<String>>>,
    /// Breaking a rule of this severity or worse fails the case. Left out: an error does.
    #[serde(default)]
    pub misuse: Option<String>,
    /// What the agent may cost.
    #[serde(default)]
    pub budget: Budget,
}

/// Calls or callbacks.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Happenings {
    /// These come in this order; others may come in between.
    #[serde(default)]
    pub in_order: Vec<String>,
    /// These do not come.
    #[serde(default)]
    pub never: Vec<String>,
    /// How often they come: `3`, `1..`, `..10`, `2..5`.
    #[serde(default)]
    pub count: BTreeMap<String, String>,
}

/// What an agent may cost.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Calls in all.
    #[serde(default)]
    pub calls: Option<u64>,
    /// Milliseconds in callbacks and in calls outside of them, all threads together.
    #[serde(default)]
    pub milliseconds: Option<f64>,
    /// Part of the run, from 0 to 1.
    #[serde(default)]
    pub share: Option<f64>,
}

/// A case file that cannot be used.
#[derive(Debug, Error)]
pub enum CaseError {
    /// It cannot be read.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It is not what a case is.
    #[error(transparent)]
    Faulty(#[from] Diagnostics),
}

/// A case with the place that it is written at.
#[derive(Clone, Debug)]
pub struct AgentCaseFile {
    /// Its id: the file's name without ending.
    pub id: String,
    /// The file.
    pub path: PathBuf,
    /// The case.
    pub case: AgentCase,
}

/// The least and the greatest of some numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds(pub u64, pub u64);

impl Bounds {
    /// Reads `3`, `1..`, `..10`, `2..5`.
    pub fn parse(text: &str) -> Option<Bounds> {
        let end = |text: &str, open: u64| {
            if text.is_empty() { Some(open) } else { text.parse().ok() }
        };
        let span = match text.trim().split_once("..") {
            Some((first, last)) => Bounds(end(first.trim(), 0)?, end(last.trim(), u64::MAX)?),
            None => text.trim().parse().map(|n| Bounds(n, n)).ok()?,
        };
        (span.0 <= span.1).then_some(span)
    }

    /// Whether the number is within.
    pub fn has(self, number: u64) -> bool {
        (self.0..=self.1).contains(&number)
    }
}

impl AgentCaseFile {
    /// Reads a case file and checks all names in it.
    pub fn read(path: &Path, newest: &Edition) -> Result<AgentCaseFile, CaseError> {
        let unreadable = |error| CaseError::Unreadable { path: path.to_owned(), error };
        let path = path.canonicalize().map_err(unreadable)?;
        if path.is_dir() {
            return Err(unreadable(std::io::Error::other(
                "it is a folder: name the files of agent cases, *.yaml",
            )));
        }
        let text = std::fs::read_to_string(&path).map_err(unreadable)?;
        let file = SourceFile { name: path.display().to_string(), text };
        let case = AgentCase::parse(file, newest)?;
        let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(AgentCaseFile { id, path, case })
    }

    /// Whether the case is for that release.
    pub fn is_for(&self, release: Release) -> bool {
        let bounds = self.case.releases.as_deref().and_then(Bounds::parse);
        bounds.is_none_or(|bounds| bounds.has(release.0.into()))
    }
}

impl AgentCase {
    /// Reads a case and checks all names in it.
    pub fn parse(file: SourceFile, newest: &Edition) -> Result<AgentCase, Diagnostics> {
        case_reading::read(file, newest)
    }

    /// The severity from which on misuse fails the case.
    pub fn worst(&self) -> Severity {
        self.expect.misuse.as_deref().and_then(|name| name.parse().ok()).unwrap_or(Severity::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_ends_or_not() {
        assert_eq!(Bounds::parse("3"), Some(Bounds(3, 3)));
        assert_eq!(Bounds::parse("1.."), Some(Bounds(1, u64::MAX)));
        assert_eq!(Bounds::parse("..10"), Some(Bounds(0, 10)));
        assert_eq!((Bounds::parse("5..2"), Bounds::parse("x")), (None, None));
    }
}
