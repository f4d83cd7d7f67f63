//! Runs sequences on a JVM, thousands in one launch, and says what each has come to.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use jvmti_judge::{Brief, Judged, LaunchEnd, judge};
use jvmti_runner::jvm::{Identity, Jdk};
use jvmti_runner::launch::{self, Launch, LaunchError, Loading, Recording, Scratch, Status, Stop, Timeouts};
use jvmti_wire::plan::{Made, Plan, PlannedCase, PlannedEnvironment, ScenarioRun};
use jvmti_wire::trace::{Exit, Record, TraceError, TraceFile};
use thiserror::Error;

use crate::against::{Answer, Answered};
use crate::cast;
use crate::coverage::Reached;
use crate::follow::{Culprit, Follower, SequenceEnd};
use crate::generate::Offered;
use crate::model::Tables;
use crate::sequence::{Capabilities, Sequence, bits};
use crate::tidy;

/// A JVM that sequences run on.
#[derive(Clone, Debug)]
pub struct ExploredJvm<'t> {
    /// Where it is.
    pub jdk: &'t Jdk,
    /// What it offers.
    pub identity: &'t Identity,
    /// Options of the user.
    pub vm_options: &'t [String],
    /// The probe's library.
    pub probe: &'t Path,
    /// The folder for temporary files.
    pub scratch: &'t Scratch,
    /// When to give it up.
    pub timeouts: Timeouts,
    /// The specification.
    pub tables: &'t Tables,
    /// Whether batches tell how calls ended.
    pub keeps: bool,
    /// Whether HotSpot's optimizing compiler and its default collector are left out: each takes a tenth of the time of the
    /// processor, and gives back little.
    pub is_quick: bool,
}

/// Why sequences could not be run.
#[derive(Debug, Error)]
pub enum Trouble {
    /// The JVM could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The trace could not be read.
    #[error("cannot read the trace: {0}")]
    Trace(#[from] TraceError),
    /// The JVM ended before any sequence.
    #[error("the JVM {status} before the first sequence\n{output}")]
    Early {
        /// How it ended.
        status: Status,
        /// What it wrote.
        output: String,
        /// Whether somebody else ended it, such as with SIGTERM.
        from_outside: bool,
    },
    /// The user wants no more.
    #[error("interrupted")]
    Interrupted,
}

/// What the sequences of a batch came to.
#[derive(Debug, Default)]
pub struct Batch {
    /// One for each sequence, in order.
    pub outcomes: Vec<SequenceEnd>,
    /// How the calls of each sequence ended, if that is wanted.
    pub answers: Vec<Vec<Answer>>,
    /// What was reached.
    pub coverage: Reached,
    /// Calls that were made.
    pub calls: u64,
    /// JVMs that were started.
    pub launches: u64,
    /// Universal rules that were broken.
    pub broken: Vec<Broken>,
    /// The index of the first sequence of each launch.
    pub firsts: Vec<usize>,
}

/// A universal rule that a trace breaks.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// Its statement.
    pub rule: String,
    /// Where, what was expected and what was observed, for people.
    pub how: String,
}

impl Batch {
    /// The index of the first sequence of the launch in which the sequence at that place ran.
    pub fn launch_of(&self, place: usize) -> usize {
        self.firsts.iter().copied().take_while(|first| *first <= place).last().unwrap_or(0)
    }

    /// What the sequence at that place came to, if it was run and answers were wanted.
    pub fn told(&self, place: usize) -> Option<Answered<'_>> {
        Some(Answered { answers: self.answers.get(place)?, outcome: self.outcomes.get(place)? })
    }
}

/// What has ended a JVM.
#[derive(Debug)]
pub struct Shown<'o> {
    /// The sequence, with the steps that tidy up.
    pub sequence: Sequence,
    /// What the JVM was doing.
    pub culprit: &'o Culprit,
}

