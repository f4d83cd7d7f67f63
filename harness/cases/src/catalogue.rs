//! The Java scenarios that cases may name, from `scenarios.yaml`: what each binds, marks and states.

use serde::Deserialize;

use super::releases::Releases;

/// All scenarios.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue(pub Vec<Scenario>);

/// A Java class `jvmticheck.scenarios.<name>`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Simple class name.
    pub name: String,
    /// What it brings about.
    pub about: String,
    /// Releases that can run it.
    #[serde(default)]
    pub releases: Releases,
    /// Names that it gives to objects, each with what it names.
    #[serde(default)]
    pub binds: Vec<Named>,
    /// Moments that it marks, in order.
    #[serde(default)]
    pub checkpoints: Vec<Named>,
    /// Facts that it states.
    #[serde(default)]
    pub facts: Vec<Named>,
}

/// A name and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub is: String,
}

impl Catalogue {
    /// The scenario of that name.
    pub fn scenario(&self, name: &str) -> Option<&Scenario> {
        self.0.iter().find(|scenario| scenario.name == name)
    }
}

impl Scenario {
    /// Whether it binds that name.
    pub fn binds(&self, name: &str) -> bool {
        self.binds.iter().any(|bound| bound.name == name)
    }
}
