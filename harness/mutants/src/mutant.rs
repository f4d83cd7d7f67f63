//! A JVM that breaks one rule, as data, and what the modules that make mutants share.

use jvmti_spec::Edition;
use jvmti_spec::edition::Phase;

use crate::mutation::Mutation;
use crate::rules::Rules;

/// A JVM that breaks one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Stable id (`GetThreadState/null/thread_state_ptr`).
    pub id: String,
    /// What it does, one line.
    pub does: String,
    /// The same for the library that does it.
    pub mutation: Mutation,
    /// The rules that it breaks: a case that cites any of them ought to notice.
    pub breaks: Rules,
    /// The function or event that it is about.
    pub subject: String,
}

/// The numbers that the specification gives to what mutations name.
pub(crate) trait Numbers {
    /// The number of an error code, which the caller knows to exist.
    fn code(&self, error: &str) -> i64;
    /// The number that `GetPhase` returns for a phase.
    fn phase(&self, phase: Phase) -> i64;
    /// The slot of a function, which the caller knows to exist.
    fn slot(&self, function: &str) -> i64;
    /// The index of an event's callback: events are counted from the first one.
    fn callback(&self, number: u16) -> i64;
}

impl Numbers for Edition {
    fn code(&self, error: &str) -> i64 {
        self.error(error).map_or(0, |error| error.number.into())
    }

    fn phase(&self, phase: Phase) -> i64 {
        let name = format!("JVMTI_PHASE_{}", phase.name().to_uppercase());
        self.constant(Some("jvmtiPhase"), &name).unwrap_or_default()
    }

    fn slot(&self, function: &str) -> i64 {
        self.function(function).map_or(0, |function| function.slot.into())
    }

    fn callback(&self, number: u16) -> i64 {
        let first = self.events.iter().map(|event| event.number).min().unwrap_or(0);
        (number - first).into()
    }
}
