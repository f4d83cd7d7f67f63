//! `jvmti-check run`

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use jvmti_cases::CaseSet;
use jvmti_cases::select::{Filters, UNIVERSAL};
use jvmti_results::{JvmRun, Results, Shard, Suite};
use jvmti_runner::launch::{Stop, Timeouts};
use jvmti_runner::results;
use jvmti_runner::run::{self, Keep, Options, RunError, Subject, Tests};
use jvmti_runner::shell;
use jvmti_spec::{Release, Spec};

use super::cases::{CaseArgs, FILTERS};
use super::fault::Fault;
use super::find::{IdentifiedJvm, JvmArgs, Jvms, SetArgs};
use super::number::number;
use super::output::{self, OutputArgs};
use super::progress::{Lines, Progress};
use super::terminal::note;
use super::{Completed, again, class_path, known, provenance};
use crate::bundle::Bundle;

/// The arguments of `run`.
#[derive(clap::Args)]
#[command(after_help = FILTERS)]
pub struct Args {
    /// Run the cases that match any of these filters [default: all cases]
    filter: Vec<String>,
    #[command(flatten)]
    jvms: JvmArgs,
    #[command(flatten)]
    sets: SetArgs,
    #[command(flatten)]
    cases: CaseArgs,
    /// Run this many JVMs at the same time; a JVM that only waits does not count [default: three for every two cores]
    #[arg(short, long, value_name = "N", value_parser = number(1..=u16::MAX))]
    jobs: Option<u16>,
    #[command(flatten)]
    output: OutputArgs,
    /// Keep the traces, in the folder `traces` of --out
    #[arg(long, requires = "out")]
    keep_traces: bool,
    /// Trace buffer size per JVM in MiB; records that do not fit are lost [default: estimated from the cases]
    #[arg(long, value_name = "MIB", value_parser = number(1..=1u64 << 20))]
    capacity: Option<u64>,
    /// Run one shard of the cases, such as 2/8. Every machine splits the cases in the same way; `jvmti-check merge`
    /// combines the results
    #[arg(long, value_name = "N/COUNT")]
    shard: Option<Shard>,
    /// Run a selection of the cases: as few as possible that test each statement of the specification that all of them
    /// test. This finds out quickly whether a JVM breaks a rule outright; other cases repeat it in other circumstances
    #[arg(long)]
    quick: bool,
    /// Start a JVM for each case, in which no other case has done anything before: some defects show only there
    #[arg(long)]
    alone: bool,
    /// Write an archive for publication: results, reports, traces of failures, a description of the JVMs, and the lists
    /// of known deviations
    #[arg(long, value_name = "FILE.zip")]
    bundle: Option<PathBuf>,
    /// Kill a JVM after this many seconds without trace activity
    #[arg(long, value_name = "SECONDS", default_value_t = Timeouts::default().idle.as_secs(),
          value_parser = number(1..=86_400u64))]
    timeout: u64,
    /// Afterwards, print where the time went, and compare it with as many starts of the JVM with nothing to do
    #[arg(long)]
    timings: bool,
    /// Run each case with an unexpected verdict again by itself, up to N times; one that then passes is reported as unstable
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number(0..=100u32))]
    retries: u32,
    /// Stop at the first unexpected verdict
    #[arg(long)]
    fail_fast: bool,
    /// Scenarios of your own: a jar, a folder of classes, or a .java file, which the JDK's javac compiles. May be repeated
    #[arg(long, value_name = "PATH")]
    classpath: Vec<PathBuf>,
    /// Do not show a progress bar
    #[arg(long)]
    no_progress: bool,
    /// Print a line for every verdict, not only for unexpected ones
    #[arg(short, long)]
    verbose: bool,
    /// Also count as unexpected: permitted deviations, and known deviations that are fixed or expired
    #[arg(long)]
    strict: bool,
}

