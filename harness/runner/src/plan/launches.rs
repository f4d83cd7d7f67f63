//! Which scenario runs share a JVM: all that can, spread over as many JVMs as run in parallel.

use std::collections::{BTreeMap, BTreeSet};

use jvmti_cases::model::{Case, Matcher, Reference, Sharing};
use jvmti_wire::plan::{Action, JniOp, Made};

use super::chains::{self, Chain};
use super::placement::{Placed, Timing};
use super::scenario_runs::{self, ScenarioRun};

/// Bounds on packing.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// JVMs over which cases that could share one are spread, so that they can run at the same time.
    pub jobs: usize,
    /// Cases that each have a JVM of their own, whatever they say themselves.
    pub alone: &'a BTreeSet<usize>,
}

impl Limits<'static> {
    /// The same on every machine: which cases share a JVM, and hence what they may notice of each other, depends neither
    /// on cores nor on how the work is shared out.
    pub const STANDARD: Limits<'static> = Limits { jobs: 8, alone: &BTreeSet::new() };
    /// No more JVMs than the cases need.
    pub const FEW: Limits<'static> = Limits { jobs: 1, ..Limits::STANDARD };
}

/// One JVM to start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launch {
    /// Name for people and file names.
    pub name: String,
    /// Options beyond the user's.
    pub vm_options: Vec<String>,
    /// Scenarios to run, in order.
    pub scenario_runs: Vec<String>,
    /// The cases.
    pub cases: Vec<Entry>,
    /// Estimated time, to balance shares of the work; only the ratios matter.
    pub cost: u64,
}

/// A case in a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Index of the case in the list that was scheduled.
    pub case: usize,
    /// Index of its scenario run in [`Launch::scenario_runs`].
    pub scenario_run: Option<u32>,
    /// When each of its environments is made, and its events enabled.
    pub timings: Vec<Timing>,
    /// The chain of the launch along which its environment passes, if it does.
    pub chain: Option<u32>,
}

/// Work worth starting another JVM for, in the unit of [`ScenarioRun::cost`].
pub(super) const WORTH_A_JVM: u64 = 60_000;

/// What cases of one JVM have in common: its options, whether it may crash, the first case of those whose agents get in
/// as theirs do, where that is not as usual, the one case that is alone in it, and the name of those that are apart.
type Group<'c> = (Vec<String>, bool, Option<usize>, Option<usize>, Option<&'c str>);

/// Packs placed cases into launches.
pub fn pack(cases: &[Case], placed: Vec<(usize, Placed)>, limits: Limits<'_>) -> Vec<Launch> {
    let mut groups: BTreeMap<Group<'_>, Vec<(usize, Placed)>> = BTreeMap::new();
    let mut lives: Vec<usize> = Vec::new();
    for (index, place) in placed {
        let case = &cases[index];
        let is_alone = needs_its_own_jvm(case) || limits.alone.contains(&index);
        let alone = is_alone.then_some(index);
        let life = case.life.is_some().then(|| {
            let led = lives.iter().copied().find(|&first| cases[first].life == case.life);
            led.unwrap_or_else(|| {
                lives.push(index);
                index
            })
        });
        groups
            .entry((case.vm_options.clone(), case.undefined, life, alone, case.apart.as_deref()))
            .or_default()
            .push((index, place));
    }
    let mut launches = Vec::new();
    for ((vm_options, _, _, alone, _), members) in groups {
        let limits = if alone.is_some() { Limits::FEW } else { limits };
        let mut bins = fill(cases, scenario_runs::sort(cases, members), limits);
        // A case that cannot run again in the same JVM runs once.
        bins.truncate(if alone.is_some() { 1 } else { bins.len() });
        for bin in bins {
            let mut launch = bin.into_launch(vm_options.clone());
            launch.name = format!("launch-{:03}", launches.len() + 1);
            launches.push(launch);
        }
    }
    launches
}

#[derive(Default)]
struct Bin {
    chains: Vec<Chain>,
    cost: u64,
    held_always: BTreeSet<String>,
    held_sometimes: BTreeSet<String>,
}

/// Whether no other case may use the JVM of this one.
pub(super) fn needs_its_own_jvm(case: &Case) -> bool {
    case.sharing == Sharing::Nothing || case.repeats > 0
}

/// Longest first into the least loaded JVM that takes it.
fn fill(cases: &[Case], scenario_runs: Vec<ScenarioRun>, limits: Limits<'_>) -> Vec<Bin> {
    let total: u64 = scenario_runs.iter().map(|run| run.cost(cases)).sum();
    let wanted = (total / WORTH_A_JVM + 1).min(limits.jobs.max(1) as u64) as usize;
    let mut weighed: Vec<(u64, Chain)> = chains::join(cases, scenario_runs, wanted)
        .into_iter()
        .map(|chain| (chain.cost(cases), chain))
        .collect();
    weighed.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
    let mut bins: Vec<Bin> = (0..wanted).map(|_| Bin::default()).collect();
    for (cost, chain) in weighed {
        let fits = |bin: &&mut Bin| chain.can_share_a_jvm(&bin.held_always, &bin.held_sometimes);
        match bins.iter_mut().filter(fits).min_by_key(|bin| bin.cost) {
            Some(bin) => bin.add(chain, cost),
            None => {
                let mut bin = Bin::default();
                bin.add(chain, cost);
                bins.push(bin);
            }
        }
    }
    bins.retain(|bin| !bin.chains.is_empty());
    bins
}

