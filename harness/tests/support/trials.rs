//! Tests that say when they cannot run.
//!
//! Rust's own test harness cannot ignore a test that finds out while it runs that this machine lacks something: such a
//! test would have to pass. libtest-mimic can, and prints the reason.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Trial};

/// The outcome of a test that does not panic.
pub type Tested = Result<(), Missing>;

/// What a test needs and this machine does not have.
#[derive(Debug)]
pub struct Missing(pub String);

/// A test and its name.
pub type Test = (&'static str, fn() -> Tested);

/// Runs the tests as the command line asks.
pub fn run(tests: &[Test]) -> ExitCode {
    run_all(tests.iter().map(|&(name, test)| trial(name, test)).collect())
}

/// The same with tests that come from elsewhere.
pub fn run_all(trials: Vec<Trial>) -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A test that can be ignored.
pub fn trial(name: &str, test: impl FnOnce() -> Tested + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || match test() {
        Ok(()) => Ok(Completion::Completed),
        Err(Missing(what)) => Ok(Completion::ignored_with(what)),
    })
}

/// Makes a test target of these functions. One that is not named here is dead code, which the compiler reports.
macro_rules! tests {
    ($($test:ident),* $(,)?) => {
        fn main() -> std::process::ExitCode {
            $crate::support::trials::run(&[$((stringify!($test), $test)),*])
        }
    };
}
pub(crate) use tests;
