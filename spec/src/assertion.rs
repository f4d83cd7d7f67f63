//! The assertion registry: one id per normative statement, each with where the text says it and how strongly.

use serde::{Deserialize, Serialize};

use crate::Release;

/// How strongly the text obliges a VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// An obligation: a VM that does otherwise violates the specification.
    Must,
    /// A recommendation: doing otherwise is a permitted deviation.
    Should,
    /// A permission: either is right; what was observed is reported.
    May,
    /// Left to the implementation, within what the text says.
    ImplementationDefined,
}

/// One normative statement of the specification in one edition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assertion {
    /// Stable id (`GetThreadState#null/thread_state_ptr`, `thread-state/sleeping-is-timed`).
    pub id: String,
    /// The chapter (or `events`, `agents`, …) under which coverage counts it.
    pub chapter: String,
    /// Function or event it is about, if one.
    #[serde(default)]
    pub subject: Option<String>,
    /// What it says, in our words.
    pub text: String,
    /// Anchor in the published HTML (`#GetThreadState`), without the `#`.
    pub anchor: String,
    /// How strongly.
    pub strength: Strength,
    /// First release that states it, if not all.
    #[serde(default)]
    pub since: Option<Release>,
    /// Last release that states it, if not all.
    #[serde(default)]
    pub until: Option<Release>,
    /// Why it cannot be tested, if so.
    #[serde(default)]
    pub untestable: Option<String>,
}
