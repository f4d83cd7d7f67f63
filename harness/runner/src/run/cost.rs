//! What a launch took, and where its time went.

use std::time::Duration;

use jvmti_wire::trace::{Body, Exit, Record};

use super::Tests;
use super::queue::Job;
use crate::launch::{Ended, usage};

/// What one launch took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchCost {
    /// Its name, and the cases in it.
    pub name: String,
    /// How many cases were in it.
    pub cases: usize,
    /// The first of them.
    pub first: String,
    /// From the start to the end of the process.
    pub wall: Duration,
    /// The processor time of the JVM, as far as it is known.
    pub cpu: Duration,
    /// The processor time that the harness took to prepare it, to judge it, and to conclude what it came to.
    pub harness: Duration,
    /// From the call of `Agent_OnLoad` to its return.
    pub loading: Duration,
    /// From there until the first scenario run began.
    pub starting: Duration,
    /// The scenario runs: their scenario, and how long each took.
    pub scenario_runs: Vec<(String, Duration)>,
    /// From the end of the last scenario run, or from the start of the JVM if there was none, to the last record.
    pub ending: Duration,
}

impl LaunchCost {
    /// The time before the probe was loaded and after its last record.
    pub fn outside(&self) -> Duration {
        let runs = self.running();
        self.wall.saturating_sub(self.loading + self.starting + runs + self.ending)
    }

    /// The time of all scenario runs.
    pub fn running(&self) -> Duration {
        self.scenario_runs.iter().map(|(_, time)| *time).sum()
    }
}

/// Gathers what a launch takes. One thread does all of it.
pub(super) struct Meter {
    cost: LaunchCost,
    begun: Duration,
    scenarios: Vec<String>,
    open: Option<(u32, Duration)>,
    last: Duration,
    loaded: Option<Duration>,
}

impl Meter {
    /// Begins to measure.
    pub(super) fn start(job: &Job, tests: &Tests) -> Meter {
        let first = job.launch.cases.first().and_then(|entry| tests.cases.get(entry.case));
        Meter {
            cost: LaunchCost {
                name: job.launch.name.clone(),
                cases: job.launch.distinct_cases().len(),
                first: first.map(|case| case.id.clone()).unwrap_or_default(),
                ..LaunchCost::default()
            },
            begun: usage::of_this_thread(),
            scenarios: job.launch.scenario_runs.clone(),
            open: None,
            last: Duration::ZERO,
            loaded: None,
        }
    }

    /// A record of the trace.
    pub(super) fn see(&mut self, record: &Record) {
        let at = Duration::from_nanos(record.at);
        match &record.body {
            // That of the process has another clock.
            Body::Ended(_) => return,
            Body::EntryReturned { .. } if self.loaded.is_none() => {
                self.cost.loading = at;
                self.loaded = Some(at);
            }
            Body::RunBegin { run } => {
                if self.cost.scenario_runs.is_empty() {
                    self.cost.starting = at.saturating_sub(self.loaded.unwrap_or_default());
                }
                self.open = Some((*run, at));
            }
            Body::RunEnd { .. } => self.end_run(at),
            _ => {}
        }
        self.last = self.last.max(at);
    }

    fn end_run(&mut self, at: Duration) {
        let Some((run, since)) = self.open.take() else { return };
        let scenario = self.scenarios.get(run as usize).cloned().unwrap_or_default();
        self.cost.scenario_runs.push((scenario, at.saturating_sub(since)));
    }

    /// What it took, after all is done.
    pub(super) fn stop(mut self, ended: &Ended) -> LaunchCost {
        if ended.status == crate::launch::Status::TimedOut || Exit::from(ended.status) != Exit::Code(0) {
            self.end_run(self.last);
        }
        let told = self.cost.loading + self.cost.starting + self.cost.running();
        LaunchCost {
            wall: ended.wall,
            cpu: ended.cpu.unwrap_or_default(),
            harness: usage::of_this_thread().saturating_sub(self.begun),
            ending: self.last.saturating_sub(told),
            ..self.cost
        }
    }
}
