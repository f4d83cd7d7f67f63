//! Where the time of a run went: `run --timings`.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jvmti_reports::Verdict;
use jvmti_runner::launch::{Stop, usage};
use jvmti_runner::run::{LaunchCost, Subject, start_bare};

use super::fault::Fault;
use super::terminal::table;

/// How many of the costliest launches, scenarios and cases are listed.
const LISTED: usize = 10;

/// What the launches of a run took, by the name of their JVM.
#[derive(Debug, Default)]
pub struct Timings(Mutex<BTreeMap<String, Vec<LaunchCost>>>);

impl Timings {
    /// Adds a launch.
    pub fn add(&self, jvm: String, cost: LaunchCost) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(jvm).or_default().push(cost);
    }

    /// What each subject's launches took, compared with as many bare starts. `wall` is that of each subject's run, and
    /// `verdicts` are its verdicts.
    pub fn tell(
        &self,
        subjects: &[Subject],
        runs: &[(Duration, Vec<Verdict>)],
        jobs: usize,
        stop: &Stop,
    ) -> Result<String, Fault> {
        let costs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        for (subject, (wall, verdicts)) in subjects.iter().zip(runs) {
            let Some(launches) = costs.get(&subject.short()) else { continue };
            let bare = start_bare(subject, launches.len(), jobs, stop).map_err(Fault::work)?;
            text.push_str(&format!("\n{}\n", subject.short()));
            text.push_str(&totals(launches, *wall, bare));
            text.push_str("\nTime of all launches\n");
            text.push_str(&table(&parts(launches)));
            text.push_str("\nCostliest launches\n");
            text.push_str(&table(&costliest(launches)));
            text.push_str("\nCostliest scenarios\n");
            text.push_str(&table(&scenarios(launches)));
            text.push_str("\nLongest cases\n");
            text.push_str(&table(&cases(verdicts)));
        }
        if let Some((own, _)) = usage::own_and_childrens() {
            text.push_str(&format!("\njvmti-check itself took {} of CPU.\n", seconds(own)));
        }
        Ok(text)
    }
}

fn totals(launches: &[LaunchCost], wall: Duration, (bare_wall, bare_cpu): (Duration, Duration)) -> String {
    let cpu: Duration = launches.iter().map(|launch| launch.cpu).sum();
    let ratio = |all: Duration, bare: Duration| all.as_secs_f64() / bare.as_secs_f64().max(0.001);
    format!(
        "{} starts: {} wall, {} of CPU\nas many bare starts: {} wall, {} of CPU\nratio: {:.2} wall, {:.2} CPU\n",
        launches.len(),
        seconds(wall),
        seconds(cpu),
        seconds(bare_wall),
        seconds(bare_cpu),
        ratio(wall, bare_wall),
        ratio(cpu, bare_cpu),
    )
}

/// Wall time by what was going on.
fn parts(launches: &[LaunchCost]) -> Vec<Vec<String>> {
    let sum = |part: fn(&LaunchCost) -> Duration| launches.iter().map(part).sum::<Duration>();
    let row = |what: &str, time: Duration| vec![format!("  {}", seconds(time)), what.to_owned()];
    vec![
        row("before the probe and after its last record", sum(LaunchCost::outside)),
        row("loading the probe", sum(|launch| launch.loading)),
        row("starting the JVM, and cases without a scenario", sum(|launch| launch.starting)),
        row("running scenarios", sum(LaunchCost::running)),
        row("ending the JVM", sum(|launch| launch.ending)),
        row("jvmti-check: preparing and judging (CPU)", sum(|launch| launch.harness)),
    ]
}

fn costliest(launches: &[LaunchCost]) -> Vec<Vec<String>> {
    let mut sorted: Vec<&LaunchCost> = launches.iter().collect();
    sorted.sort_by_key(|launch| std::cmp::Reverse(launch.cpu.max(launch.wall)));
    let row = |launch: &&LaunchCost| {
        let runs = launch.scenario_runs.len();
        vec![
            format!("  {}", launch.name),
            format!("{} wall", millis(launch.wall)),
            format!("{} CPU", millis(launch.cpu)),
            format!("{} judging", millis(launch.harness)),
            format!("{} cases in {runs} scenario runs, first {}", launch.cases, launch.first),
        ]
    };
    sorted.iter().take(LISTED).map(row).collect()
}

fn scenarios(launches: &[LaunchCost]) -> Vec<Vec<String>> {
    let mut sums: BTreeMap<&str, (Duration, usize)> = BTreeMap::new();
    for (scenario, time) in launches.iter().flat_map(|launch| &launch.scenario_runs) {
        let (sum, count) = sums.entry(scenario).or_default();
        *sum += *time;
        *count += 1;
    }
    let mut sorted: Vec<_> = sums.into_iter().collect();
    sorted.sort_by_key(|(_, (time, _))| std::cmp::Reverse(*time));
    let row = |(scenario, (time, count)): &(&str, (Duration, usize))| {
        vec![format!("  {scenario}"), millis(*time), format!("in {count} runs")]
    };
    sorted.iter().take(LISTED).map(row).collect()
}

fn cases(verdicts: &[Verdict]) -> Vec<Vec<String>> {
    let mut sorted: Vec<&Verdict> = verdicts.iter().collect();
    sorted.sort_by_key(|verdict| std::cmp::Reverse(verdict.micros));
    let row = |verdict: &&Verdict| {
        vec![format!("  {}", verdict.case), millis(Duration::from_micros(verdict.micros))]
    };
    sorted.iter().take(LISTED).map(row).collect()
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn millis(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}
