//! Errors of commands, and their exit codes.

use std::fmt::Display;
use std::process::ExitCode;

use jvmti_cases::diagnostic::nearest;
use jvmti_cases::{Diagnostics, LoadError};
use owo_colors::OwoColorize;

use super::terminal::note;

/// A command that failed.
#[derive(Debug)]
pub enum Fault {
    /// Invalid usage or input: exit code 2.
    Input(anyhow::Error),
    /// Mistakes in case files, shown with their lines: exit code 2.
    Diagnostics(Diagnostics),
    /// jvmti-check itself failed: exit code 3.
    Work(anyhow::Error),
    /// The reader of standard output has closed it: exit code 0, without a message.
    Unheard,
}

impl Fault {
    /// Invalid usage or input.
    pub fn input(error: impl Into<anyhow::Error>) -> Fault {
        Fault::Input(error.into())
    }

    /// Invalid usage or input, with this message.
    pub fn wrong(message: impl Display) -> Fault {
        Fault::Input(anyhow::anyhow!("{message}"))
    }

    /// A name that there is not, as the message says, with the nearest one that there is.
    pub fn unknown<'a>(message: impl Display, name: &str, known: impl IntoIterator<Item = &'a str>) -> Fault {
        let near = nearest(name, known).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        Fault::wrong(format!("{message}{near}"))
    }

    /// A failure of jvmti-check itself.
    pub fn work(error: impl Into<anyhow::Error>) -> Fault {
        Fault::Work(error.into())
    }

    /// Case files that cannot be used.
    pub fn cases(error: LoadError) -> Fault {
        match error {
            LoadError::Faulty(faults) => Fault::Diagnostics(faults),
            LoadError::Unreadable(error) => Fault::input(error),
        }
    }

    /// Prints the error and returns its exit code.
    pub fn report(&self) -> ExitCode {
        let (text, code) = match self {
            Fault::Input(error) => (format!("{error:#}"), 2),
            Fault::Work(error) => (format!("{error:#}"), 3),
            Fault::Diagnostics(faults) => {
                show(faults);
                (format!("{} in the case files", count(faults)), 2)
            }
            Fault::Unheard => return ExitCode::SUCCESS,
        };
        note(&format!("{} {text}", "error:".red().bold()));
        ExitCode::from(code)
    }
}

/// Prints each mistake with the lines around it.
pub fn show(faults: &Diagnostics) {
    for fault in &faults.0 {
        note(&format!("{:?}", miette::Report::new(fault.clone())));
    }
}

/// `3 mistakes`.
pub fn count(faults: &Diagnostics) -> String {
    match faults.0.iter().filter(|fault| fault.is_error).count() {
        1 => "1 mistake".to_owned(),
        n => format!("{n} mistakes"),
    }
}