impl Bin {
    fn add(&mut self, chain: Chain, cost: u64) {
        self.held_always.extend(chain.held_always.iter().cloned());
        self.held_sometimes.extend(chain.held_sometimes.iter().cloned());
        self.cost += cost;
        self.chains.push(chain);
    }

    fn into_launch(self, vm_options: Vec<String>) -> Launch {
        let mut launch = Launch { vm_options, cost: WORTH_A_JVM + self.cost, ..Launch::default() };
        for (number, chain) in (0..).zip(self.chains) {
            let passes_on = chain.scenario_runs.len() > 1;
            for (position, scenario_run) in chain.scenario_runs.into_iter().enumerate() {
                launch.add(scenario_run, passes_on.then_some((number, position)));
            }
        }
        launch
    }
}

impl Launch {
    /// Its cases, each once.
    pub fn distinct_cases(&self) -> BTreeSet<usize> {
        self.cases.iter().map(|entry| entry.case).collect()
    }

    /// Adds a scenario run, which may be at that position of that chain.
    fn add(&mut self, scenario_run: ScenarioRun, link: Option<(u32, usize)>) {
        let number = scenario_run.scenario.map(|scenario| {
            self.scenario_runs.push(scenario);
            self.scenario_runs.len() as u32 - 1
        });
        for (case, place) in scenario_run.cases {
            let link = link.filter(|_| place.link.is_some());
            let mut timings = place.timings;
            if link.is_some_and(|(_, position)| position > 0) {
                timings.iter_mut().for_each(|timing| timing.made = Made::Inherited);
            }
            let chain = link.map(|(chain, _)| chain);
            self.cases.push(Entry { case, scenario_run: number, timings, chain });
        }
    }
}

/// Bytes for the probe's own records: the identity of a JVM, its threads and classes.
const BASE_CAPACITY: u64 = 8 << 20;
/// Bytes for the records of an ordinary case.
const CASE_CAPACITY: u64 = 32 << 10;
/// Events that an environment gets once at the most.
const COMING_ONCE: [&str; 3] = ["VMStart", "VMInit", "VMDeath"];
/// Bytes for a case that surveys a class.
const SURVEY_CAPACITY: u64 = 128 << 10;
/// Bytes for a case that gets events or callbacks by the thousand.
const HOT_CASE_CAPACITY: u64 = 16 << 20;
/// How many such cases of a JVM are given that much, because few of them need it.
const HOT_CASES: usize = 8;
/// Bytes for each further one.
const FURTHER_CASE_CAPACITY: u64 = 512 << 10;

impl Launch {
    /// Trace buffer size in bytes; generous, because records that do not fit are lost, and their cases have to run again.
    pub fn capacity(&self, cases: &[Case]) -> u64 {
        let hot = |case: &Case| {
            case.environments.iter().flat_map(|e| &e.events).any(|e| !COMING_ONCE.contains(&e.as_str()))
                || case.steps.iter().any(|s| s.expect.as_ref().is_some_and(|e| !e.callbacks.is_empty()))
        };
        let one = |case: &Case| match survey(case) {
            _ if hot(case) => HOT_CASE_CAPACITY,
            // The class files that a scenario states are those of all that is loaded.
            Some(Matcher::ClassFile { files: Reference::Fact(_), .. }) => HOT_CASE_CAPACITY,
            Some(_) => SURVEY_CAPACITY,
            None => CASE_CAPACITY,
        };
        let sizes = self.cases.iter().map(|entry| one(&cases[entry.case]));
        let (hot, others): (Vec<u64>, Vec<u64>) = sizes.partition(|size| *size == HOT_CASE_CAPACITY);
        let full = hot.len().min(HOT_CASES);
        let further = (hot.len() - full) as u64 * FURTHER_CASE_CAPACITY;
        BASE_CAPACITY + others.iter().sum::<u64>() + full as u64 * HOT_CASE_CAPACITY + further
    }
}

/// What a case expects of its survey of classes, if it makes one.
fn survey(case: &Case) -> Option<&Matcher> {
    let surveys = |action: &Action| matches!(action, Action::Jni { op: JniOp::Survey, .. });
    let step = case.steps.iter().find(|step| surveys(&step.plan.action))?;
    step.expect.as_ref()?.outputs.first().map(|output| &output.matcher)
}
