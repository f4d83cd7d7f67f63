//! The runner: from cases and JVMs to verdicts. Launches run in parallel. The cases that a crash or a hang interrupted run
//! again without the case that caused it.

mod attempt;
mod bare;
mod cause;
mod control;
mod cost;
mod kept;
mod late_starts;
mod life;
mod queue;
mod tally;
mod universal;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

pub use attempt::{not_loaded, unfinished};
pub use bare::start_bare;
pub use cost::LaunchCost;
use jvmti_cases::known::{Deviation, Shows};
use jvmti_cases::model::Case;
use jvmti_cases::{Brief, Inapplicable, Judged, LaunchEnd};
use jvmti_results::{JvmRun, Shard, Verdict};
use jvmti_spec::{Assertions, Edition};
use jvmti_wire::Plan;
use jvmti_wire::trace::Record;
pub use kept::Keep;
pub use late_starts::LateStarts;
use queue::{Job, Queue};
use tally::Tally;
use thiserror::Error;
pub use universal::Universal;

use crate::jvm::{Identity, Jdk};
use crate::launch::{Scratch, Stop, Timeouts};
use crate::plan::launches::Entry;
use crate::plan::{self, Limits};

/// The cases for the JVMs of one release, and the text that they check.
#[derive(Clone, Debug)]
pub struct Tests {
    /// The specification of the release.
    pub edition: Edition,
    /// The statements of that specification.
    pub assertions: Assertions,
    /// The selected cases for the release.
    pub cases: Vec<Case>,
    /// Selected cases that are not for the release.
    pub inapplicable: Vec<Inapplicable>,
    /// Known deviations, of these JVMs and of others.
    pub known: Vec<Deviation>,
}

/// A JVM to be tested, with certain options.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Where it is.
    pub jdk: Jdk,
    /// Its identity, and what it offers to agents.
    pub identity: Identity,
    /// Name of the set of options that it is started with, if that has one.
    pub configuration: Option<String>,
    /// All options of the user, those of the configuration first.
    pub vm_options: Vec<String>,
    /// Command that runs a case again on it, with `{case}` where its id goes.
    pub reproduce: String,
    /// What it is tested with.
    pub tests: Arc<Tests>,
}

impl Subject {
    /// Name for narrow columns.
    pub fn short(&self) -> String {
        let (jvm, configuration) = (self.identity.jvm.clone(), self.configuration.clone());
        JvmRun { jvm, configuration, ..JvmRun::default() }.short()
    }

    /// Known deviations of this JVM for which this holds.
    fn deviations(&self, which: impl Fn(&Deviation) -> bool) -> impl Iterator<Item = &Deviation> {
        let Subject { tests, identity, vm_options, .. } = self;
        tests.known.iter().filter(move |d| which(d) && d.on.contain(&identity.jvm, vm_options))
    }

    /// Indices of the cases of such deviations.
    fn listed(&self, which: impl Fn(&Deviation) -> bool) -> BTreeSet<usize> {
        let ids: BTreeSet<&String> = self.deviations(which).flat_map(|d| &d.cases).collect();
        let cases = self.tests.cases.iter().enumerate();
        cases.filter(|(_, case)| ids.contains(&case.id)).map(|(index, _)| index).collect()
    }

    /// Cases that are known to hang on this JVM.
    fn hanging(&self) -> BTreeSet<usize> {
        self.listed(|deviation| deviation.shows == Shows::Timeout)
    }

    /// When to give up the JVM of a launch: sooner if its only case is known to hang it each time, and just has to show that again.
    fn timeouts(&self, all: Timeouts, cases: &[Entry]) -> Timeouts {
        let [only] = cases else { return all };
        let id = &self.tests.cases[only.case].id;
        let is_sure = |d: &Deviation| d.shows == Shows::Timeout && !d.sometimes && d.cases.contains(id);
        match self.deviations(is_sure).next() {
            Some(_) => Timeouts { idle: all.idle / 2, ..all },
            None => all,
        }
    }

    /// Cases that are known to end this JVM each time, or to hang: all that shared it with them would have to run again.
    fn fatal(&self) -> BTreeSet<usize> {
        self.listed(|deviation| {
            matches!(deviation.shows, Shows::Crash | Shows::Timeout) && !deviation.sometimes
        })
    }
}

/// Reaches the verdicts on the cases of one launch from the records of its trace. `jvmti_judge::judge` is one.
pub type Judge =
    fn(&mut dyn Iterator<Item = Record>, &Plan, &Brief, &Edition, &Assertions, &LaunchEnd) -> Judged;

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// JVMs that run at the same time; one that only waits does not count.
    pub jobs: usize,
    /// The agent library.
    pub probe: PathBuf,
    /// What judges the traces.
    pub judge: Judge,
    /// This program, which is also a launcher with the probe linked into it.
    pub program: PathBuf,
    /// When to give a JVM up.
    pub timeouts: Timeouts,
    /// Trace buffer size per JVM in bytes; `None`: estimated from the cases.
    pub capacity: Option<u64>,
    /// Which traces are kept, and in which folder.
    pub keep_traces: Option<Keep>,
    /// Version of the suite.
    pub suite: String,
    /// Class path entries with the user's own scenarios.
    pub class_path: Vec<PathBuf>,
    /// Whether to run only the cases that suffice to test every statement.
    pub quick: bool,
    /// Whether each case has a JVM of its own, in which no other case has done anything before.
    pub alone: bool,
    /// The share of the work that this machine does, if others do the rest.
    pub shard: Option<Shard>,
}

