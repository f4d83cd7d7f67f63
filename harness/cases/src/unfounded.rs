//! Expectations that no cited statement is behind.

use jvmti_spec::derived::error_strength;
use jvmti_spec::{Assertion, Assertions, Edition, Promise, Strength};

use super::model::{Case, ErrorExpectation};

/// The errors that a case expects though a JVM need not detect them and no statement that the case cites promises them: what is
/// wrong, and what to do.
pub(super) fn errors(case: &Case, assertions: &Assertions, edition: &Edition) -> Vec<(String, String)> {
    let optional =
        |code: &String| edition.error(code).is_some() && error_strength(edition, code) != Strength::Must;
    let mut found = Vec::new();
    for step in &case.steps {
        let expected = step.expect.as_ref().and_then(|expect| expect.error.as_ref());
        let Some(codes) = expected.and_then(ErrorExpectation::errors) else { continue };
        if !codes.iter().all(optional) {
            continue;
        }
        let promises = |statement: &Assertion| matches!(&statement.promise, Promise::Error(error) if codes.contains(error));
        if !case.cites_of(step).iter().filter_map(|id| assertions.get(id)).any(promises) {
            let codes = codes.join(" or ");
            let message =
                format!("`{}`: {} expects {codes}, which no cited statement promises", case.id, step.text);
            found.push((message, format!("cite the row of the function's table that lists {codes}")));
        }
    }
    found
}
