//! A real JVM, its verdicts, and the same JVM with something changed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jvmti_cases::model::Case;
use jvmti_cases::select::Filters;
use jvmti_cases::{CaseSet, Diagnostics};
use jvmti_results::Verdict;
use jvmti_runner::jvm::{IdentityError, Inquiry, Jdk};
use jvmti_runner::launch::probe::{self, NoProbe};
use jvmti_runner::launch::{Scratch, Stop, Timeouts};
use jvmti_runner::results;
use jvmti_runner::run::{self, Options, RunError, Subject, Tests, Watcher};
use jvmti_spec::{Assertion, Release, Spec};
use tempfile::TempDir;
use thiserror::Error;

use crate::broken::mark;
use crate::{Broken, BrokenError, Mutation};

/// What a mutant could not be tried for.
#[derive(Debug, Error)]
pub enum ScoreError {
    /// There is no broken JVM.
    #[error(transparent)]
    Broken(#[from] BrokenError),
    /// The JVM does not tell what it is.
    #[error(transparent)]
    Jvm(#[from] IdentityError),
    /// The probe is missing.
    #[error(transparent)]
    Probe(#[from] NoProbe),
    /// The cases are faulty.
    #[error(transparent)]
    Cases(#[from] Diagnostics),
    /// The excuses are.
    #[error("excused.yaml: {0}")]
    Excuses(#[from] serde_yaml::Error),
    /// A scratch folder could not be made.
    #[error("cannot make a scratch folder: {0}")]
    Scratch(std::io::Error),
    /// The harness could not run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The user wants to stop.
    #[error("interrupted")]
    Interrupted,
}

/// What a JVM is that is tried: what has been changed in it, and with which options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<'c> {
    /// What the library does.
    pub(crate) mutations: &'c [Mutation],
    /// Options of the JVM.
    pub(crate) options: &'c [String],
    /// Whether it may offer other capabilities than the real one.
    pub(crate) offers_others: bool,
}

impl<'c> Change<'c> {
    /// These mutations, which leave the capabilities that the JVM offers as they are.
    pub(crate) fn of(mutations: &'c [Mutation]) -> Change<'c> {
        Change { mutations, options: &[], offers_others: false }
    }
}

/// A real JVM, what its verdicts are, and what is needed to change it.
#[derive(Debug)]
pub struct Bench {
    pub(crate) sound: Subject,
    pub(crate) assertions: Vec<Assertion>,
    options: Options,
    broken: Broken,
    /// Where the library is.
    _folder: TempDir,
    stop: Stop,
    /// Verdicts on the real JVM, by case.
    pub(crate) verdicts: BTreeMap<String, Verdict>,
}

struct Silent;

impl Watcher for Silent {
    fn scheduled(&self, _: &Subject, _: usize, _: usize) {}
    fn verdict(&self, _: &str, _: &Verdict) {}
}

impl Bench {
    /// A bench around a JVM, with all cases for it. `program` is the `jvmti-check` executable.
    pub fn new(jdk: Jdk, cases: &CaseSet, program: PathBuf, stop: Stop) -> Result<Bench, ScoreError> {
        let (scratch, probe) = (Scratch::new().map_err(ScoreError::Scratch)?, probe::find(None)?);
        let folder = tempfile::tempdir().map_err(ScoreError::Scratch)?;
        let inquiry = Inquiry { probe: &probe, scratch: &scratch, vm_options: &[], remembered: true };
        let identity = inquiry.of(&jdk, &stop)?;
        let tests = results::tests(identity.release(), cases, &Filters::default())?;
        let assertions = Spec::embedded().assertions(tests.edition.release);
        let suite = env!("CARGO_PKG_VERSION").to_owned();
        let options = Options {
            timeouts: Timeouts { idle: Duration::from_secs(60), ..Timeouts::default() },
            ..Options::new(probe, program, jvmti_judge::judge, suite)
        };
        let (configuration, vm_options, reproduce) = (None, Vec::new(), String::new());
        let tests = Arc::new(tests);
        let sound = Subject { jdk, identity, configuration, vm_options, reproduce, tests };
        let broken = Broken::build(folder.path())?;
        Ok(Bench { sound, assertions, options, broken, _folder: folder, stop, verdicts: BTreeMap::new() })
    }

    /// Keeps the wanted cases, and runs them once, with nothing changed.
    pub(crate) fn begin(&mut self, wanted: impl Fn(&Case) -> bool) -> Result<(), ScoreError> {
        Arc::make_mut(&mut self.sound.tests).cases.retain(wanted);
        let all: Vec<&Case> = self.sound.tests.cases.iter().collect();
        let (verdicts, _) = self.run(Change::of(&[Mutation::default()]), &all, self.options.timeouts)?;
        self.verdicts = verdicts.into_iter().map(|verdict| (verdict.case.clone(), verdict)).collect();
        Ok(())
    }

    /// The release of the JVM.
    pub fn release(&self) -> Release {
        self.sound.identity.release()
    }

    /// The JVM's name.
    pub fn jvm(&self) -> String {
        self.sound.identity.jvm.label()
    }

    /// The verdicts on the changed JVM, and for each mutation whether it did anything else than the real JVM.
    pub(crate) fn run(
        &self,
        change: Change<'_>,
        cases: &[&Case],
        timeouts: Timeouts,
    ) -> Result<(Vec<Verdict>, Vec<bool>), ScoreError> {
        let folder = tempfile::tempdir().map_err(ScoreError::Scratch)?;
        let jdk = self.broken.home(&self.sound.jdk, change.mutations, folder.path())?;
        let mut identity = self.sound.identity.clone();
        if change.offers_others {
            let scratch = Scratch::new().map_err(ScoreError::Scratch)?;
            let probe = &self.options.probe;
            let inquiry = Inquiry { probe, scratch: &scratch, vm_options: change.options, remembered: false };
            identity = inquiry.of(&jdk, &self.stop)?;
        }
        let cases = cases.iter().copied().cloned().collect();
        let tests = Tests { cases, inapplicable: Vec::new(), ..Tests::clone(&self.sound.tests) };
        let vm_options = change.options.to_vec();
        let subject = Subject { jdk, identity, vm_options, tests: Arc::new(tests), ..self.sound.clone() };
        let options = Options { timeouts, ..self.options.clone() };
        let mut runs = run::run(&[subject], &options, &self.stop, &Silent)?;
        match self.stop.asked() {
            true => Err(ScoreError::Interrupted),
            false => {
                let acted = |mutation| folder.path().join(mark(mutation)).exists();
                let acted = (0..change.mutations.len()).map(acted).collect();
                Ok((runs.pop().map(|run| run.verdicts).unwrap_or_default(), acted))
            }
        }
    }
}
