//! Assertions that the text makes in prose, as `assertions/*.yaml` registers them in this project's own words.

use serde::{Deserialize, Serialize};

use crate::assertion::{Assertion, Strength};
use crate::{Release, span::Span};

/// One file under `assertions/`: the assertions of one area of the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prose {
    /// Area, the first part of each id (`thread-state`).
    pub area: String,
    /// Chapter under which coverage counts them, unless an assertion names its own.
    pub chapter: String,
    /// Function or event that they are about, unless an assertion names its own.
    #[serde(default)]
    pub subject: Option<String>,
    /// Anchor in the published HTML, unless an assertion names its own.
    pub anchor: String,
    /// The assertions.
    pub assertions: Vec<ProseAssertion>,
}

/// One assertion of an area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProseAssertion {
    /// Second part of its id (`sleeping-is-timed`).
    pub id: String,
    /// What the text says, in own words.
    pub says: String,
    /// How strongly.
    #[serde(default = "must")]
    pub strength: Strength,
    /// Chapter, if not the file's.
    #[serde(default)]
    pub chapter: Option<String>,
    /// Function or event it is about.
    #[serde(default)]
    pub subject: Option<String>,
    /// Anchor, if neither the subject's nor the file's.
    #[serde(default)]
    pub anchor: Option<String>,
    /// First release that says so.
    #[serde(default)]
    pub since: Option<Release>,
    /// Last release that says so.
    #[serde(default)]
    pub until: Option<Release>,
    /// Why it cannot be tested, if so.
    #[serde(default)]
    pub untestable: Option<String>,
}

fn must() -> Strength {
    Strength::Must
}

impl Prose {
    /// The area's assertions that hold in that release.
    pub fn at(&self, release: Release) -> impl Iterator<Item = Assertion> {
        self.assertions
            .iter()
            .filter(move |a| Span { since: a.since, until: a.until }.holds(release))
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
            since: a.since,
            until: a.until,
            untestable: a.untestable.clone(),
        }
    }
}
