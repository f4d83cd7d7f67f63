//! Explores a JVM: generates sequences, runs them, and gathers what they show.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jvmti_runner::launch::Stop;

use crate::against::{Question, Questions};
use crate::coverage::Reached;
use crate::finding::{self, Finding, Key};
use crate::follow::SequenceEnd;
use crate::generate::Generator;
use crate::known::Ending;
use crate::launches::{Batch, ExploredJvm, Shown, Trouble, tidied};
use crate::sequence::{Moment, Place, Sequence};
use crate::settle::settle;
use crate::shrink::{OnJvm, bisect, rate};
use crate::traps::Traps;

/// What to explore, and for how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// Names of the functions that are called; empty: all.
    pub functions: Vec<String>,
    /// Whether calls are made whose effect the text leaves undefined.
    pub undefined: bool,
    /// Whether only sequences are run in which several threads act at the same time.
    pub together: bool,
    /// The seed of the random choices.
    pub seed: u64,
    /// How long to go on; shrinking may take a little longer.
    pub time: Duration,
    /// Sequences after which it is over in any case.
    pub sequences: Option<u64>,
    /// JVMs that run at the same time.
    pub jobs: usize,
    /// Whether findings are shrunk, rather than run once more by themselves.
    pub shrinks: bool,
    /// The share of the batches that this machine runs: index from 0, and number of shares.
    pub shard: (u64, u64),
    /// Calls that are known to end the JVM, which no sequence makes.
    pub avoided: Vec<Ending>,
}

/// How far it has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Calls that were made.
    pub calls: u64,
    /// Sequences that have run.
    pub sequences: u64,
    /// JVMs that were started.
    pub launches: u64,
    /// Different (function, code, state) that were reached.
    pub states: usize,
    /// Findings.
    pub findings: usize,
}

/// Observes an exploration. Called from several threads.
pub trait Report: Sync {
    /// A batch has run.
    fn progress(&self, progress: Progress);
    /// Something was found, and shrunk if it is of interest.
    fn found(&self, finding: &Finding);
    /// Whether people will see the sequence of a finding, so that it is worth shrinking.
    fn is_of_interest(&self, finding: &Finding) -> bool;
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Explored {
    /// Findings, by what they have in common.
    pub findings: Vec<Finding>,
    /// What was reached.
    pub coverage: Reached,
    /// How far it has come.
    pub progress: Progress,
    /// How long it has taken.
    pub time: Duration,
    /// What has ended a JVM, and was avoided from then on, for people.
    pub avoided: Vec<String>,
    /// What a second JVM answered differently.
    pub questions: Vec<Question>,
    /// Why it has ended early, if it has.
    pub trouble: Option<String>,
}

/// How long shrinking goes on once the time is over.
const GRACE: Duration = Duration::from_secs(20);
/// How long to look for what one finding takes.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many sequences are tried for a finding that has not shown again.
const TRIES: u32 = 3;

#[derive(Default)]
struct Shared {
    findings: BTreeMap<Key, Option<Finding>>,
    times: BTreeMap<Key, u64>,
    /// How many sequences were tried for each.
    tries: BTreeMap<Key, u32>,
    traps: Traps,
    /// Those of the second JVM.
    other_traps: Traps,
    questions: Questions,
    coverage: Reached,
    progress: Progress,
    trouble: Option<String>,
}

struct Exploration<'e> {
    target: &'e ExploredJvm<'e>,
    against: Option<&'e ExploredJvm<'e>>,
    options: &'e Options,
    generator: Generator<'e>,
    stop: &'e Stop,
    report: &'e dyn Report,
    shared: Mutex<Shared>,
    next: AtomicU64,
    begun: Instant,
}

/// Number of sequences of each batch at each moment but the checkpoint.
const ELSEWHERE: u64 = 8;

/// The most sequences of a batch if several threads act in each: they write more.
const CROWDS: u64 = 50;

/// The optimizing compiler is there in one of so many batches.
const OPTIMIZED: u64 = 3;

/// Number of sequences in the batch of that number.
fn size(batch: u64) -> u64 {
    match batch {
        0 | 1 => 150,
        2..=5 => 1000,
        _ => 2500,
    }
}

