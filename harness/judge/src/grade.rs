//! From what did not hold to a status, by how strongly the text obliges.

use jvmti_results::{Finding, Status};
use jvmti_spec::Strength;

use super::Assertions;

/// Gathers what did not hold in one case.
#[derive(Default)]
pub(super) struct Grades {
    /// Expectations checked.
    pub asserted: u32,
    violated: bool,
    permitted: bool,
    trouble: bool,
    /// Conditions of expectations that held.
    pub met: u32,
    /// Why expectations did not count.
    unmet: Vec<String>,
    pub findings: Vec<Finding>,
}

impl Grades {
    /// An expectation that did not hold, and what it rests on.
    pub(super) fn violation(
        &mut self,
        assertions: &Assertions,
        cites: &[String],
        place: &str,
        expected: String,
        observed: String,
    ) {
        match strongest(assertions, cites) {
            Ok(Strength::Must) => self.violated = true,
            Ok(Strength::Should) => self.permitted = true,
            // Either is right: what was observed is noted.
            Ok(Strength::May | Strength::ImplementationDefined) => {}
            Err(why) => {
                self.trouble(place, &why);
            }
        }
        let cites = cites.to_vec();
        self.findings.push(Finding { cites, place: place.to_owned(), expected, observed });
    }

    /// Something that keeps the harness from judging.
    pub(super) fn trouble(&mut self, place: &str, why: &str) {
        self.trouble = true;
        self.findings.push(Finding {
            cites: vec![],
            place: place.to_owned(),
            expected: String::new(),
            observed: why.to_owned(),
        });
    }

    /// An expectation does not count, for this reason.
    pub(super) fn unmet(&mut self, why: String) {
        if !self.unmet.contains(&why) {
            self.unmet.push(why);
        }
    }

    /// Why the case does not apply, if none of its conditions held.
    pub(super) fn inapplicable(&self) -> Option<String> {
        (self.met == 0 && !self.unmet.is_empty() && self.findings.is_empty()).then(|| self.unmet.join("; "))
    }

    pub(super) fn status(&self) -> Status {
        match self {
            Grades { violated: true, .. } => Status::Fail,
            Grades { trouble: true, .. } => Status::Error,
            Grades { permitted: true, .. } => Status::Permitted,
            _ => Status::Pass,
        }
    }
}

/// The strongest of the cited statements.
fn strongest(assertions: &Assertions, cites: &[String]) -> Result<Strength, String> {
    let mut strongest: Option<Strength> = None;
    for id in cites {
        let Some(assertion) = assertions.get(id) else {
            return Err(format!("cites {id:?}, which is no assertion on this release"));
        };
        // `Strength` is ordered from the strongest on.
        strongest = Some(strongest.map_or(assertion.strength, |s| s.min(assertion.strength)));
    }
    strongest.ok_or_else(|| "cites no assertion".to_owned())
}
