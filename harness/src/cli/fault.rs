//! Why a command did not do its work, and the exit code for it.

use std::fmt::Display;
use std::process::ExitCode;

use jvmti_cases::{Diagnostics, LoadError};
use owo_colors::OwoColorize;

/// A command that failed.
#[derive(Debug)]
pub enum Fault {
    /// Wrong usage or input: exit code 2.
    Input(anyhow::Error),
    /// Faults in case files, shown where they are: exit code 2.
    Diagnostics(Diagnostics),
    /// The harness could not do its work: exit code 3.
    Work(anyhow::Error),
    /// Whoever read the output has gone: nothing to say, and nobody to say it to.
    Unheard,
}

impl Fault {
    /// Wrong usage or input.
    pub fn input(error: impl Into<anyhow::Error>) -> Fault {
        Fault::Input(error.into())
    }

    /// Wrong usage or input, in words.
    pub fn wrong(message: impl Display) -> Fault {
        Fault::Input(anyhow::anyhow!("{message}"))
    }

    /// The harness could not do its work.
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

    /// Tells the user, and gives the exit code.
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
        anstream::eprintln!("{} {text}", "error:".red().bold());
        ExitCode::from(code)
    }
}

/// Shows each fault at its place.
pub fn show(faults: &Diagnostics) {
    for fault in &faults.0 {
        anstream::eprintln!("{:?}", miette::Report::new(fault.clone()));
    }
}

fn count(faults: &Diagnostics) -> String {
    match faults.0.iter().filter(|fault| fault.is_error).count() {
        1 => "1 fault".to_owned(),
        n => format!("{n} faults"),
    }
}
