//! Assertions: one for each normative statement of the specification, with its section and its strength.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::Release;

/// How strongly a statement binds a VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// An obligation: a VM that behaves differently violates the specification.
    Must,
    /// A recommendation: a different behaviour is a permitted deviation.
    Should,
    /// A permission: either behaviour is allowed, and the report shows the observed one.
    May,
    /// Left to the implementation, within the limits of the statement.
    ImplementationDefined,
}

impl std::fmt::Display for Strength {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Strength::Must => "must",
            Strength::Should => "should",
            Strength::May => "may",
            Strength::ImplementationDefined => "implementation-defined",
        })
    }
}

/// What a statement promises, as far as that decides which expectations of a case can rest on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Promise {
    /// That a function returns this error under some condition.
    Error(String),
    /// That the VM sends an event.
    Sent,
    /// That the VM does not send an event.
    NotSent,
    /// Anything else: an effect, an output, a parameter, a number.
    #[default]
    Other,
}

/// One normative statement of the specification of one release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assertion {
    /// Stable id (`GetThreadState#null/thread_state_ptr`, `thread-state/sleeping-is-timed`).
    pub id: String,
    /// The chapter (or `events`, `agents`, …) in which coverage counts it.
    pub chapter: String,
    /// The function, event or capability that it is about, if it is about one.
    #[serde(default)]
    pub subject: Option<String>,
    /// The statement, in this project's own words.
    pub text: String,
    /// Anchor in the published HTML (`#GetThreadState`), without the `#`.
    pub anchor: String,
    /// How strongly it binds a VM.
    pub strength: Strength,
    /// What it promises.
    #[serde(default)]
    pub promise: Promise,
    /// First release that makes the statement, unless all do.
    #[serde(default)]
    pub since: Option<Release>,
    /// Last release that makes the statement, unless all do.
    #[serde(default)]
    pub until: Option<Release>,
    /// The reason why it cannot be tested, if it cannot.
    #[serde(default)]
    pub untestable: Option<String>,
}

/// The assertions of one release, by id.
#[derive(Clone, Debug, Default)]
pub struct Assertions(HashMap<String, Assertion>);

impl Assertions {
    /// The assertion of that id.
    pub fn get(&self, id: &str) -> Option<&Assertion> {
        self.0.get(id)
    }
}

impl FromIterator<Assertion> for Assertions {
    fn from_iter<I: IntoIterator<Item = Assertion>>(all: I) -> Self {
        Assertions(all.into_iter().map(|a| (a.id.clone(), a)).collect())
    }
}
