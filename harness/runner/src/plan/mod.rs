//! The planner: packs cases into as few JVM starts as the specification lets them share.
//!
//! Decisions, each in a module of its own: when a case's environments are made ([`placement`]), which cases run their
//! scenario together ([`scenario_runs`]), which of those pass an environment on ([`chains`]), which share a JVM
//! ([`launches`]), and which of several machines starts that ([`shard`]). Before all that, [`cover`] may select the cases that suffice
//! to test every statement.

pub mod chains;
pub mod cover;
pub mod launches;
pub mod placement;
pub mod scenario_runs;
pub mod shard;

use std::collections::BTreeSet;

use jvmti_cases::model::{Case, Life};
use jvmti_spec::Edition;
use jvmti_wire::plan as wire;

pub use cover::cover;
pub use launches::{Launch, Limits};
pub use placement::{Placed, Unavailable, place};

/// What a JVM offers to agents, as it said itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Offer {
    /// Capabilities that can be added in the OnLoad phase.
    pub on_load: BTreeSet<String>,
    /// Capabilities that can be added in the live phase.
    pub live: BTreeSet<String>,
    /// Capabilities that only one environment can hold at a time.
    pub exclusive: BTreeSet<String>,
    /// Whether its locations are something else than indices in bytecode.
    #[serde(default)]
    pub other_locations: bool,
}

/// All launches for one JVM, and the cases that cannot run on it.
#[derive(Debug, Default)]
pub struct Schedule {
    /// To be run in any order, in parallel.
    pub launches: Vec<Launch>,
    /// Index of the case, and why it does not apply.
    pub inapplicable: Vec<(usize, Unavailable)>,
}

/// Packs the cases with these indices into launches.
pub fn schedule(cases: &[Case], wanted: &[usize], offer: &Offer, limits: Limits<'_>) -> Schedule {
    let mut schedule = Schedule::default();
    let mut placed = Vec::with_capacity(wanted.len());
    for &index in wanted {
        match placement::place(&cases[index], offer) {
            Ok(place) => placed.push((index, place)),
            Err(reason) => schedule.inapplicable.push((index, reason)),
        }
    }
    schedule.launches = launches::pack(cases, placed, limits);
    schedule
}

impl Launch {
    /// How agents get in and how the JVM ends, if its one case says so.
    pub fn life<'c>(&self, cases: &'c [Case]) -> Option<&'c Life> {
        self.cases.first().and_then(|entry| cases[entry.case].life.as_ref())
    }

    /// The plan for the agent. `brief` is what the judge will need, serialised.
    pub fn plan(&self, cases: &[Case], edition: &Edition, brief: String) -> wire::Plan {
        let scenario_runs = self
            .scenario_runs
            .iter()
            .map(|scenario| wire::ScenarioRun { scenario: scenario.clone() })
            .collect();
        let life = self.life(cases);
        let returns = life.map(|life| life.returns.clone()).unwrap_or_default();
        let cases = self.cases.iter().map(|entry| wire_case(&cases[entry.case], entry, edition)).collect();
        wire::Plan {
            launch: self.name.clone(),
            scenario_runs,
            cases,
            brief,
            returns,
            ..wire::Plan::default()
        }
    }
}

fn wire_case(case: &Case, entry: &launches::Entry, edition: &Edition) -> wire::PlannedCase {
    let environments =
        case.environments.iter().zip(&entry.timings).map(|(need, timing)| wire::PlannedEnvironment {
            name: need.name.clone(),
            made: timing.made,
            enabled: timing.enabled,
            chain: entry.chain,
            version: need.version,
            capabilities: need
                .capabilities
                .iter()
                .filter_map(|c| edition.capability(c))
                .map(|c| c.bit)
                .collect(),
            events: need.events.iter().filter_map(|e| edition.event(e)).map(|e| e.number).collect(),
        });
    wire::PlannedCase {
        id: case.id.clone(),
        run: entry.scenario_run,
        environments: environments.collect(),
        steps: case.steps.iter().map(|s| s.plan.clone()).collect(),
        handlers: case.handlers.clone(),
    }
}

#[cfg(test)]
mod tests;
