//! How well one JVM conforms, in one line.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cause::{Cause, Kind};
use crate::results::{JvmRun, Results, Status};
use crate::summary::{Coverage, Outcome, RunSummary};
use crate::terminal::count;

/// What a run says about the conformance of its JVM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Conformance {
    /// Statements that a judged case cites.
    pub tested: usize,
    /// Those of them that held in every case.
    pub held: usize,
    /// Those of them from which the JVM deviated as the specification permits.
    pub permitted: usize,
    /// Deviations, by cause, that no list has.
    pub new: usize,
    /// Deviations, by cause, that a list has.
    pub known: usize,
    /// Verdicts that a case is listed and passes.
    pub fixed: usize,
    /// Cases that could not be carried out or judged.
    pub errors: usize,
    /// Cases that were judged.
    pub cases: usize,
    /// Those of them that passed.
    pub passed: usize,
}

impl Conformance {
    /// Of the run with this number.
    pub fn of(number: usize, run: &JvmRun, coverage: &Coverage, causes: &[Cause<'_>]) -> Conformance {
        let here = |kind| causes.iter().filter(|c| c.kind == kind && c.runs.contains_key(&number)).count();
        let with = |status| run.verdicts.iter().filter(|v| v.status == status).count();
        Conformance {
            tested: coverage.tested(),
            held: coverage.get(Outcome::Held),
            permitted: coverage.get(Outcome::Permitted),
            new: here(Kind::New),
            known: here(Kind::Known),
            fixed: with(Status::Fixed),
            errors: with(Status::Error),
            cases: run.verdicts.iter().filter(|v| v.status.is_judged()).count(),
            passed: with(Status::Pass) + with(Status::Fixed),
        }
    }

    /// Of each run.
    pub fn of_all(results: &Results, runs: &[RunSummary], causes: &[Cause<'_>]) -> Vec<Conformance> {
        let pairs = results.runs.iter().zip(runs).enumerate();
        pairs
            .map(|(number, (run, summary))| Conformance::of(number, run, &summary.coverage, causes))
            .collect()
    }

    /// Deviations, by cause.
    pub fn deviations(&self) -> usize {
        self.new + self.known
    }

    /// Whether nothing new and no trouble was found.
    pub fn is_expected(&self) -> bool {
        self.new == 0 && self.errors == 0
    }

    /// The truth in one line: `held 3,214 of 3,351 tested statements; 27 deviations, 26 known, 1 new`.
    pub fn line(&self) -> String {
        let mut text = match self.tested {
            0 => format!("passed {} of {}", thousands(self.passed), counted(self.cases, "case")),
            n => format!("held {} of {}", thousands(self.held), counted(n, "tested statement")),
        };
        if self.permitted > 0 {
            text += &format!(", {} deviated from as permitted", thousands(self.permitted));
        }
        text += &match (self.known, self.new) {
            (0, 0) => "; no deviations".to_owned(),
            (known, new) => format!("; {}, {known} known, {new} new", count(known + new, "deviation")),
        };
        if self.fixed > 0 {
            text += &format!("; {} listed but passed", count(self.fixed, "case"));
        }
        if self.errors > 0 {
            text += &format!("; {} not judged", count(self.errors, "case"));
        }
        text
    }
}

fn counted(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(n), if n == 1 { "" } else { "s" })
}

/// With commas between thousands.
pub(crate) fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let breaks = |i: usize| i > 0 && (digits.len() - i).is_multiple_of(3);
    digits.chars().enumerate().fold(String::new(), |mut out, (i, digit)| {
        if breaks(i) {
            out.push(',');
        }
        out.push(digit);
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_the_truth() {
        let all = Conformance { tested: 3351, held: 3214, known: 26, new: 1, ..Conformance::default() };
        assert_eq!(all.line(), "held 3,214 of 3,351 tested statements; 27 deviations, 26 known, 1 new");
        assert!(!all.is_expected() && all.deviations() == 27);
        let clean = Conformance { tested: 1, held: 0, permitted: 1, ..Conformance::default() };
        assert_eq!(clean.line(), "held 0 of 1 tested statement, 1 deviated from as permitted; no deviations");
        let agent =
            Conformance { cases: 2, passed: 1, new: 1, errors: 1, fixed: 1, ..Conformance::default() };
        assert_eq!(
            agent.line(),
            "passed 1 of 2 cases; 1 deviation, 0 known, 1 new; 1 case listed but passed; 1 case not judged"
        );
    }
}
