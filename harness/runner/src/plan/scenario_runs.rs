//! Which cases run their scenario together: those that neither watch nor change what it does share one run.

use std::collections::{BTreeMap, BTreeSet};

use jvmti_cases::model::{Case, Sharing};

use super::chains::Link;
use super::placement::Placed;

/// Estimated time that a scenario takes, in the unit of [`ScenarioRun::cost`].
pub(super) const OF_SCENARIO: u64 = 4_000;
/// That of a step.
pub(super) const OF_STEP: u64 = 40;

/// One run of a scenario with the cases that take part, or a case that needs no scenario.
#[derive(Clone, Debug, Default)]
pub struct ScenarioRun {
    /// The scenario; `None` for cases without one.
    pub scenario: Option<String>,
    /// Indices of the cases, with their placement.
    pub cases: Vec<(usize, Placed)>,
    /// Exclusive capabilities that its cases hold throughout the JVM's life.
    pub held_always: BTreeSet<String>,
    /// Those, and the ones that they hold while the scenario run lasts.
    pub held_lastingly: BTreeSet<String>,
    /// All exclusive capabilities that its cases hold at some time.
    pub held_sometimes: BTreeSet<String>,
    /// What the environment of one of its cases needs in order to pass from case to case.
    pub link: Option<Link>,
}

impl ScenarioRun {
    fn takes(&self, placed: &Placed) -> bool {
        (self.link.is_none() || placed.link.is_none())
            && self.held_sometimes.is_disjoint(&placed.held_always)
            && self.held_sometimes.is_disjoint(&placed.held_in_run)
            && self.held_lastingly.is_disjoint(&placed.held_in_passing)
    }

    fn add(&mut self, case: usize, placed: Placed) {
        self.held_always.extend(placed.held_always.iter().cloned());
        self.held_lastingly.extend(placed.held_always.iter().chain(&placed.held_in_run).cloned());
        for set in [&placed.held_always, &placed.held_in_run, &placed.held_in_passing] {
            self.held_sometimes.extend(set.iter().cloned());
        }
        self.link = self.link.take().or_else(|| placed.link.clone());
        self.cases.push((case, placed));
    }

    /// Estimated time in microseconds, to balance launches; only the ratios matter.
    pub fn cost(&self, cases: &[Case]) -> u64 {
        let scenario = if self.scenario.is_some() { OF_SCENARIO } else { 50 };
        let steps: usize = self.cases.iter().map(|(index, _)| cases[*index].steps.len() + 1).sum();
        scenario + OF_STEP * steps as u64
    }
}

/// Sorts cases into scenario runs. The order of cases is kept within a scenario run.
pub fn sort(cases: &[Case], placed: Vec<(usize, Placed)>) -> Vec<ScenarioRun> {
    let mut shared: BTreeMap<Option<String>, Vec<ScenarioRun>> = BTreeMap::new();
    let mut own = Vec::new();
    for (index, place) in placed {
        let case = &cases[index];
        let fresh = || ScenarioRun { scenario: case.scenario.clone(), ..ScenarioRun::default() };
        if case.scenario.is_none() || needs_its_own_run(case) {
            for _ in 0..=case.repeats {
                let mut scenario_run = fresh();
                scenario_run.add(index, place.clone());
                own.push(scenario_run);
            }
            continue;
        }
        let scenario_runs = shared.entry(case.scenario.clone()).or_default();
        match scenario_runs.iter_mut().find(|scenario_run| scenario_run.takes(&place)) {
            Some(scenario_run) => scenario_run.add(index, place),
            None => {
                let mut scenario_run = fresh();
                scenario_run.add(index, place);
                scenario_runs.push(scenario_run);
            }
        }
    }
    shared.into_values().flatten().chain(own).collect()
}

/// A case that expects events would see those that other cases cause; one that has handlers, or says so, would disturb
/// the others.
pub(super) fn needs_its_own_run(case: &Case) -> bool {
    case.sharing != Sharing::Scenario
        || case.repeats > 0
        || case.events.is_some()
        || !case.handlers.is_empty()
        || case.environments.iter().any(|e| !e.events.is_empty())
}
