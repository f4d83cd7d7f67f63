//! From what did not hold to a status, by how strongly the text obliges a JVM.

use jvmti_results::{Finding, Status};
use jvmti_spec::Strength;

use super::basis::Expected;
use super::{Assertions, LaunchEnd};

/// Gathers the findings of one case and decides its status.
pub(super) struct VerdictBuilder<'a> {
    /// The statements of the release, by which citations are weighed.
    pub assertions: &'a Assertions,
    /// Expectations checked.
    pub asserted: u32,
    violated: bool,
    permitted: bool,
    /// Whether a call has succeeded in spite of an error.
    undetected: bool,
    trouble: bool,
    /// Conditions of expectations that held.
    pub met: u32,
    /// Why expectations did not count.
    unmet: Vec<String>,
    /// What a step waited for that need not come, and did not.
    absent: Option<String>,
    /// What the JVM was unable to do though the case needs it.
    unable: Option<String>,
    /// What did not hold.
    pub findings: Vec<Finding>,
}

impl<'a> VerdictBuilder<'a> {
    /// Nothing found yet.
    pub(super) fn new(assertions: &'a Assertions) -> Self {
        VerdictBuilder {
            assertions,
            asserted: 0,
            violated: false,
            permitted: false,
            undetected: false,
            trouble: false,
            met: 0,
            unmet: Vec::new(),
            absent: None,
            unable: None,
            findings: Vec::new(),
        }
    }

    /// Counts expectations as checked.
    pub(super) fn assert(&mut self, count: usize) {
        self.asserted = self.asserted.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// An expectation that did not hold: what it is about, and the statements that the case cites for it.
    pub(super) fn violation(
        &mut self,
        (about, cites): (Expected<'_>, &[String]),
        place: &str,
        expected: String,
        observed: String,
    ) {
        match about.strength(self.assertions, cites) {
            // What a call does that goes on in spite of an error, and what comes of that, the text leaves open.
            Ok(Strength::Must) if self.undetected => self.permitted = true,
            Ok(Strength::Must) => self.violated = true,
            Ok(Strength::Should) => self.permitted = true,
            Ok(Strength::May | Strength::ImplementationDefined) if matches!(about, Expected::Event(_)) => {
                return self.unable(format!("{observed} ({place}), and no JVM has to send it"));
            }
            // Either is right: what was observed is noted.
            Ok(Strength::May | Strength::ImplementationDefined) => {}
            Err(why) => self.trouble(place, &why),
        }
        let cites = cites.to_vec();
        self.findings.push(Finding { cites, place: place.to_owned(), expected, observed });
    }

    /// A call succeeded in spite of an error.
    pub(super) fn undetected(&mut self) {
        self.undetected = true;
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

    /// The trace was full: what it lacks keeps the harness from judging. Returns whether it lacks anything.
    pub(super) fn lacks(&mut self, place: &str, ended: &LaunchEnd) -> bool {
        if ended.lost > 0 {
            self.trouble(place, &format!("the trace was full and lacks {} records", ended.lost));
        }
        ended.lost > 0
    }

    /// An expectation does not count, for this reason.
    pub(super) fn unmet(&mut self, why: String) {
        if !self.unmet.contains(&why) {
            self.unmet.push(why);
        }
    }

    /// What a step waited for did not come, for this reason, and need not have: without it, the case has not tested what it is
    /// about, whatever else held.
    pub(super) fn absent(&mut self, why: String) {
        self.absent.get_or_insert(why);
    }

    /// The JVM is unable to do something that the case needs and that no JVM has to be able to do.
    pub(super) fn unable(&mut self, what: String) {
        self.unable.get_or_insert(what);
    }

    /// Whether it was unable to do something of that kind: what should have come of that then cannot come.
    pub(super) fn is_unable(&self) -> bool {
        self.unable.is_some()
    }

    /// Why the case does not apply, if it does not: the JVM is unable to carry it out, what a step waited for did not come, or
    /// none of its conditions held.
    pub(super) fn inapplicable(&self) -> Option<String> {
        if !self.findings.is_empty() {
            return None;
        }
        let unmet = || (self.met == 0 && !self.unmet.is_empty()).then(|| self.unmet.join("; "));
        self.unable.clone().or_else(|| self.absent.clone()).or_else(unmet)
    }

    /// What the findings come to.
    pub(super) fn status(&self) -> Status {
        match self {
            VerdictBuilder { violated: true, .. } => Status::Fail,
            // What could not be judged after that may well follow from it.
            VerdictBuilder { permitted: true, .. } => Status::Permitted,
            VerdictBuilder { trouble: true, .. } => Status::Error,
            _ => Status::Pass,
        }
    }
}