/// Runs cases.
pub fn run(args: &Args) -> Result<Completed, Fault> {
    let stop = Stop::on_signals().map_err(Fault::work)?;
    let (started, begun) = (SystemTime::now(), Instant::now());
    args.output.check()?;
    if let Some(file) = &args.bundle {
        output::check_file(file)?;
    }
    // Report all mistakes in the input before starting the first JVM.
    let filters = Filters::new(args.filter.iter().cloned());
    let set = args.cases.load()?;
    let probe = args.jvms.probe()?;
    let jobs = args.jobs.map_or_else(Options::standard_jobs, usize::from);
    let Jvms { known, skipped } = args.jvms.jvms(&args.sets, &args.cases, &probe, jobs, &stop)?;
    // Goes when the run is over: compiled scenarios, and traces for the archive.
    let folder = tempfile::tempdir().map_err(Fault::work)?;
    let class_path = class_path::prepared(&args.classpath, &known, folder.path())?;
    let subjects = subjects(known, &set, &filters, args)?;
    check_filters(&subjects, &set, &filters)?;
    let traces = args.bundle.as_ref().map(|_| folder.path().join("traces"));
    let options = Options {
        jobs,
        timeouts: timeouts(args.timeout),
        capacity: args.capacity.map(|mib| mib << 20),
        keep_traces: keep_traces(args, traces.as_deref()),
        judge: jvmti_judge::judge,
        suite: crate::suite().version,
        quick: args.quick,
        alone: args.alone,
        shard: args.shard,
        probe,
        program: std::env::current_exe().map_err(Fault::work)?,
        class_path,
    };
    let (runs, signalled) = launched(args, &subjects, &options, &filters, &stop)?;
    let suite = Suite { cases: Some(provenance::of_cases(&set)), ..crate::suite() };
    let mut results = results::results(suite, runs, skipped, started, begun.elapsed());
    known::explain(&set, &mut results);
    // Only those who keep results ask where they come from.
    if args.output.out.is_some() || !args.output.format.is_empty() || args.bundle.is_some() {
        for (run, subject) in results.runs.iter_mut().zip(&subjects) {
            run.build = provenance::of_build(&subject.jdk).ok();
        }
    }
    if let Some(file) = &args.bundle {
        let command = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
        Bundle { results: &results, known: &set, command }.write(file).map_err(Fault::work)?;
        note(&format!("written: {}", file.display()));
    }
    if let Some(traces) = traces {
        forget_traces(&mut results, &traces);
    }
    args.output.give(&results)?;
    if signalled {
        note("interrupted: cases that had not finished have no verdict");
        return Ok(Completed::Program(INTERRUPTED));
    }
    known::outcome(&set, &results, args.strict)
}

/// The exit code of a run that somebody interrupted, as shells have it.
const INTERRUPTED: u8 = 130;

/// Runs the cases, and again what failed if that is wanted. Gives the verdicts that were reached, and whether somebody
/// interrupted the run.
fn launched(
    args: &Args,
    subjects: &[Subject],
    options: &Options,
    filters: &Filters,
    stop: &Stop,
) -> Result<(Vec<JvmRun>, bool), Fault> {
    let to_text = args.output.out.is_some() || args.output.format.is_empty();
    let lines = match (to_text, args.verbose) {
        (false, _) => Lines::None,
        (true, true) => Lines::Every,
        (true, false) => Lines::Unexpected,
    };
    let progress = Progress::new(!args.no_progress, lines, args.fail_fast.then(|| stop.clone()));
    let done = run::run(subjects, options, stop, &progress);
    progress.finish();
    let failed = |error| match error {
        RunError::KeepTraces { .. } => Fault::input(error),
        RunError::Scratch { .. } | RunError::Bare(_) => Fault::work(error),
    };
    let mut runs = done.map_err(failed)?;
    if args.timings {
        let of = |run: &JvmRun| (Duration::from_millis(run.wall_ms), run.verdicts.clone());
        let of: Vec<_> = runs.iter().map(of).collect();
        note(&progress.timings.tell(subjects, &of, options.jobs, stop)?);
    }
    let is_shown = |id: &str| filters.fits_verdict(id);
    for run in &mut runs {
        run.verdicts.retain(|verdict| is_shown(&verdict.case) && !verdict.is_unreached());
    }
    let failed_fast = args.fail_fast
        && runs.iter().flat_map(|run| &run.verdicts).any(|verdict| verdict.status.is_unexpected());
    if !failed_fast {
        again::retry(&mut runs, subjects, (options, stop), args.retries).map_err(failed)?;
    }
    Ok((runs, stop.asked() && !failed_fast))
}

/// Checks that each filter matches a case for one of the JVMs, or a universal rule.
fn check_filters(subjects: &[Subject], set: &CaseSet, filters: &Filters) -> Result<(), Fault> {
    known_rules(subjects, filters)?;
    let cases: Vec<_> = subjects.iter().flat_map(|subject| &subject.tests.cases).cloned().collect();
    let inapplicable = subjects.iter().flat_map(|subject| &subject.tests.inapplicable);
    let ids: Vec<&str> = inapplicable.map(|case| case.id.as_str()).collect();
    let wrong = match filters.without_case(&cases, &ids) {
        Some(filter) => Filters::new([filter.to_owned()]),
        None if cases.is_empty() && ids.is_empty() => filters.clone(),
        None => return Ok(()),
    };
    let all = |s: &Subject| set.for_release(&s.tests.edition).map(|s| s.cases).unwrap_or_default();
    Err(Fault::wrong(wrong.nothing(&subjects.iter().flat_map(all).collect::<Vec<_>>())))
}

