//! The Java scenarios that cases may name, from `scenarios.yaml`: what each binds, marks and states.

use std::collections::BTreeMap;

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
    /// The threads that it brings into states; it binds each by its name.
    #[serde(default)]
    pub threads: Vec<Thread>,
    /// Facts that it states of each of them, as `thread.fact`.
    #[serde(default)]
    pub thread_facts: Vec<Named>,
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

/// A thread in a state.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thread {
    /// The name that it is bound to.
    pub name: String,
    /// What it does.
    pub is: String,
    /// Releases in which there is one.
    #[serde(default)]
    pub releases: Releases,
    /// What rules can ask of it, by name.
    #[serde(default)]
    pub traits: BTreeMap<String, String>,
}

impl Catalogue {
    /// The scenarios, each with the names and facts that follow from its threads.
    pub fn new(mut scenarios: Vec<Scenario>) -> Catalogue {
        for scenario in &mut scenarios {
            for thread in &scenario.threads {
                scenario.binds.push(Named { name: thread.name.clone(), is: thread.is.clone() });
                let facts = scenario.thread_facts.iter();
                let facts =
                    facts.map(|f| Named { name: format!("{}.{}", thread.name, f.name), is: f.is.clone() });
                scenario.facts.extend(facts.collect::<Vec<_>>());
            }
        }
        Catalogue(scenarios)
    }

    /// Adds scenarios; one of the same name is replaced.
    pub fn add(&mut self, more: Catalogue) {
        self.0.retain(|scenario| more.scenario(&scenario.name).is_none());
        self.0.extend(more.0);
    }

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
