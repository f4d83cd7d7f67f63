//! Which cases of those that fit the filters run, and together with which others.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod support;

use std::process::Output;

use support::real_jdk;
use support::sandbox::{Sandbox, assert_says, said, text};
use support::trials::{Missing, Tested, tests};

/// Three cases for two statements, which could share a JVM.
const CASES: &str = "\
chapter: general
at: vm_init
cases:
- {id: named, about: x, call: GetPhase, cites: [general/phase]}
- {id: both, about: x, call: GetPhase, cites: [general/phase, GetPhase#phase/live]}
- {id: allowed, about: x, call: GetPhase, cites: [GetPhase#phase/live]}
";

fn run(options: &[&str]) -> Result<Output, Missing> {
    let (place, home) = (Sandbox::new(), text(real_jdk()?.home));
    std::fs::write(place.path().join("phases.yaml"), CASES).unwrap();
    let args = ["run", "--only-cases", &text(place.path()), "--jdk", &home, "-v"];
    Ok(place.run(&[&args, options].concat()))
}

fn a_quick_run_tests_each_statement() -> Tested {
    let run = run(&["--quick"])?;
    assert_says(&run, 0, &["both", "nothing unexpected"]);
    assert!(!said(&run).contains("allowed"), "{}", said(&run));
    Ok(())
}

fn each_case_can_have_a_jvm_of_its_own() -> Tested {
    assert_says(&run(&[])?, 0, &["named", "allowed", "1 JVM started"]);
    assert_says(&run(&["--alone"])?, 0, &["named", "allowed", "3 JVMs started"]);
    Ok(())
}

tests! {
    a_quick_run_tests_each_statement,
    each_case_can_have_a_jvm_of_its_own,
}
