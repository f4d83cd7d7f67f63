//! Findings that are known already, from an earlier check or recording.
//!
//! A finding is the same as an earlier one if rule, function or event, and the innermost frame's library and function are. Lines
//! and offsets may differ, because agents change. If one function of the agent has several such findings, as many are known as the
//! baseline has.

use std::collections::HashMap;

use serde::Deserialize;
use thiserror::Error;

use crate::misuse::Violation;
use crate::symbols::file_name;

/// What a finding is known by: rule, function or event, library, function of the library.
type Key = (String, String, String, String);

/// The findings that are known.
#[derive(Clone, Debug, Default)]
pub struct Baseline(HashMap<Key, usize>);

/// Why a file is no baseline.
#[derive(Debug, Error)]
#[error("line {line} is not a finding as `agent check --json` prints it: {error}")]
pub struct NoFinding {
    /// The line, from 1.
    pub line: usize,
    /// Why.
    pub error: serde_json::Error,
}

/// A finding as `agent check --json` prints it, as far as it counts.
#[derive(Deserialize)]
struct Printed {
    rule: String,
    of: String,
    place: Vec<PrintedPlace>,
}

#[derive(Deserialize)]
struct PrintedPlace {
    library: String,
    offset: u64,
    symbol: String,
    #[serde(default)]
    source: Vec<PrintedLine>,
}

#[derive(Deserialize)]
struct PrintedLine {
    function: String,
}

fn key(rule: &str, of: &str, place: Option<(&str, &str, u64)>) -> Key {
    let (library, function, offset) = place.unwrap_or(("", "", 0));
    let function = if function.is_empty() { format!("+{offset:#x}") } else { function.to_owned() };
    (rule.to_owned(), of.to_owned(), file_name(library).to_owned(), function)
}

fn key_of(finding: &Violation) -> Key {
    let place = finding.place.first().map(|place| {
        let function = place.functions().next().unwrap_or_default();
        (place.code.library.as_str(), function, place.code.offset)
    });
    key(finding.rule, &finding.of, place)
}

impl Baseline {
    /// Reads what `agent check --json` printed.
    pub fn parse(text: &str) -> Result<Baseline, NoFinding> {
        let mut baseline = Baseline::default();
        for (index, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            let printed: Printed =
                serde_json::from_str(text).map_err(|error| NoFinding { line: index + 1, error })?;
            let place = printed.place.first().map(|place| {
                let function = place.source.first().map_or(&place.symbol, |line| &line.function);
                (place.library.as_str(), function.as_str(), place.offset)
            });
            baseline.add(key(&printed.rule, &printed.of, place));
        }
        Ok(baseline)
    }

    /// The findings of a recording.
    pub fn of(findings: &[Violation]) -> Baseline {
        let mut baseline = Baseline::default();
        findings.iter().for_each(|finding| baseline.add(key_of(finding)));
        baseline
    }

    fn add(&mut self, key: Key) {
        *self.0.entry(key).or_default() += 1;
    }

    /// Starts to tell which findings of another trace are known.
    pub fn compare(&self) -> Known {
        Known(self.0.clone())
    }
}

/// The findings of the baseline that a trace has not had yet.
#[derive(Clone, Debug)]
pub struct Known(HashMap<Key, usize>);

impl Known {
    /// Whether the finding is one of those.
    pub fn has(&mut self, finding: &Violation) -> bool {
        match self.0.get_mut(&key_of(finding)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }
}