/// Explores a JVM until the time is over or `stop` is asked for. The sequences also run on the JVM `against`.
pub fn explore(
    target: &ExploredJvm<'_>,
    against: Option<&ExploredJvm<'_>>,
    options: &Options,
    stop: &Stop,
    report: &dyn Report,
) -> Explored {
    let mut offered = target.offered();
    if let Some(other) = against.map(ExploredJvm::offered) {
        offered.all &= other.all;
        offered.early &= other.early;
    }
    let generator =
        Generator::new(target.tables, offered, &options.functions, options.undefined, options.seed);
    let generator = if options.together { generator.together() } else { generator };
    let exploration = Exploration {
        target,
        against,
        options,
        generator,
        stop,
        report,
        shared: Mutex::default(),
        next: AtomicU64::new(0),
        begun: Instant::now(),
    };
    for ending in &options.avoided {
        exploration.shared().traps.add(target.tables, ending);
    }
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| exploration.work());
        }
    });
    let questions = exploration.questions();
    let time = exploration.begun.elapsed();
    let shared = exploration.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut findings: Vec<Finding> = shared.findings.into_values().flatten().collect();
    for finding in &mut findings {
        finding.times = shared.times.get(&finding.key).copied().unwrap_or(1);
        if finding.is_by_chance() {
            report.found(finding);
        }
    }
    let (coverage, trouble) = (shared.coverage, shared.trouble);
    let avoided = shared.traps.shown(target.tables);
    Explored { findings, coverage, progress: shared.progress, time, avoided, questions, trouble }
}

