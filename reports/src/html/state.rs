//! What a statement's square in the matrix shows: its outcome, and what a case tells beyond that.

use crate::results::Status;
use crate::summary::Outcome;

/// What is known of a statement on a JVM, the gravest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// The text of that JVM's release doesn't state it.
    Unstated,
    /// Cannot be tested.
    Untestable,
    /// No case that was carried out cites it.
    Untested,
    /// Does not apply.
    Inapplicable,
    /// Held in every case.
    Held,
    /// Held, though listed as a known deviation.
    Fixed,
    /// Not followed where the text only recommends.
    Permitted,
    /// Broken as listed.
    Known,
    /// The harness had trouble of its own with a case about it.
    Error,
    /// Broken.
    Failed,
    /// The JVM stopped answering.
    Timeout,
    /// The JVM ended abnormally.
    Crash,
}

impl State {
    /// All that the page names, in order of display.
    pub const ALL: [State; 11] = [
        State::Held,
        State::Permitted,
        State::Known,
        State::Fixed,
        State::Failed,
        State::Crash,
        State::Timeout,
        State::Error,
        State::Inapplicable,
        State::Untested,
        State::Untestable,
    ];

    pub fn name(self) -> &'static str {
        match self {
            State::Unstated => "not stated",
            State::Untestable => "untestable",
            State::Untested => "untested",
            State::Inapplicable => "inapplicable",
            State::Held => "held",
            State::Fixed => "fixed",
            State::Permitted => "permitted",
            State::Known => "known",
            State::Error => "error",
            State::Failed => "broken",
            State::Timeout => "timeout",
            State::Crash => "crash",
        }
    }

    pub fn letter(self) -> char {
        match self {
            State::Unstated => '.',
            State::Untestable => 'u',
            State::Untested => 'n',
            State::Inapplicable => 'i',
            State::Held => 'h',
            State::Fixed => 'x',
            State::Permitted => 'm',
            State::Known => 'k',
            State::Error => 'e',
            State::Failed => 'f',
            State::Timeout => 't',
            State::Crash => 'c',
        }
    }

    pub fn of_letter(letter: char) -> Option<State> {
        State::ALL.into_iter().chain([State::Unstated]).find(|s| s.letter() == letter)
    }

    pub fn is_unexpected(self) -> bool {
        self >= State::Error
    }

    /// Together with a verdict that cites the statement. A failing case may blame another of its statements, so that
    /// alone it says nothing; where the statement isn't registered, the verdict is all there is.
    pub fn refined(self, status: Status) -> State {
        let seen = match (self, status) {
            (_, Status::Error) => State::Error,
            (State::Held, Status::Fixed) => State::Fixed,
            (State::Failed | State::Timeout | State::Untested | State::Unstated, Status::Crash) => {
                State::Crash
            }
            (State::Failed | State::Untested | State::Unstated, Status::Timeout) => State::Timeout,
            (State::Unstated, Status::Fail) => State::Failed,
            (State::Unstated, Status::Pass | Status::Fixed) => State::Held,
            (State::Unstated, Status::Permitted) => State::Permitted,
            (State::Unstated, Status::Known) => State::Known,
            (State::Unstated, Status::Inapplicable) => State::Inapplicable,
            _ => return self,
        };
        self.max(seen)
    }
}

impl From<Outcome> for State {
    fn from(outcome: Outcome) -> State {
        match outcome {
            Outcome::Untestable => State::Untestable,
            Outcome::Untested => State::Untested,
            Outcome::Inapplicable => State::Inapplicable,
            Outcome::Held => State::Held,
            Outcome::Permitted => State::Permitted,
            Outcome::Known => State::Known,
            Outcome::Broken => State::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_a_letter_of_its_own() {
        for state in State::ALL.into_iter().chain([State::Unstated]) {
            assert_eq!(State::of_letter(state.letter()), Some(state));
        }
    }

    #[test]
    fn a_verdict_refines_what_coverage_counts() {
        assert_eq!(State::Failed.refined(Status::Crash), State::Crash);
        assert_eq!(State::Crash.refined(Status::Fail), State::Crash);
        assert_eq!(State::Held.refined(Status::Fail), State::Held, "another statement is to blame");
        assert_eq!(State::Untested.refined(Status::Crash), State::Crash);
        assert_eq!(State::Held.refined(Status::Fixed), State::Fixed);
        assert_eq!(State::Unstated.refined(Status::Pass), State::Held);
        assert_eq!(State::Held.refined(Status::Error), State::Error);
        assert_eq!(State::Untestable.refined(Status::Pass), State::Untestable);
    }
}
