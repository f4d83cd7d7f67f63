//! Findings that a user does not want to see.
//!
//! ```text
//! # rule           library     function
//! memory/leak      libfoo.so   load_config
//! reference/*      libbar*.so
//! ```
//!
//! An asterisk stands for any text. What is left out stands for anything. The function is the rest of the line, as names of C++
//! contain spaces. A suppression fits a finding if its rule fits, and one frame of the call stack fits library and function.

use regex::Regex;
use thiserror::Error;

use crate::misuse::{self, Violation};
use crate::symbols::{Located, file_name};

/// A line of the file.
#[derive(Clone, Debug)]
struct Suppression {
    line: usize,
    text: String,
    rule: Regex,
    library: Regex,
    function: Regex,
    used: bool,
}

/// The suppressions of a file.
#[derive(Clone, Debug, Default)]
pub struct Suppressions(Vec<Suppression>);

/// Why a line cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: no misuse rule is called {rule}; `agent check --rules` lists them")]
pub struct UnknownRule {
    /// The line, from 1.
    pub line: usize,
    /// The rule that the line names.
    pub rule: String,
}

/// A pattern in which an asterisk stands for any text.
fn pattern(text: &str) -> Regex {
    let parts: Vec<String> = text.split('*').map(regex::escape).collect();
    // What is escaped is an expression.
    Regex::new(&format!("^{}$", parts.join(".*"))).unwrap_or_else(|_| unreachable!("escaped text"))
}

impl Suppressions {
    /// Reads the lines of a file.
    pub fn parse(text: &str) -> Result<Suppressions, UnknownRule> {
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        let mut all = Vec::new();
        for (line, text) in lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#')) {
            let (rule, rest) = text.split_once(char::is_whitespace).unwrap_or((text, "*"));
            let (library, function) =
                rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), "*"));
            let suppression = Suppression {
                line,
                text: text.to_owned(),
                rule: pattern(rule),
                library: pattern(library),
                function: pattern(function.trim()),
                used: false,
            };
            if !misuse::rules().iter().any(|info| suppression.rule.is_match(info.id)) {
                return Err(UnknownRule { line, rule: rule.to_owned() });
            }
            all.push(suppression);
        }
        Ok(Suppressions(all))
    }

    /// Whether a suppression fits the finding. All that fit count as used.
    pub fn suppress(&mut self, finding: &Violation) -> bool {
        let mut fits = false;
        for suppression in self.0.iter_mut().filter(|suppression| suppression.fits(finding)) {
            suppression.used = true;
            fits = true;
        }
        fits
    }

    /// The suppressions that fitted nothing: number and text of the line.
    pub fn unused(&self) -> impl Iterator<Item = (usize, &str)> {
        self.0
            .iter()
            .filter(|suppression| !suppression.used)
            .map(|unused| (unused.line, unused.text.as_str()))
    }
}

impl Suppression {
    fn fits(&self, finding: &Violation) -> bool {
        let nowhere = finding.place.is_empty() && self.library.is_match("") && self.function.is_match("");
        self.rule.is_match(finding.rule) && (nowhere || finding.place.iter().any(|place| self.is_at(place)))
    }

    fn is_at(&self, place: &Located) -> bool {
        let library = file_name(&place.code.library);
        let mut functions = place.functions();
        self.library.is_match(library) && functions.any(|function| self.function.is_match(function))
    }
}

#[cfg(test)]
mod tests {
    use jvmti_wire::trace::CodePlace;

    use super::*;
    use crate::misuse::Severity;

    fn finding(rule: &'static str, library: &str, function: &str) -> Violation {
        let code = CodePlace { library: library.to_owned(), offset: 1, symbol: function.to_owned() };
        Violation {
            rule,
            severity: Severity::Warning,
            anchor: String::new(),
            says: "",
            of: String::new(),
            what: String::new(),
            place: vec![Located { code, source: Vec::new() }],
            related: Vec::new(),
            thread: String::new(),
            at: 0,
            count: 1,
            next: None,
        }
    }

    #[test]
    fn each_part_has_to_fit() {
        let text =
            "# mine\n\nmemory/leak lib*.so load_*\nmemory/held\nmonitor/* libbar.so ns::f(int, char*)\n";
        let mut suppressions = Suppressions::parse(text).unwrap();
        for (rule, library, function, suppressed) in [
            ("memory/leak", "/opt/libfoo.so", "load_config", true),
            ("memory/leak", "/opt/libfoo.so", "store", false),
            ("memory/leak", "/opt/foo.so", "load_config", false),
            ("memory/growing", "/opt/libfoo.so", "load_config", false),
            ("memory/held", "x", "", true),
        ] {
            assert_eq!(
                suppressions.suppress(&finding(rule, library, function)),
                suppressed,
                "{rule} {function}"
            );
        }
        assert_eq!(suppressions.unused().map(|(line, _)| line).collect::<Vec<_>>(), [5]);
        assert!(suppressions.suppress(&finding("monitor/order", "libbar.so", "ns::f(int, char const*)")));
        assert_eq!(suppressions.unused().count(), 0);
    }

    #[test]
    fn rules_have_to_exist() {
        let unknown = Suppressions::parse("\nmemory/leek libfoo.so").unwrap_err();
        assert_eq!(unknown, UnknownRule { line: 2, rule: "memory/leek".to_owned() });
    }
}
