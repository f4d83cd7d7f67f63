//! One trial per case and JVM of this machine: `cargo test --test conformance -- GetThreadState`.
//!
//! The launches are shared: the first trial that runs starts all that are needed for the trials selected, and the
//! others wait for their verdicts.
//!
//! A JVM may have defects that show now and then, which no list can foresee, and which no change of this project has caused.
//! So a JVM with an unexpected verdict runs the same cases once more, and a trial fails if its verdict is unexpected again.
//! What differed is printed; `ci/soak` looks for more of it.

use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use jvmti_cases::LoadError;
use jvmti_cases::built_in::case_files;
use jvmti_cases::select::Filters;
use jvmti_reports::terminal::{self, Style};
use jvmti_results::{JvmRun, Results, Suite, Verdict};
use jvmti_runner::jvm::places::Surroundings;
use jvmti_runner::jvm::{Inquiry, discover};
use jvmti_runner::launch::{Scratch, Stop, Timeouts, probe};
use jvmti_runner::results;
use jvmti_runner::run::{Options, Subject, Watcher, run};
use libtest_mimic::{Arguments, Failed, Trial};

type Anything = Box<dyn std::error::Error>;

/// What stands in a trial's name for the rules that hold over all of a trace.
const UNIVERSAL: &str = "universal rules";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials(&arguments) {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn trials(arguments: &Arguments) -> Result<Vec<Trial>, Anything> {
    let stop = Stop::on_signals()?;
    let mut bench =
        Bench { subjects: subjects(&stop)?, probe: probe::find(None)?, stop, found: OnceLock::new() };
    // What is filtered out is not launched: a JVM that only other cases need is not started.
    for subject in &mut bench.subjects {
        let label = subject.identity.jvm.label();
        Arc::make_mut(&mut subject.tests).cases.retain(|case| {
            let kind = case.subject.as_deref().unwrap_or(&case.chapter);
            !arguments.is_filtered_out(&named(&case.id, kind, &label, || Ok(())))
        });
    }
    bench.subjects.retain(|subject| !subject.tests.cases.is_empty());
    let bench = Arc::new(bench);
    let mut trials = Vec::new();
    for (index, subject) in bench.subjects.iter().enumerate() {
        let label = subject.identity.jvm.label();
        for case in &subject.tests.cases {
            let (bench, id) = (Arc::clone(&bench), case.id.clone());
            let kind = case.subject.as_deref().unwrap_or(&case.chapter);
            trials.push(named(&case.id, kind, &label, move || bench.found().case(index, &id)));
        }
        let bench = Arc::clone(&bench);
        trials.push(named(UNIVERSAL, "", &label, move || bench.found().universal(index)));
    }
    Ok(trials)
}

fn named(
    case: &str,
    kind: &str,
    label: &str,
    trial: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    Trial::test(format!("{case} @ {label}"), trial).with_kind(kind)
}

fn subjects(stop: &Stop) -> Result<Vec<Subject>, Anything> {
    let found = discover(&Surroundings::current());
    if found.jdks.is_empty() {
        return Err(found.nothing_found().into());
    }
    let (scratch, probe, set) = (Scratch::new()?, probe::find(None)?, case_files(None).map_err(told)?);
    let inquiry = Inquiry { probe: &probe, scratch: &scratch, vm_options: &[], remembered: true };
    let mut subjects = Vec::new();
    for jdk in found.jdks {
        let identity = inquiry.of(&jdk, stop)?;
        let tests = results::tests(identity.release(), &set, &Filters::default());
        subjects.push(Subject {
            configuration: None,
            vm_options: Vec::new(),
            reproduce: format!("jvmti-check run '{{case}}' --jdk '{}'", identity.jvm.home),
            tests: Arc::new(tests.map_err(|e| told(e.into()))?),
            jdk,
            identity,
        });
    }
    Ok(subjects)
}

/// Each fault with its place.
fn told(error: LoadError) -> String {
    match error {
        LoadError::Faulty(faults) => faults.0.iter().map(|fault| format!("\n  {fault}")).collect(),
        LoadError::Unreadable(error) => error.to_string(),
    }
}

/// What the trials share.
struct Bench {
    subjects: Vec<Subject>,
    probe: std::path::PathBuf,
    stop: Stop,
    found: OnceLock<Result<Found, String>>,
}

/// The verdicts.
struct Found {
    results: Results,
    /// Index of the verdict on a case, per run.
    cases: Vec<HashMap<String, usize>>,
}

struct Silent;

impl Watcher for Silent {
    fn scheduled(&self, _: &Subject, _: usize, _: usize) {}
    fn verdict(&self, _: &str, _: &Verdict) {}
}

impl Bench {
    fn found(&self) -> Result<&Found, Failed> {
        self.found.get_or_init(|| self.run()).as_ref().map_err(Failed::from)
    }

    fn run(&self) -> Result<Found, String> {
        let (probe, program) = (self.probe.clone(), env!("CARGO_BIN_EXE_jvmti-check").into());
        let suite = env!("CARGO_PKG_VERSION").to_owned();
        let options = Options {
            timeouts: Timeouts { idle: Duration::from_secs(60), ..Timeouts::default() },
            ..Options::new(probe, program, jvmti_judge::judge, suite)
        };
        let (started, begun) = (SystemTime::now(), Instant::now());
        let mut runs =
            run(&self.subjects, &options, &self.stop, &Silent).map_err(|error| error.to_string())?;
        for (subject, first) in self.subjects.iter().zip(&mut runs) {
            if first.verdicts.iter().any(|verdict| verdict.status.is_unexpected()) {
                let again = run(std::slice::from_ref(subject), &options, &self.stop, &Silent);
                for second in again.map_err(|error| error.to_string())? {
                    confirm(first, second);
                }
            }
        }
        let suite = Suite { version: env!("CARGO_PKG_VERSION").to_owned(), ..Suite::default() };
        let results = results::results(suite, runs, Vec::new(), started, begun.elapsed());
        let by_case = |verdicts: &[Verdict]| {
            verdicts.iter().enumerate().map(|(index, verdict)| (verdict.case.clone(), index)).collect()
        };
        let cases = results.runs.iter().map(|run| by_case(&run.verdicts)).collect();
        Ok(Found { results, cases })
    }
}

/// Keeps the unexpected verdicts that are unexpected in the second run, too, and prints the others.
fn confirm(first: &mut JvmRun, second: JvmRun) {
    let label = first.jvm.label();
    let mut expected: HashMap<String, Verdict> = second
        .verdicts
        .into_iter()
        .filter(|verdict| !verdict.status.is_unexpected())
        .map(|verdict| (verdict.case.clone(), verdict))
        .collect();
    for verdict in first.verdicts.iter_mut().filter(|verdict| verdict.status.is_unexpected()) {
        let Some(other) = expected.remove(&verdict.case) else { continue };
        let observed = verdict.findings.first().map_or("", |finding| &finding.observed);
        eprintln!(
            "conformance: {} @ {label} differs: {:?} in the first run ({observed}), {:?} in the second",
            verdict.case, verdict.status, other.status
        );
        *verdict = other;
    }
}

/// Lets a trial ask for a verdict whether or not the run came about.
trait Verdicts {
    fn case(self, run: usize, id: &str) -> Result<(), Failed>;
    fn universal(self, run: usize) -> Result<(), Failed>;
}

impl Verdicts for Result<&Found, Failed> {
    fn case(self, run: usize, id: &str) -> Result<(), Failed> {
        let found = self?;
        match found.cases[run].get(id) {
            Some(index) => found.check(run, &found.results.runs[run].verdicts[*index]),
            None => Err(format!("no verdict on {id}").into()),
        }
    }

    fn universal(self, run: usize) -> Result<(), Failed> {
        let found = self?;
        let mut rules =
            found.results.runs[run].verdicts.iter().filter(|verdict| verdict.case.starts_with("universal/"));
        rules.try_for_each(|verdict| found.check(run, verdict))
    }
}

impl Found {
    fn check(&self, run: usize, verdict: &Verdict) -> Result<(), Failed> {
        match verdict.status.is_unexpected() {
            false => Ok(()),
            true => Err(terminal::failure(
                verdict,
                &self.results.runs[run],
                &self.results.assertions,
                Style::PLAIN,
            )
            .into()),
        }
    }
}
