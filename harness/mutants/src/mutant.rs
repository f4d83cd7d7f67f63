//! JVMs that break one rule each, as data.

use jvmti_spec::edition::Phase;
use jvmti_spec::{Assertion, Edition, Release, Spec, Strength};

use crate::{capabilities, events, functions};

/// A JVM that breaks one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Stable id (`GetThreadState/null/thread_state_ptr`).
    pub id: String,
    /// What it does, one line.
    pub does: String,
    /// The same for the library that does it.
    pub mutation: String,
    /// The rules that it breaks: a case that cites any of them ought to tell.
    pub breaks: Rules,
    /// The function or event that it is about.
    pub subject: String,
}

/// Which statements of the specification a mutant breaks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Statements by id; with `*` at the end those that begin so.
    pub ids: Vec<String>,
    /// What the text says of the results and effects of this function or event: in prose that is about it or names it, and
    /// of outputs and parameters.
    pub of: Option<String>,
}

impl Rules {
    /// These statements.
    pub fn ids(ids: impl IntoIterator<Item = impl Into<String>>) -> Rules {
        Rules { ids: ids.into_iter().map(Into::into).collect(), of: None }
    }

    /// What the text says of the results and effects of this function or event.
    pub fn of(name: &str) -> Rules {
        Rules { ids: Vec::new(), of: Some(name.to_owned()) }
    }

    /// These, and that one.
    pub fn and(mut self, id: &str) -> Rules {
        self.ids.push(id.to_owned());
        self
    }

    /// Whether this statement is among them.
    pub fn contain(&self, assertion: &Assertion) -> bool {
        let named = self.ids.iter().any(|id| match id.strip_suffix('*') {
            Some(start) => assertion.id.starts_with(start),
            None => assertion.id == *id,
        });
        named || self.of.as_ref().is_some_and(|name| is_of_results(assertion, name))
    }

    /// Which of these statements they are.
    pub fn among<'a>(&self, assertions: &'a [Assertion]) -> Vec<&'a str> {
        let testable = |a: &&Assertion| a.untestable.is_none() && a.strength != Strength::May;
        assertions.iter().filter(testable).filter(|a| self.contain(a)).map(|a| a.id.as_str()).collect()
    }
}

fn is_of_results(assertion: &Assertion, name: &str) -> bool {
    let table = assertion.id.split_once('#').map(|(_, row)| row.split('/').next().unwrap_or(row));
    let about = assertion.subject.as_deref() == Some(name) || assertion.anchor == name;
    match table {
        None => about || names(&assertion.text, name),
        Some("output" | "local-refs" | "null-output" | "params" | "enable") => about,
        Some(_) => false,
    }
}

/// Whether a text has that name in it.
fn names(text: &str, name: &str) -> bool {
    text.contains(name) && text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

/// Number of a phase in `GetPhase`.
pub(crate) fn number(phase: Phase) -> i64 {
    match phase {
        Phase::OnLoad => 1,
        Phase::Primordial => 2,
        Phase::Start => 6,
        Phase::Live => 4,
        Phase::Dead => 8,
    }
}

/// Number of an error code, of which the caller knows that there is one.
pub(crate) fn code(edition: &Edition, error: &str) -> i64 {
    edition.error(error).map_or(113, |error| i64::from(error.number))
}

/// All mutants of a release, in the order of the text, of which some testable statement says that they are wrong.
pub fn mutants(release: Release) -> Vec<Mutant> {
    let edition = Spec::embedded().at(release);
    let assertions = Spec::embedded().assertions(release);
    let mut all = functions::mutants(&edition);
    all.extend(events::mutants(&edition));
    all.extend(capabilities::mutants(&edition));
    all.retain(|mutant| !mutant.breaks.among(&assertions).is_empty());
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_every_function_and_event_is_broken_somehow() {
        for release in [Release::REVIEWED[0], Release::NEWEST] {
            let all = mutants(release);
            let mut ids = BTreeSet::new();
            for mutant in &all {
                assert!(ids.insert(&mutant.id), "{} twice in {release:?}", mutant.id);
            }
            let subjects: BTreeSet<&str> = all.iter().map(|m| m.subject.as_str()).collect();
            let edition = Spec::embedded().at(release);
            let names =
                edition.functions.iter().map(|f| &f.name).chain(edition.events.iter().map(|e| &e.name));
            for name in names {
                assert!(subjects.contains(name.as_str()), "{name} of {release:?} has no mutant");
            }
        }
    }
}