impl Exploration<'_> {
    fn shared(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn judge(&self) -> OnJvm<'_> {
        OnJvm { target: self.target, stop: self.stop }
    }

    fn is_over(&self) -> bool {
        self.stop.asked() || self.begun.elapsed() >= self.options.time || self.shared().trouble.is_some()
    }

    fn work(&self) {
        let (mine, shares) = self.options.shard;
        while !self.is_over() {
            let number = self.next.fetch_add(1, Ordering::Relaxed) * shares.max(1) + mine;
            let done = self.shared().progress.sequences;
            if self.options.sequences.is_some_and(|most| done >= most) {
                return;
            }
            match self.batch(number) {
                Ok(()) | Err(Trouble::Interrupted) => {}
                Err(trouble) => self.shared().trouble = Some(trouble.to_string()),
            }
        }
    }

    /// The sequences of a batch: they depend on nothing but seed and number.
    fn sequences(&self, number: u64) -> Vec<Sequence> {
        let first = number << 20;
        let mut foreseen = Reached::default();
        let size = if self.options.together { size(number).min(CROWDS) } else { size(number) };
        let most = self.options.sequences.unwrap_or(u64::MAX).min(size);
        let mut sequences = Vec::new();
        for (place, moment) in (0..).zip(Moment::ALL) {
            let some = if moment == Moment::Checkpoint { most } else { most.min(ELSEWHERE) };
            for index in 0..some {
                // The numbers of each moment are its own.
                let number = first + (place << 16) + index;
                let sequence = self.generator.sequence(number, moment, &foreseen);
                self.generator.count(&sequence, &mut foreseen);
                sequences.push(sequence);
            }
            if moment == Moment::Checkpoint {
                sequences.extend(self.generator.early(first + (1 << 19)));
            }
        }
        sequences
    }

    fn batch(&self, number: u64) -> Result<(), Trouble> {
        let mut sequences = self.sequences(number);
        self.shared().traps.cut_all(self.target.tables, &mut sequences);
        let cut = |shown: &Shown<'_>, left: &mut [Sequence]| {
            self.learn(|shared| &mut shared.traps, shown, left);
        };
        let target = ExploredJvm { is_quick: !number.is_multiple_of(OPTIMIZED), ..self.target.clone() };
        let batch = target.run_cut(&mut sequences, self.stop, &cut)?;
        self.compare(&sequences, &batch)?;
        let references: Vec<&Sequence> = sequences.iter().collect();
        let new = self.gather(&sequences, &batch);
        for (index, finding) in new {
            if !self.report.is_of_interest(&finding) {
                self.add(finding);
                continue;
            }
            if !self.options.shrinks {
                let rate = rate(&self.judge(), &finding, 1)?;
                self.add(Finding { rate, ..finding });
                continue;
            }
            let begun = Instant::now();
            let over = || {
                let late = self.begun.elapsed() >= self.options.time + GRACE;
                self.stop.asked() || late || begun.elapsed() >= PATIENCE
            };
            let before = match finding.sequence.is_crowd() {
                true => &[],
                false => &sequences[batch.launch_of(index)..index],
            };
            let settled = settle(&self.judge(), finding.clone(), before, &over).unwrap_or(finding);
            self.add(settled);
        }
        self.universal(&references, &batch)?;
        self.report.progress(self.shared().progress);
        Ok(())
    }

    /// Runs the sequences on the second JVM, and gathers what it answers differently.
    fn compare(&self, sequences: &[Sequence], batch: &Batch) -> Result<(), Trouble> {
        let Some(other) = self.against else { return Ok(()) };
        let tables = self.target.tables;
        let mut theirs = sequences.to_vec();
        self.shared().other_traps.cut_all(tables, &mut theirs);
        let cut = |shown: &Shown<'_>, left: &mut [Sequence]| {
            self.learn(|shared| &mut shared.other_traps, shown, left);
        };
        let their_batch = other.run_cut(&mut theirs, self.stop, &cut)?;
        let mut shared = self.shared();
        shared.progress.launches += their_batch.launches;
        for (place, (mine, their)) in sequences.iter().zip(&theirs).enumerate() {
            if let (Some(first), Some(second)) = (batch.told(place), their_batch.told(place)) {
                shared.questions.compare(tables, (mine, their), first, second);
            }
        }
        Ok(())
    }

    /// What the second JVM answers differently each time.
    fn questions(&self) -> Vec<Question> {
        let Some(other) = self.against else { return vec![] };
        let asked = std::mem::take(&mut self.shared().questions);
        let run = |sequences: &[&Sequence]| {
            Ok::<_, Trouble>((self.target.run(sequences, self.stop)?, other.run(sequences, self.stop)?))
        };
        let (questions, trouble) = asked.confirmed(run);
        if let Some(trouble) = trouble.filter(|trouble| !matches!(trouble, Trouble::Interrupted)) {
            self.shared().trouble.get_or_insert_with(|| trouble.to_string());
        }
        questions
    }

    /// What has not shown again is told at the end only: another sequence may show it more often.
    fn add(&self, mut finding: Finding) {
        if finding.is_by_chance() {
            let mut shared = self.shared();
            *shared.tries.entry(finding.key.clone()).or_default() += 1;
            if let Some(Some(earlier)) = shared.findings.get(&finding.key) {
                finding.rate.1 += earlier.rate.1;
            }
            shared.findings.insert(finding.key.clone(), Some(finding));
            return;
        }
        self.report.found(&finding);
        let mut shared = self.shared();
        shared.progress.findings += 1;
        shared.findings.insert(finding.key.clone(), Some(finding));
    }

    /// Looks for the sequences in whose traces universal rules are broken, for each rule once.
    fn universal(&self, sequences: &[&Sequence], batch: &Batch) -> Result<(), Trouble> {
        for broken in &batch.broken {
            let key = Key { what: broken.rule.clone(), did: "is broken".to_owned(), permitted: false };
            *self.shared().times.entry(key.clone()).or_default() += 1;
            if self.shared().findings.contains_key(&key) {
                continue;
            }
            self.shared().findings.insert(key.clone(), None);
            let kind = finding::Kind::Universal(broken.clone());
            let mut finding = Finding {
                key,
                kind,
                sequence: Sequence::default(),
                before: vec![],
                place: Place::default(),
                rate: (0, 0),
                times: 1,
            };
            if self.options.shrinks && self.report.is_of_interest(&finding) {
                let over = || self.stop.asked() || self.begun.elapsed() >= self.options.time + GRACE;
                match bisect(self.target, sequences, &broken.rule, self.stop, &over)? {
                    Some(one) => (finding.sequence, finding.rate) = (one, (1, 1)),
                    None => finding.rate = (0, 1),
                }
            }
            self.add(finding);
        }
        Ok(())
    }

    /// Learns what has ended a JVM, and keeps what is left over from doing it again.
    fn learn(&self, of: fn(&mut Shared) -> &mut Traps, shown: &Shown<'_>, left: &mut [Sequence]) {
        let tables = self.target.tables;
        let traps = {
            let mut shared = self.shared();
            let traps = of(&mut shared);
            traps.learn(tables, &shown.sequence, shown.culprit);
            traps.clone()
        };
        traps.cut_all(tables, left);
    }

    /// Counts what a batch has come to; the findings that are new.
    fn gather(&self, sequences: &[Sequence], batch: &Batch) -> Vec<(usize, Finding)> {
        let tables = self.target.tables;
        let mut new = Vec::new();
        let mut shared = self.shared();
        for (index, (sequence, outcome)) in sequences.iter().zip(&batch.outcomes).enumerate() {
            if matches!(outcome, SequenceEnd::Done(seen) if seen.is_empty()) {
                continue;
            }
            let found = finding::of(tables, &tidied(tables, sequence), outcome);
            for (key, kind, place) in found {
                *shared.times.entry(key.clone()).or_default() += 1;
                let is_open = match shared.findings.get(&key) {
                    None => true,
                    Some(Some(earlier)) => {
                        earlier.is_by_chance()
                            && shared.tries.get(&key).is_none_or(|tries| *tries < TRIES)
                            && new.iter().all(|(_, finding): &(usize, Finding)| finding.key != key)
                    }
                    Some(None) => false,
                };
                if is_open {
                    shared.findings.entry(key.clone()).or_default();
                    let (sequence, before) = (sequence.clone(), vec![]);
                    let finding = Finding { key, kind, sequence, before, place, rate: (0, 0), times: 1 };
                    new.push((index, finding));
                }
            }
        }
        shared.coverage.add(&batch.coverage);
        shared.progress.calls += batch.calls;
        shared.progress.sequences += sequences.len() as u64;
        shared.progress.launches += batch.launches;
        shared.progress.states = shared.coverage.len();
        new
    }
}
