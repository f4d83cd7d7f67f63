//! The verdicts on one JVM as they come in.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use jvmti_cases::known::{self, Deviation};
use jvmti_cases::model::Case;
use jvmti_cases::{Inapplicable, LateStart};
use jvmti_results::{Finding, JvmRun, Shard, Status, Verdict};

use super::cause::CRASHES;
use super::control::Control;
use super::late_starts::LateStarts;
use super::universal::Universal;
use super::{Options, Subject, Watcher};
use crate::jvm::Identity;

/// Collects the verdicts on one JVM, from several threads.
#[derive(Debug)]
pub struct Tally {
    identity: Identity,
    configuration: Option<String>,
    vm_options: Vec<String>,
    shard: Option<Shard>,
    name: String,
    order: HashMap<String, usize>,
    known: Vec<Deviation>,
    /// Whether the JVM runs in a launcher of ours.
    pub control: Control,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    begun: Option<Instant>,
    launches: u32,
    /// Crashes whose causes were looked for.
    crashes: u32,
    verdicts: Vec<Verdict>,
    late_starts: LateStarts,
    universal: Universal,
    wall_ms: u64,
}

impl Tally {
    /// A tally without verdicts.
    pub fn new(subject: &Subject, options: &Options) -> Tally {
        let tests = &subject.tests;
        let cases = tests.cases.iter().map(|case| &case.id);
        let all = cases.chain(tests.inapplicable.iter().map(|case| &case.id));
        let known = tests.known.iter().filter(|d| d.on.contain(&subject.identity.jvm, &subject.vm_options));
        Tally {
            identity: subject.identity.clone(),
            configuration: subject.configuration.clone(),
            vm_options: subject.vm_options.clone(),
            shard: options.shard,
            name: subject.short(),
            order: all.enumerate().map(|(index, id)| (id.clone(), index)).collect(),
            known: known.cloned().collect(),
            control: Control::default(),
            state: Mutex::default(),
        }
    }

    /// Notes that a launch begins; the run time of the JVM counts from the first one.
    pub fn launching(&self) {
        self.with(|state| {
            state.begun.get_or_insert_with(Instant::now);
        });
    }

    /// Counts a launch that has ended.
    pub fn launched(&self) {
        self.with(|state| state.launches += 1);
    }

    /// Adds the verdict on a case.
    pub fn add(&self, mut verdict: Verdict, watcher: &dyn Watcher) {
        known::mark(&mut verdict, &self.known);
        watcher.verdict(&self.name, &verdict);
        self.with(|state| state.verdicts.push(verdict));
    }

    /// Whether the verdict is unexpected, and no list of known deviations explains it.
    pub fn is_news(&self, verdict: &Verdict) -> bool {
        let mut marked = verdict.clone();
        known::mark(&mut marked, &self.known);
        marked.status.is_unexpected()
    }

    /// Whether the cause of one more crash may be looked for, which then counts.
    pub fn looks_into_a_crash(&self) -> bool {
        let mut looks = false;
        self.with(|state| {
            looks = state.crashes < CRASHES;
            state.crashes += u32::from(looks);
        });
        looks
    }

    /// Adds the verdict of a launch in which that came of starting agents in the live phase.
    pub fn add_after(&self, came: &LateStart, verdict: Verdict, watcher: &dyn Watcher) {
        let mut counts = None;
        self.with(|state| counts = state.late_starts.take(came, verdict));
        counts.into_iter().for_each(|verdict| self.add(verdict, watcher));
    }

    /// Adds a case that does not apply to this JVM.
    pub fn inapplicable(&self, case: &Case, reason: &str, watcher: &dyn Watcher) {
        self.add(bare(case, Status::Inapplicable, reason.to_owned()), watcher);
    }

    /// Adds a case that is not for the JVM's release.
    pub fn not_for_release(&self, case: &Inapplicable, watcher: &dyn Watcher) {
        let verdict = Verdict {
            case: case.id.clone(),
            about: case.about.clone(),
            chapter: case.chapter.clone(),
            subject: case.subject.clone(),
            status: Status::Inapplicable,
            findings: vec![Finding { observed: case.reason.clone(), ..Finding::default() }],
            ..Verdict::default()
        };
        self.add(verdict, watcher);
    }

    /// The verdicts on cases up to now.
    pub fn so_far(&self) -> Vec<Verdict> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.verdicts.clone()
    }

    /// Adds the verdicts of a launch on universal rules.
    pub fn add_universal(&self, add: impl FnOnce(&mut Universal)) {
        self.with(|state| add(&mut state.universal));
    }

    /// All verdicts in the order of the cases, the universal rules last.
    pub fn finish(self, watcher: &dyn Watcher) -> JvmRun {
        let mut late_starts = LateStarts::default();
        self.with(|state| late_starts = std::mem::take(&mut state.late_starts));
        late_starts.finish().for_each(|verdict| self.add(verdict, watcher));
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut verdicts = state.verdicts;
        verdicts.sort_by_key(|v| self.order.get(&v.case).copied().unwrap_or(usize::MAX));
        verdicts.extend(state.universal.finish().map(|mut verdict| {
            known::mark(&mut verdict, &self.known);
            verdict
        }));
        JvmRun {
            jvm: self.identity.jvm,
            configuration: self.configuration,
            vm_options: self.vm_options,
            shard: self.shard,
            launches: state.launches,
            wall_ms: state.wall_ms,
            bare_start_ms: Some(self.identity.bare_start_ms),
            verdicts,
            ..JvmRun::default()
        }
    }

    fn with(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        state.wall_ms = state.begun.map_or(0, |begun| begun.elapsed().as_millis() as u64);
    }
}

/// A verdict that rests on no record.
pub fn bare(case: &Case, status: Status, reason: String) -> Verdict {
    let mut cites: Vec<String> = case.citations().map(str::to_owned).collect();
    cites.sort_unstable();
    cites.dedup();
    Verdict {
        case: case.id.clone(),
        about: case.about.clone(),
        chapter: case.chapter.clone(),
        subject: case.subject.clone(),
        status,
        cites,
        source: format!("{}:{}", case.source.file, case.source.line),
        asserted: 0,
        findings: vec![Finding { observed: reason, ..Finding::default() }],
        story: Vec::new(),
        reproduce: String::new(),
        micros: 0,
        trace: None,
        ..Verdict::default()
    }
}
