//! `jvmti-check run`

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jvmti_cases::CaseSet;
use jvmti_cases::select::{Filters, UNIVERSAL};
use jvmti_reports::terminal::{self, Style};
use jvmti_reports::{Status, Verdict};
use jvmti_results::{JvmRun, Results, Shard};
use jvmti_runner::launch::{Stop, Timeouts};
use jvmti_runner::results;
use jvmti_runner::run::{self, Keep, LaunchCost, Options, RunError, Subject, Tests, Watcher};
use jvmti_runner::shell;
use jvmti_spec::{Release, Spec};
use tempfile::TempDir;

use super::cases::{CaseArgs, FILTERS};
use super::fault::Fault;
use super::find::{IdentifiedJvm, JvmArgs, Jvms, SetArgs};
use super::output::{self, Format};
use super::terminal::{cores, note, print, style};
use super::timings::Timings;
use super::{Completed, known};
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
    /// Run this many JVMs at the same time [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Write reports to this folder: results.json, junit.xml, report.html, report.md
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write only these reports; without --out, print this one instead of text
    #[arg(long, value_enum, value_name = "FORMAT", value_delimiter = ',')]
    format: Vec<Format>,
    /// Keep the traces, in the folder `traces` of --out
    #[arg(long, requires = "out")]
    keep_traces: bool,
    /// Trace buffer size per JVM in MiB; records that do not fit are lost [default: estimated from the cases]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    capacity: Option<u64>,
    /// Run one shard of the cases, such as 2/8. Every machine splits the cases in the same way; `jvmti-check merge`
    /// combines the results
    #[arg(long, value_name = "N/COUNT")]
    shard: Option<Shard>,
    /// Write an archive for publication: results, reports, traces of failures, a description of the JVMs, and the lists
    /// of known deviations
    #[arg(long, value_name = "FILE.zip")]
    bundle: Option<PathBuf>,
    /// Kill a JVM after this many seconds without trace activity
    #[arg(long, value_name = "SECONDS", default_value_t = Timeouts::default().idle.as_secs(),
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Afterwards, print where the time went, and compare it with as many starts of the JVM with nothing to do
    #[arg(long)]
    timings: bool,
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
    output::check(args.out.as_deref(), &args.format)?;
    if let Some(file) = &args.bundle {
        output::check_file(file)?;
    }
    // Report all mistakes in the input before starting the first JVM.
    let filters = Filters::new(args.filter.iter().cloned());
    let set = args.cases.load()?;
    let probe = args.jvms.probe()?;
    let jobs = args.jobs.map_or_else(cores, usize::from);
    let Jvms { known, skipped } = args.jvms.jvms(&args.sets, &args.cases, &probe, jobs, &stop)?;
    let subjects = subjects(known, &set, &filters, args)?;
    if subjects.iter().all(|Subject { tests, .. }| tests.cases.is_empty() && tests.inapplicable.is_empty()) {
        let all = |s: &Subject| set.for_release(&s.tests.edition).map(|s| s.cases).unwrap_or_default();
        return Err(Fault::wrong(filters.nothing(&subjects.iter().flat_map(all).collect::<Vec<_>>())));
    }
    let for_bundle = args.bundle.as_ref().map(|_| tempfile::tempdir()).transpose().map_err(Fault::work)?;
    known_rules(&subjects, &filters)?;
    let options = Options {
        jobs,
        timeouts: timeouts(args.timeout),
        capacity: args.capacity.map(|mib| mib << 20),
        keep_traces: keep_traces(args, for_bundle.as_ref().map(TempDir::path)),
        judge: jvmti_judge::judge,
        suite: crate::suite().version,
        shard: args.shard,
        probe,
        program: std::env::current_exe().map_err(Fault::work)?,
    };
    let to_text = args.out.is_some() || args.format.is_empty();
    let progress = Progress::new(!args.no_progress, to_text && args.verbose, to_text);
    let runs = run::run(&subjects, &options, &stop, &progress);
    progress.bar.finish_and_clear();
    let mut runs = runs.map_err(|error| match error {
        RunError::KeepTraces { .. } => Fault::input(error),
        RunError::Scratch { .. } | RunError::Bare(_) => Fault::work(error),
    })?;
    if args.timings {
        let of = |run: &JvmRun| (Duration::from_millis(run.wall_ms), run.verdicts.clone());
        let of: Vec<(Duration, Vec<Verdict>)> = runs.iter().map(of).collect();
        note(&progress.timings.tell(&subjects, &of, jobs, &stop)?);
    }
    for run in &mut runs {
        run.verdicts.retain(|verdict| filters.fits_verdict(&verdict.case));
    }
    let mut results = results::results(crate::suite(), runs, skipped, started, begun.elapsed());
    if let Some(file) = &args.bundle {
        let command = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
        Bundle { results: &results, known: &set, command }.write(file).map_err(Fault::work)?;
        note(&format!("written: {}", file.display()));
    }
    if let Some(folder) = for_bundle {
        forget_traces(&mut results, folder.path());
    }
    output::give(&results, args.out.as_deref(), &args.format)?;
    if stop.asked() {
        return Err(Fault::work(anyhow::anyhow!("interrupted; cases that had not finished have no verdict")));
    }
    known::outcome(&set, &results, args.strict)
}

/// Which traces to keep, and where: all of them, or those of failures until they are in the bundle.
fn keep_traces(args: &Args, for_bundle: Option<&Path>) -> Option<Keep> {
    match (&args.out, for_bundle) {
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

/// Removes from the results the paths of traces that are about to be deleted.
fn forget_traces(results: &mut Results, folder: &Path) {
    for verdict in results.runs.iter_mut().flat_map(|run| &mut run.verdicts) {
        verdict.trace = verdict.trace.take().filter(|trace| !Path::new(trace).starts_with(folder));
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
    shell::command(words.iter().map(String::as_str))
}

/// Shows a progress bar, and prints verdicts as they come.
struct Progress {
    bar: ProgressBar,
    every_verdict: bool,
    unexpected: bool,
    style: Style,
    timings: Timings,
}

impl Progress {
    fn new(wanted: bool, every_verdict: bool, unexpected: bool) -> Progress {
        let shown = wanted && std::io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template("{elapsed_precise} {wide_bar} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Progress { bar, every_verdict, unexpected, style: style(), timings: Timings::default() }
    }
}

impl Watcher for Progress {
    fn scheduled(&self, _: &Subject, cases: usize, _: usize) {
        self.bar.inc_length(cases as u64);
    }

    fn launched(&self, subject: &Subject, cost: &LaunchCost) {
        self.timings.add(subject.short(), cost.clone());
    }

    fn verdict(&self, jvm: &str, verdict: &Verdict) {
        if self.every_verdict || (self.unexpected && verdict.status.is_unexpected()) {
            let line = terminal::verdict_line(jvm, verdict, self.style);
            // A closed standard output is reported when the summary is printed.
            let _ = self.bar.suspend(|| print(&(line + "\n")));
        }
        if verdict.status.is_unexpected() {
            self.bar.set_message(format!("{}: {}", Status::name(verdict.status), verdict.case));
        }
        self.bar.inc(1);
    }
}