impl Options {
    /// With the default timeouts, estimated buffers, and no traces kept.
    pub fn new(probe: PathBuf, program: PathBuf, judge: Judge, suite: String) -> Options {
        Options {
            jobs: Options::standard_jobs(),
            probe,
            judge,
            program,
            timeouts: Timeouts::default(),
            capacity: None,
            keep_traces: None,
            suite,
            quick: false,
            alone: false,
            shard: None,
            class_path: Vec::new(),
        }
    }

    /// How many JVMs run at the same time by default: three for every two cores, because most cases wait for a thread, a collection
    /// or a timer now and then, too briefly for their JVM to count as one that only waits.
    pub fn standard_jobs() -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        cores + cores.div_ceil(2)
    }
}

/// Observes a run while it goes on. Called from several threads.
pub trait Watcher: Sync {
    /// The cases of a JVM were packed into launches: how many cases and launches there are.
    fn scheduled(&self, subject: &Subject, cases: usize, launches: usize);
    /// A verdict has been reached on a JVM of that name.
    fn verdict(&self, name: &str, verdict: &Verdict);
    /// A launch has ended and is judged.
    fn launched(&self, _subject: &Subject, _cost: &LaunchCost) {}
}

/// Why nothing could be run.
#[derive(Debug, Error)]
pub enum RunError {
    /// The folder for temporary files cannot be made.
    #[error("cannot make a scratch folder below {}: {error}; set TMPDIR to a folder with room", std::env::temp_dir().display())]
    Scratch {
        /// Why.
        error: std::io::Error,
    },
    /// A JVM cannot be started without the probe either.
    #[error(transparent)]
    Bare(crate::launch::LaunchError),
    /// The folder for traces cannot be made, or traces of an earlier run not be removed from it.
    #[error("cannot keep traces in {path}: {error}")]
    KeepTraces {
        /// The folder.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

/// What the attempts share.
struct Bench<'a> {
    subjects: &'a [Subject],
    options: &'a Options,
    scratch: &'a Scratch,
    stop: &'a Stop,
    watcher: &'a dyn Watcher,
    queue: &'a Queue,
}

/// Runs every subject's cases and gives one [`JvmRun`] per subject, in their order. After `stop` was asked for, what
/// has not been reached is reported as such.
pub fn run(
    subjects: &[Subject],
    options: &Options,
    stop: &Stop,
    watcher: &dyn Watcher,
) -> Result<Vec<JvmRun>, RunError> {
    let scratch = Scratch::new().map_err(|error| RunError::Scratch { error })?;
    if let Some(keep) = &options.keep_traces {
        keep.prepare().map_err(|error| RunError::KeepTraces { path: keep.folder.clone(), error })?;
    }
    let tallies: Vec<Tally> = subjects.iter().map(|subject| Tally::new(subject, options)).collect();
    let jobs = subjects.iter().zip(&tallies).enumerate().flat_map(|(index, (subject, tally))| {
        let tests = &subject.tests;
        let offer = &subject.identity.offer;
        let fatal = subject.fatal();
        let wanted = if options.quick {
            plan::cover(&tests.cases, offer, &fatal)
        } else {
            (0..tests.cases.len()).collect::<Vec<_>>()
        };
        let alone = if options.alone { wanted.iter().copied().collect() } else { fatal };
        let limits = Limits { alone: &alone, ..Limits::STANDARD };
        let mut schedule = plan::schedule(&tests.cases, &wanted, offer, limits);
        if let Some(shard) = options.shard {
            schedule.launches = plan::shard::share(schedule.launches, shard, &subject.short());
        }
        // What does not apply is the first share's to tell. A quick run leaves it out.
        let tells = !options.quick && options.shard.is_none_or(|shard| shard.index == 1);
        let inapplicable = if tells { tests.inapplicable.as_slice() } else { &[] };
        schedule.inapplicable.retain(|_| tells);
        // To give a JVM up takes a while, in which others can compute.
        let hanging = subject.hanging();
        let hangs = |entry: &Entry| hanging.contains(&entry.case) || tests.cases[entry.case].untimed;
        schedule.launches.sort_by_cached_key(|launch| !launch.cases.iter().any(hangs));
        let cases: usize = schedule.launches.iter().map(|launch| launch.distinct_cases().len()).sum();
        let told = inapplicable.len() + schedule.inapplicable.len();
        watcher.scheduled(subject, cases + told, schedule.launches.len());
        for case in inapplicable {
            tally.not_for_release(case, watcher);
        }
        for (case, reason) in &schedule.inapplicable {
            tally.inapplicable(&tests.cases[*case], &reason.to_string(), watcher);
        }
        // The first of the launches takes them all.
        let mut told = tally.so_far();
        let job = move |launch| {
            let mut job = Job::planned(index, launch);
            job.inapplicable = std::mem::take(&mut told);
            job
        };
        schedule.launches.into_iter().map(job)
    });
    let queue = Queue::new(jobs, options.jobs);
    let bench = Bench { subjects, options, scratch: &scratch, stop, watcher, queue: &queue };
    std::thread::scope(|scope| {
        for _ in 0..queue.workers() {
            scope.spawn(|| {
                while let Some(job) = queue.take() {
                    let doing = queue.doing();
                    doing.leaves(attempt::run(&bench, &tallies[job.subject], &job));
                }
            });
        }
    });
    Ok(tallies.into_iter().map(|tally| tally.finish(watcher)).collect())
}