/// Cuts the sequences that are left over after a JVM has ended.
pub type Cut<'c> = &'c dyn Fn(&Shown<'_>, &mut [Sequence]);

/// How often a JVM that somebody else ends before the first sequence is started.
const STARTS: usize = 4;

/// What scenarios look at; carriers enough: some are lost with threads that sequences have left somewhere; and reflection that
/// needs no method handles, which take a large part of a launch.
const OPTIONS: [&str; 3] = [
    "-Djvmticheck.explore=true",
    "-Djdk.virtualThreadScheduler.parallelism=64",
    "-Djdk.reflect.useNativeAccessorOnly=true",
];

/// What leaves out HotSpot's optimizing compiler; options of the user come later, and count instead.
const ONE_COMPILER: &str = "-XX:TieredStopAtLevel=1";
/// The collector of HotSpot that collects so little garbage with the least work.
const ONE_COLLECTOR: &str = "-XX:+UseSerialGC";

/// Bytes of a trace for the probe's own records.
const BASE: u64 = 16 << 20;
/// Bytes of a trace for each sequence.
const EACH: u64 = 32 << 10;

/// Bytes of a trace for each sequence in which several threads act.
const CROWDED: u64 = 2 << 20;

fn room(sequence: &Sequence) -> u64 {
    if sequence.is_crowd() { CROWDED } else { EACH }
}

impl ExploredJvm<'_> {
    /// The capabilities that sequences can possess.
    pub fn offered(&self) -> Offered {
        let set = |names: &std::collections::BTreeSet<String>| {
            let bit = |name: &String| self.tables.edition.capability(name).map(|c| 1u128 << c.bit);
            names.iter().filter_map(bit).fold(0, |set, bit| set | bit)
        };
        let offer = &self.identity.offer;
        let exclusive = set(&offer.exclusive);
        // What is offered in OnLoad only can be added later once an environment possesses it.
        let all = set(&offer.live) | set(&offer.on_load) & !exclusive;
        Offered { all, exclusive, early: set(&offer.on_load) & exclusive & !set(&offer.live) }
    }

    /// Runs all sequences. What a crash or a hang leaves over runs in another JVM.
    pub fn run(&self, sequences: &[&Sequence], stop: &Stop) -> Result<Batch, Trouble> {
        let mut sequences: Vec<Sequence> = sequences.iter().map(|sequence| (*sequence).clone()).collect();
        self.run_cut(&mut sequences, stop, &|_, _| {})
    }

    /// Runs all sequences, too. After each crash or hang, `cut` is given the sequence that has shown it, and those that are
    /// left over.
    pub fn run_cut(&self, sequences: &mut [Sequence], stop: &Stop, cut: Cut<'_>) -> Result<Batch, Trouble> {
        let mut batch = Batch::default();
        let mut left = sequences;
        while !left.is_empty() {
            if stop.asked() {
                return Err(Trouble::Interrupted);
            }
            batch.firsts.push(batch.outcomes.len());
            let through = self.launch(left, stop, &mut batch)?.clamp(1, left.len());
            let (done, rest) = left.split_at_mut(through);
            if let (Some(SequenceEnd::Ended(culprit)), Some(last)) = (batch.outcomes.last(), done.last()) {
                cut(&Shown { sequence: tidied(self.tables, last), culprit }, rest);
            }
            left = rest;
        }
        Ok(batch)
    }

    /// Runs the sequences in one launch, through to the first that ends it.
    pub fn run_once(&self, sequences: &[Sequence], stop: &Stop) -> Result<Batch, Trouble> {
        let mut batch = Batch::default();
        self.launch(sequences, stop, &mut batch)?;
        Ok(batch)
    }

    /// Launches a JVM, again if somebody else ends it before the first sequence; how many of the sequences it has been through.
    fn launch(&self, sequences: &[Sequence], stop: &Stop, batch: &mut Batch) -> Result<usize, Trouble> {
        let mut starts = 1;
        loop {
            match self.launch_once(sequences, stop, batch) {
                Err(Trouble::Early { from_outside: true, .. }) if starts < STARTS => starts += 1,
                through => return through,
            }
        }
    }

    fn launch_once(&self, sequences: &[Sequence], stop: &Stop, batch: &mut Batch) -> Result<usize, Trouble> {
        let trace = self.trace_file();
        let executed: Vec<Sequence> =
            sequences.iter().map(|sequence| tidied(self.tables, sequence)).collect();
        let mut launch = Launch {
            vm_options: self.options(),
            class_path: vec![self.scratch.jar().to_owned()],
            main_class: jvmti_java_tests::MAIN_CLASS.to_owned(),
            args: vec![cast::SCENARIO.to_owned()],
            recording: Some(Recording {
                probe: self.probe.to_owned(),
                trace: trace.clone(),
                plan: self.plan(&executed),
                capacity: BASE + executed.iter().map(room).sum::<u64>(),
                loading: Loading::Added,
            }),
            timeouts: self.timeouts,
            ..Launch::new(&self.jdk.java, self.scratch.path())
        };
        let ended = launch::run(&launch, stop)?;
        batch.launches += 1;
        let file = TraceFile::open(&trace)?;
        let plan = launch.recording.take().map(|recording| recording.plan);
        let reader = plan.map_or_else(|| file.reader(), |plan| file.reader_with(plan))?;
        let mut follower = Follower::new(self.tables, &executed, self.keeps);
        // Both look at each record, which takes longer to decode than to look at.
        let mut records = reader.records().inspect(|record| follower.record(record));
        let judged = self.judged(&mut records, reader.plan(), ended.status);
        let broken_rules = judged.universal.iter().filter(|verdict| verdict.status.is_unexpected());
        batch.broken.extend(broken_rules.map(broken));
        drop(file);
        let _ = std::fs::remove_file(&trace);
        if ended.status == Status::Cancelled {
            return Err(Trouble::Interrupted);
        }
        let through = follower.conclude(&ended);
        if through == 0 {
            let output = format!("{}\n{}", ended.stdout.text(), ended.stderr.text());
            return Err(Trouble::Early { status: ended.status, output, from_outside: judged.interrupted });
        }
        batch.coverage.add(&follower.coverage);
        batch.calls += follower.calls;
        batch.answers.extend(follower.answers.into_iter().take(through));
        batch.outcomes.extend(follower.outcomes.into_iter().take(through));
        Ok(through)
    }

    /// The options of the JVM.
    fn options(&self) -> Vec<String> {
        let is_quick = self.is_quick && self.identity.jvm.vm_name.contains("Server VM");
        let mut options = Vec::new();
        if is_quick {
            options.push(ONE_COMPILER.to_owned());
        }
        if is_quick && !self.vm_options.iter().any(|option| chooses_collector(option)) {
            options.push(ONE_COLLECTOR.to_owned());
        }
        options.extend_from_slice(self.vm_options);
        options.extend(OPTIONS.map(str::to_owned));
        options
    }

    /// What the universal rules say of the trace.
    fn judged(&self, records: &mut dyn Iterator<Item = Record>, plan: &Plan, status: Status) -> Judged {
        let brief = Brief {
            release: self.tables.edition.release,
            suite: String::new(),
            jvm: self.identity.jvm.clone(),
            configuration: None,
            vm_options: self.vm_options.to_vec(),
            reproduce: String::new(),
            cases: vec![],
            inapplicable: vec![],
        };
        let tables = self.tables;
        let end = LaunchEnd { exit: Exit::from(status), lost: 0 };
        judge(records, plan, &brief, &tables.edition, &tables.assertions, &end)
    }

    fn trace_file(&self) -> PathBuf {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        self.scratch.file(&format!("explore-{}.jvmtitrace", NUMBER.fetch_add(1, Ordering::Relaxed)))
    }

    fn plan(&self, sequences: &[Sequence]) -> Plan {
        let mut cases = vec![self.holder()];
        let planned =
            |(index, sequence): (usize, &Sequence)| sequence.planned(format!("sequence-{index}"), 0);
        cases.extend(sequences.iter().enumerate().map(planned));
        Plan {
            launch: "explore".to_owned(),
            scenario_runs: vec![ScenarioRun { scenario: cast::SCENARIO.to_owned() }],
            cases,
            ..Plan::default()
        }
    }

    /// Possesses from OnLoad on what can be added only then.
    fn holder(&self) -> PlannedCase {
        let offer = &self.identity.offer;
        let early = offer
            .on_load
            .iter()
            .filter(|name| !offer.live.contains(*name) && !offer.exclusive.contains(*name));
        let capabilities = early.filter_map(|name| self.tables.edition.capability(name)).map(|c| c.bit);
        let environment = PlannedEnvironment {
            name: "holder".to_owned(),
            made: Made::OnLoad,
            enabled: Made::OnLoad,
            chain: None,
            version: None,
            capabilities: capabilities.collect(),
            events: vec![],
        };
        PlannedCase {
            id: "holder".to_owned(),
            run: None,
            environments: vec![environment],
            steps: vec![],
            handlers: vec![],
        }
    }
}

/// Whether an option of HotSpot chooses a collector: it takes only one.
fn chooses_collector(option: &str) -> bool {
    option.starts_with("-XX:+Use") && option.ends_with("GC")
}

/// The sequence with the steps that undo what it has done.
pub fn tidied(tables: &Tables, sequence: &Sequence) -> Sequence {
    let mut sequence = sequence.clone();
    let steps = tidy::steps(tables, &sequence);
    sequence.steps.extend(steps);
    sequence
}

fn broken(verdict: &jvmti_results::Verdict) -> Broken {
    let how = verdict.findings.first().map(|finding| {
        format!("{}: expected {}, observed {}", finding.place, finding.expected, finding.observed)
    });
    Broken { rule: verdict.case.clone(), how: how.unwrap_or_default() }
}

/// Names of the capabilities of a set.
pub fn capability_names(tables: &Tables, set: Capabilities) -> Vec<String> {
    let name = |bit| tables.edition.capabilities.iter().find(|c| c.bit == bit).map(|c| c.name.clone());
    bits(set).filter_map(name).collect()
}
