//! How strongly the text obliges a JVM to meet one expectation.
//!
//! A case may cite several statements. Not all of them are behind each of its expectations: that a function returns an error
//! rests on the statement that promises this error, whatever else the case is about; that an event comes rests on the
//! statement that the VM sends it, and that it comes nowhere else rests on another one.

use jvmti_cases::model::ErrorExpectation;
use jvmti_spec::derived::{error_strength, need_not_keep};
use jvmti_spec::{Assertion, Assertions, Edition, Promise, Strength};

/// What an expectation is about, as far as that decides which of the cited statements are behind it.
#[derive(Clone, Copy)]
pub(super) enum Expected<'e> {
    /// That a call returns one of these errors.
    Error(&'e [String], &'e Edition),
    /// That this event comes.
    Event(&'e str),
    /// That an event does not come.
    NoEvent,
    /// That a function finds what a class file may or may not contain, and what a JVM need not keep: line numbers, local
    /// variables, the name of the source file.
    Information,
    /// That the state of a thread tells why it waits, or that it runs native code, which a JVM may not know.
    Answer,
    /// Anything else.
    Other,
}

impl<'e> Expected<'e> {
    /// What the expectation of an error code is about: success is no error.
    pub(super) fn of_error(codes: &'e ErrorExpectation, edition: &'e Edition) -> Expected<'e> {
        codes.errors().map_or(Expected::Other, |codes| Expected::Error(codes, edition))
    }

    /// Whether a statement promises just this.
    fn is_promised_by(self, statement: &Assertion) -> bool {
        match (self, &statement.promise) {
            (Expected::Error(codes, _), Promise::Error(error)) => codes.contains(error),
            (Expected::Event(_), Promise::Sent) | (Expected::NoEvent, Promise::NotSent) => true,
            (Expected::Other, promise) => *promise == Promise::Other,
            _ => false,
        }
    }

    /// How strongly the text asks at most for it if no cited statement promises it.
    fn limit(self, assertions: &Assertions) -> Strength {
        match self {
            Expected::Error(codes, edition) => {
                codes.iter().map(|code| error_strength(edition, code)).min().unwrap_or(Strength::Must)
            }
            Expected::Event(event) => {
                assertions.get(&format!("{event}#enable")).map_or(Strength::Must, |sent| sent.strength)
            }
            Expected::Information | Expected::Answer => Strength::Should,
            Expected::NoEvent | Expected::Other => Strength::Must,
        }
    }

    /// What an expectation of success is about, if the function returned this error instead.
    pub(super) fn of_success(function: &str, instead: &str) -> Expected<'static> {
        match instead == "ABSENT_INFORMATION" && need_not_keep(function) {
            true => Expected::Information,
            false => Expected::Other,
        }
    }

    /// How strongly these statements oblige a JVM to meet the expectation, or why that cannot be told.
    pub(super) fn strength(self, assertions: &Assertions, cites: &[String]) -> Result<Strength, String> {
        let find = |id: &String| {
            let found = assertions.get(id);
            found.ok_or_else(|| format!("cites {id:?}, which is no assertion on this release"))
        };
        let cited: Vec<&Assertion> = cites.iter().map(find).collect::<Result<_, _>>()?;
        // `Strength` is ordered from the strongest on.
        let promised =
            cited.iter().filter(|statement| self.is_promised_by(statement)).map(|s| s.strength).min();
        let any = || cited.iter().map(|statement| statement.strength.max(self.limit(assertions))).min();
        promised.or_else(any).ok_or_else(|| "cites no assertion".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench::assertions;
    use jvmti_spec::{Release, Spec};

    fn strength(expected: Expected<'_>, cites: &[&str]) -> Strength {
        let cites: Vec<String> = cites.iter().map(|id| (*id).to_owned()).collect();
        expected.strength(&assertions(), &cites).unwrap()
    }

    fn of_error(code: &str, cites: &[&str]) -> Strength {
        let edition = Spec::embedded().at(Release(25));
        strength(Expected::of_error(&ErrorExpectation::OneOf(vec![code.to_owned()]), &edition), cites)
    }

    #[test]
    fn an_error_takes_the_strength_of_its_own_row() {
        let row = "SuspendThread#errors/INVALID_THREAD";
        assert_eq!(of_error("INVALID_THREAD", &["must", row]), Strength::Should);
        assert_eq!(of_error("INVALID_THREAD", &["must"]), Strength::Should);
        let row = "SuspendThread#errors/THREAD_NOT_ALIVE";
        assert_eq!(of_error("THREAD_NOT_ALIVE", &["should", row]), Strength::Must);
        assert_eq!(of_error("THREAD_NOT_ALIVE", &["should"]), Strength::Should);
        assert_eq!(of_error("NONE", &["must", "SuspendThread#errors/INVALID_THREAD"]), Strength::Must);
    }

    #[test]
    fn that_an_event_comes_is_apart_from_that_it_comes_nowhere_else() {
        let both = ["VMObjectAlloc#enable", "VMObjectAlloc#disabled"];
        assert_eq!(strength(Expected::Event("VMObjectAlloc"), &both), Strength::Should);
        assert_eq!(strength(Expected::NoEvent, &both), Strength::Must);
        assert_eq!(strength(Expected::Event("VMObjectAlloc"), &["must"]), Strength::Should);
        assert_eq!(strength(Expected::Event("MethodEntry"), &["must"]), Strength::Must);
    }

    #[test]
    fn a_jvm_need_not_keep_line_numbers() {
        let status = |function| strength(Expected::of_success(function, "ABSENT_INFORMATION"), &["must"]);
        assert_eq!(status("GetLineNumberTable"), Strength::Should);
        assert_eq!(status("GetConstantPool"), Strength::Must);
    }

    #[test]
    fn a_jvm_need_not_know_why_a_thread_waits() {
        assert_eq!(strength(Expected::Answer, &["must"]), Strength::Should);
    }

    #[test]
    fn an_output_does_not_rest_on_an_error() {
        let cites = ["should", "SuspendThread#errors/THREAD_NOT_ALIVE"];
        assert_eq!(strength(Expected::Other, &cites), Strength::Should);
    }
}
