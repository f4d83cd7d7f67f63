//! Assertions about the prose of the specification, which `assertions/*.yaml` state in this project's own words.

use serde::{Deserialize, Serialize};

use crate::assertion::{Assertion, Promise, Strength};
use crate::{Release, span::ReleaseSpan};

/// One file under `assertions/`: the assertions of one area of the specification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prose {
    /// Area: the first part of each id (`thread-state`).
    pub area: String,
    /// Chapter in which coverage counts the assertions, unless an assertion names its own.
    pub chapter: String,
    /// Function, event or capability that the assertions are about, unless an assertion names its own.
    #[serde(default)]
    pub subject: Option<String>,
    /// Anchor in the published HTML, unless an assertion names its own anchor or subject.
    pub anchor: String,
    /// The assertions.
    pub assertions: Vec<ProseAssertion>,
}

/// One assertion of an area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProseAssertion {
    /// Second part of the id (`sleeping-is-timed`).
    pub id: String,
    /// The statement, in this project's own words.
    pub says: String,
    /// How strongly it binds a VM.
    #[serde(default = "must")]
    pub strength: Strength,
    /// The error that it promises, if it promises one.
    #[serde(default)]
    pub error: Option<String>,
    /// Chapter, if it differs from the file's.
    #[serde(default)]
    pub chapter: Option<String>,
    /// Function, event or capability that it is about.
    #[serde(default)]
    pub subject: Option<String>,
    /// Anchor, if it is neither the subject nor the file's anchor.
    #[serde(default)]
    pub anchor: Option<String>,
    /// First release that makes the statement.
    #[serde(default)]
    pub since: Option<Release>,
    /// Last release that makes the statement.
    #[serde(default)]
    pub until: Option<Release>,
    /// The reason why it cannot be tested, if it cannot.
    #[serde(default)]
    pub untestable: Option<String>,
}

fn must() -> Strength {
    Strength::Must
}

impl Prose {
    /// The assertions of the area that hold in that release.
    pub fn at(&self, release: Release) -> impl Iterator<Item = Assertion> {
        self.assertions
            .iter()
            .filter(move |a| ReleaseSpan { since: a.since, until: a.until }.holds(release))
            .map(|a| self.assertion(a))
    }

    fn assertion(&self, a: &ProseAssertion) -> Assertion {
        Assertion {
            id: format!("{}/{}", self.area, a.id),
            chapter: a.chapter.as_ref().unwrap_or(&self.chapter).clone(),
            subject: a.subject.as_ref().or(self.subject.as_ref()).cloned(),
            text: a.says.clone(),
            anchor: a.anchor.as_ref().or(a.subject.as_ref()).unwrap_or(&self.anchor).clone(),
            strength: a.strength,
            promise: a.error.clone().map_or(Promise::Other, Promise::Error),
            since: a.since,
            until: a.until,
            untestable: a.untestable.clone(),
        }
    }
}
