//! The codes of the facts in words, from `facts/wording.yaml`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::assertion::Strength;
use crate::facts::ErrorRowFacts;

/// The words for each code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wording {
    /// Conditions of error rows by code, or by `ERROR:code` where the meaning depends on the error.
    pub conditions: BTreeMap<String, String>,
    /// Conditions that name a parameter, by error; `{}` stands for the parameter.
    pub parameters: BTreeMap<String, String>,
    /// Qualifiers that restrict a condition.
    pub qualifiers: BTreeMap<String, String>,
    /// Conditions about which only the implementation knows whether they hold.
    pub left_to_implementation: Vec<String>,
    /// The reason why an assertion of the tables cannot be tested, by the id of the assertion.
    pub untestable: BTreeMap<String, String>,
    /// The assertions about numbers and layouts on which no function call depends visibly.
    pub of_the_header: Vec<String>,
    /// Events that a VM need not send even to environments that have enabled them: how strongly the text asks for them.
    pub optional_events: BTreeMap<String, Strength>,
    /// What a null argument means, as a phrase that follows "means".
    pub null_means: BTreeMap<String, String>,
    /// When an output, a field or an event parameter is null, as a clause.
    pub null_when: BTreeMap<String, String>,
}

impl Wording {
    /// A condition of an error row, with or without its prefix, as a clause ("the thread is virtual").
    pub fn condition(&self, error: &str, condition: &str) -> String {
        let code = condition.split_once(':').map_or(condition, |(_, code)| code);
        let (plain, qualifier) = code.split_once('@').map_or((code, None), |(p, q)| (p, Some(q)));
        let clause = self.clause(error, plain);
        match qualifier {
            Some(q) => format!("{clause} {}", self.qualifiers.get(q).map_or(q, String::as_str)),
            None => clause,
        }
    }

    /// All conditions of a row as one clause.
    pub(crate) fn row(&self, row: &ErrorRowFacts) -> String {
        if row.when.0.is_empty() {
            return self.condition(&row.error, &row.error.to_ascii_lowercase());
        }
        row.when.0.iter().map(|c| self.condition(&row.error, c)).collect::<Vec<_>>().join("; or ")
    }

    fn clause(&self, error: &str, code: &str) -> String {
        // A row without a condition of its own carries the code itself.
        let alone = code == error.to_ascii_lowercase() || code == "redefinition";
        let listed = self.conditions.get(&format!("{error}:{code}")).or_else(|| self.conditions.get(code));
        if let Some(words) = listed.or_else(|| self.conditions.get(error).filter(|_| alone)) {
            return words.clone();
        }
        let names_something = code.chars().all(|c| c.is_ascii_alphanumeric() || "_[].".contains(c));
        match self.parameters.get(error).filter(|_| names_something) {
            Some(template) => template.replace("{}", &self.subject(code)),
            None => code.replace("<0", " is negative"),
        }
    }

    /// `list[].name` as "the name field of an element of list".
    fn subject(&self, code: &str) -> String {
        match code.split_once("[]") {
            Some((list, "")) => format!("an element of {list}"),
            Some((list, field)) => {
                format!("the {} field of an element of {list}", field.trim_start_matches('.'))
            }
            None => code.into(),
        }
    }

    /// What a null argument means ("the current thread").
    pub fn null_meaning<'a>(&'a self, code: &'a str) -> &'a str {
        self.null_means.get(code).map_or(code, String::as_str)
    }

    /// When a value is null ("the field is static").
    pub fn null_condition<'a>(&'a self, code: &'a str) -> &'a str {
        self.null_when.get(code).map_or(code, String::as_str)
    }

    /// Whether only the implementation knows if the condition holds.
    pub fn left_to_implementation(&self, condition: &str) -> bool {
        let code = condition.split_once(':').map_or(condition, |(_, code)| code);
        self.left_to_implementation.iter().any(|c| c == code)
    }
}

#[cfg(test)]
mod tests {
    use crate::edition::NullRule;
    use crate::{Release, Spec};

    #[test]
    fn conditions_read_as_clauses() {
        let wording = &Spec::embedded().facts.wording;
        let read = |error, condition| wording.condition(error, condition);
        assert_eq!(
            read("INVALID_THREAD", "invalid_thread:list[]"),
            "an element of list is not a thread object"
        );
        assert_eq!(
            read("NULL_POINTER", "null_pointer:defs[].bytes"),
            "the bytes field of an element of defs is null"
        );
        assert_eq!(read("ILLEGAL_ARGUMENT", "illegal_argument:depth<0"), "depth is negative");
        assert_eq!(read("THREAD_SUSPENDED", "thread_suspended"), "the thread is already suspended");
        assert_eq!(
            read("THREAD_NOT_ALIVE", "thread_not_alive:event_thread@non_null"),
            "event_thread is not alive and is not null"
        );
    }

    #[test]
    fn every_code_has_words() {
        let spec = Spec::embedded();
        for release in Release::REVIEWED {
            let edition = spec.at(release);
            for f in &edition.functions {
                for (row, condition) in f.errors.iter().flat_map(|r| r.conditions.iter().map(move |c| (r, c)))
                {
                    let words = spec.facts.wording.condition(&row.error, condition);
                    assert!(words.contains(' ') && !words.contains('@'), "{} {condition}: {words}", f.name);
                }
                for p in &f.params {
                    if let NullRule::Means { meaning, .. } = &p.null {
                        assert_ne!(spec.facts.wording.null_meaning(meaning), meaning, "{}", f.name);
                    }
                    let null = p.returns_null_when.iter();
                    null.for_each(|code| {
                        assert_ne!(spec.facts.wording.null_condition(code), code, "{}", f.name)
                    });
                }
            }
            for code in edition.events.iter().flat_map(|e| &e.params).filter_map(|p| p.null_when.as_deref()) {
                assert_ne!(spec.facts.wording.null_condition(code), code);
            }
        }
    }
}
