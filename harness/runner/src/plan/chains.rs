//! Which cases pass their environment on to the next: those whose capabilities only one environment can possess at a time,
//! and only from OnLoad on. Otherwise, each of them would need a JVM of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jvmti_cases::model::{Case, Sharing};
use jvmti_spec::Spec;
use jvmti_wire::plan::{Action, Arg};

use super::Offer;
use super::placement::outlives_its_run;
use super::scenario_runs::ScenarioRun;

/// What an environment needs in order to pass from case to case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Its exclusive capabilities.
    pub exclusive: BTreeSet<String>,
    /// Those of its capabilities that can be added in OnLoad only: what was relinquished does not come back.
    pub early: BTreeSet<String>,
}

/// Scenario runs that follow each other in one JVM, most often a single one.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// The scenario runs.
    pub scenario_runs: Vec<ScenarioRun>,
    /// Exclusive capabilities that its cases hold throughout the JVM's life.
    pub held_always: BTreeSet<String>,
    /// All exclusive capabilities that its cases hold at some time.
    pub held_sometimes: BTreeSet<String>,
}

/// Capabilities that change an environment, or what it has done, for good: objects keep their tags, and whether an
/// environment can retransform is settled by the first class file that it is shown.
const LASTING: [&str; 4] = [
    "can_tag_objects",
    "can_retransform_classes",
    "can_retransform_any_class",
    "can_generate_all_class_hook_events",
];
/// Functions that change an environment in ways that cannot be undone, or show how it was made.
const LASTING_CALLS: [&str; 6] = [
    "DisposeEnvironment",
    "AddCapabilities",
    "RelinquishCapabilities",
    "GetPotentialCapabilities",
    "SetExtensionEventCallback",
    "SetJNIFunctionTable",
];
const LASTING_EVENTS: [&str; 1] = ["ClassFileLoadHook"];

/// What the environment of the case needs in order to pass from case to case, if it can.
pub(super) fn link(case: &Case, offer: &Offer) -> Option<Link> {
    let [environment] = case.environments.as_slice() else { return None };
    let is_ordinary = case.scenario.is_some()
        && case.life.is_none()
        && case.sharing != Sharing::Nothing
        && !case.undefined
        && !outlives_its_run(case)
        && environment.version.is_none();
    let names = |set: &[&str], name: &String| set.contains(&name.as_str());
    // The next run of the same case goes on with what the one before it has left.
    let lasts = case.repeats == 0 && environment.capabilities.iter().any(|name| names(&LASTING, name))
        || environment.events.iter().any(|name| names(&LASTING_EVENTS, name))
        || actions(case).any(is_lasting);
    let of = |wanted: &dyn Fn(&String) -> bool| {
        environment.capabilities.iter().filter(|name| wanted(name)).cloned().collect::<BTreeSet<_>>()
    };
    let link = Link {
        exclusive: of(&|name| offer.exclusive.contains(name)),
        early: of(&|name| !offer.live.contains(name)),
    };
    (is_ordinary && !lasts && !link.exclusive.is_empty()).then_some(link)
}

fn actions(case: &Case) -> impl Iterator<Item = &Action> {
    let steps = case.steps.iter().map(|step| &step.plan.action);
    steps.chain(case.handlers.iter().flat_map(|handler| &handler.actions))
}

fn is_lasting(action: &Action) -> bool {
    let Action::Call { function, args, .. } = action else { return matches!(action, Action::Dispose { .. }) };
    let is_hook = |arg: &Arg| matches!(arg, Arg::Int(number) if LASTING_NUMBERS.events.contains(number));
    LASTING_NUMBERS.calls.contains(function)
        || *function == LASTING_NUMBERS.enabling && args.iter().any(is_hook)
}

/// The numbers of [`LASTING_CALLS`] and [`LASTING_EVENTS`], the same in all releases.
struct Numbers {
    calls: Vec<u16>,
    events: Vec<i64>,
    enabling: u16,
}

static LASTING_NUMBERS: LazyLock<Numbers> = LazyLock::new(|| {
    let edition = Spec::embedded().newest();
    let slot = |name: &str| edition.function(name).map(|function| function.slot);
    Numbers {
        calls: LASTING_CALLS.into_iter().filter_map(slot).collect(),
        events: LASTING_EVENTS
            .into_iter()
            .filter_map(|name| edition.event(name))
            .map(|e| e.number.into())
            .collect(),
        enabling: slot("SetEventNotificationMode").unwrap_or_default(),
    }
});

/// Joins scenario runs to chains, at most half of `wanted` for the same exclusive capabilities: other cases need them, too.
pub(super) fn join(cases: &[Case], scenario_runs: Vec<ScenarioRun>, wanted: usize) -> Vec<Chain> {
    let mut chains: Vec<Chain> = Vec::new();
    let mut by_capabilities: BTreeMap<BTreeSet<String>, Vec<(Link, ScenarioRun)>> = BTreeMap::new();
    for scenario_run in scenario_runs {
        match scenario_run.link.clone() {
            Some(link) => {
                by_capabilities.entry(link.exclusive.clone()).or_default().push((link, scenario_run))
            }
            None => chains.push(Chain::of(scenario_run)),
        }
    }
    for mut members in by_capabilities.into_values() {
        members
            .sort_by(|(a, _), (b, _)| b.early.len().cmp(&a.early.len()).then_with(|| a.early.cmp(&b.early)));
        let mut joined: Vec<(BTreeSet<String>, u64, Chain)> = Vec::new();
        for (link, scenario_run) in members {
            let cost = scenario_run.cost(cases);
            let full = joined.len() >= (wanted / 2).max(1);
            let before = joined.iter_mut().filter(|(early, ..)| full && link.early.is_subset(early));
            match before.min_by_key(|(_, cost, _)| *cost) {
                Some((early, sum, chain)) => {
                    *early = link.early;
                    *sum += cost;
                    chain.add(scenario_run);
                }
                None => joined.push((link.early, cost, Chain::of(scenario_run))),
            }
        }
        chains.extend(joined.into_iter().map(|(.., chain)| chain));
    }
    chains
}

impl Chain {
    fn of(scenario_run: ScenarioRun) -> Chain {
        let mut chain = Chain::default();
        chain.add(scenario_run);
        chain
    }

    fn add(&mut self, scenario_run: ScenarioRun) {
        self.held_always.extend(scenario_run.held_always.iter().cloned());
        // The environment that passes possesses them from OnLoad on.
        self.held_always.extend(scenario_run.link.iter().flat_map(|link| &link.exclusive).cloned());
        self.held_sometimes.extend(scenario_run.held_sometimes.iter().cloned());
        self.scenario_runs.push(scenario_run);
    }

    /// Estimated time.
    pub fn cost(&self, cases: &[Case]) -> u64 {
        self.scenario_runs.iter().map(|run| run.cost(cases)).sum()
    }

    /// Whether it can be in one JVM with others, one after the other.
    pub fn can_share_a_jvm(&self, always: &BTreeSet<String>, sometimes: &BTreeSet<String>) -> bool {
        self.held_always.is_disjoint(sometimes) && self.held_sometimes.is_disjoint(always)
    }
}