/// Which traces to keep, and where: all of them, or those of failures until they are in the bundle.
fn keep_traces(args: &Args, for_bundle: Option<&Path>) -> Option<Keep> {
    match (&args.output.out, for_bundle) {
        (Some(out), _) if args.keep_traces => Some(Keep { folder: out.join("traces"), all: true }),
        (_, Some(folder)) => Some(Keep { folder: folder.to_owned(), all: false }),
        _ => None,
    }
}

/// Pairs each JVM with the cases for its release.
fn subjects(
    known: Vec<IdentifiedJvm>,
    set: &CaseSet,
    filters: &Filters,
    args: &Args,
) -> Result<Vec<Subject>, Fault> {
    let mut by_release: BTreeMap<Release, Arc<Tests>> = BTreeMap::new();
    let mut subjects = Vec::with_capacity(known.len());
    for IdentifiedJvm { jdk, identity, configuration, vm_options } in known {
        let tests = match by_release.entry(identity.release()) {
            Entry::Occupied(entry) => Arc::clone(entry.get()),
            Entry::Vacant(entry) => {
                let tests = results::tests(identity.release(), set, filters).map_err(Fault::Diagnostics)?;
                Arc::clone(entry.insert(Arc::new(tests)))
            }
        };
        let reproduce = reproduce(args, &identity.jvm.home, configuration.as_deref());
        subjects.push(Subject { jdk, identity, configuration, vm_options, reproduce, tests });
    }
    Ok(subjects)
}

fn timeouts(seconds: u64) -> Timeouts {
    let idle = Duration::from_secs(seconds);
    Timeouts { idle, total: Timeouts::default().total.max(idle * 4) }
}

/// Checks that the universal rules that the filters name exist.
fn known_rules(subjects: &[Subject], filters: &Filters) -> Result<(), Fault> {
    let rules: BTreeSet<String> = subjects
        .iter()
        .flat_map(|subject| Spec::embedded().assertions(subject.tests.edition.release))
        .map(|assertion| assertion.id)
        .filter(|id| id.starts_with(UNIVERSAL))
        .collect();
    let fits = |wanted: &str| Filters::new([wanted.to_owned()]);
    match filters.rules().find(|wanted| !rules.iter().any(|rule| fits(wanted).fits_id(rule))) {
        None => Ok(()),
        Some(wanted) => {
            let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
            Err(Fault::wrong(format!(
                "no universal rule matches `{wanted}`; the rules are {}",
                rules.join(", ")
            )))
        }
    }
}

/// Removes from the results the paths of traces and crash reports that are about to be deleted.
fn forget_traces(results: &mut Results, folder: &Path) {
    for verdict in results.runs.iter_mut().flat_map(|run| &mut run.verdicts) {
        let report = verdict.crash.as_mut().map(|crash| &mut crash.file);
        for file in [Some(&mut verdict.trace), report].into_iter().flatten() {
            *file = file.take().filter(|path| !Path::new(path).starts_with(folder));
        }
    }
}

/// The command that reruns one case on one JVM.
fn reproduce(args: &Args, home: &str, configuration: Option<&str>) -> String {
    let mut words = vec!["jvmti-check".to_owned(), "run".to_owned(), "{case}".to_owned()];
    words.extend(["--jdk".to_owned(), home.to_owned()]);
    words.extend(configuration.into_iter().flat_map(|name| ["--vm-option-set".to_owned(), name.to_owned()]));
    words.extend(args.jvms.vm_option.iter().map(|option| format!("--vm-option={option}")));
    let cases = args.cases.cases.iter();
    words.extend(cases.flat_map(|path| ["--cases".to_owned(), path.display().to_string()]));
    let only = args.cases.only_cases.iter();
    words.extend(only.flat_map(|path| ["--only-cases".to_owned(), path.display().to_string()]));
    let class_path = args.classpath.iter();
    words.extend(class_path.flat_map(|path| ["--classpath".to_owned(), path.display().to_string()]));
    shell::command(words.iter().map(String::as_str))
}
