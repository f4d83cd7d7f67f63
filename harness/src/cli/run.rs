//! `jvmti-check run`

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jvmti_check::launch::{Patience, Stop};
use jvmti_check::results::{self, SUITE};
use jvmti_check::run::{self, Options, RunError, Subject, Watcher};
use jvmti_check::select::Filters;
use jvmti_reports::results::Jvm;
use jvmti_reports::terminal::{self, Style};
use jvmti_reports::{Status, Verdict};

use super::Outcome;
use super::cases::{CaseArgs, FILTERS};
use super::fault::Fault;
use super::find::JvmArgs;
use super::output::{self, Format};
use super::terminal::{note, print, style};

/// The arguments of `run`.
#[derive(clap::Args)]
#[command(after_help = FILTERS)]
pub struct Args {
    /// Which cases; all if none is given
    filter: Vec<String>,
    #[command(flatten)]
    jvms: JvmArgs,
    #[command(flatten)]
    cases: CaseArgs,
    /// JVMs that run at the same time [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Write reports into this folder: results.json, junit.xml, report.html, report.md
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only these reports into the folder; without --out, print this one instead of text
    #[arg(long, value_enum, value_name = "FORMAT", value_delimiter = ',')]
    format: Vec<Format>,
    /// Keep the traces, in `traces` below --out
    #[arg(long, requires = "out")]
    keep_traces: bool,
    /// Give a JVM up that has recorded nothing new for so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = Patience::default().idle.as_secs(),
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Show no progress
    #[arg(long)]
    no_progress: bool,
    /// Print a line for each verdict, not only for what is unexpected
    #[arg(short, long)]
    verbose: bool,
    /// Count permitted deviations and outdated known ones as unexpected too
    #[arg(long)]
    strict: bool,
}

/// Runs cases.
pub fn run(args: &Args) -> Result<Outcome, Fault> {
    let stop = Stop::on_signals().map_err(Fault::work)?;
    let (started, begun) = (SystemTime::now(), Instant::now());
    if args.out.is_none() && args.format.len() > 1 {
        return Err(Fault::wrong("several formats can only be written to a folder; add --out DIR"));
    }
    // Whatever can be wrong with the input is found before the first JVM is started.
    let filters = Filters::new(args.filter.iter().cloned());
    let set = args.cases.load()?;
    let probe = args.jvms.probe()?;
    if let Some(folder) = &args.out {
        usable(folder)?;
    }
    let jobs = args.jobs.map_or_else(cores, usize::from);
    let known = args.jvms.known(&probe, &stop)?;
    let bare: Vec<u64> = known.iter().map(|(_, identity)| identity.bare_start_ms).collect();
    let mut subjects: Vec<Subject> = Vec::new();
    let mut all = Vec::new();
    for (jdk, identity) in known {
        let subject = results::subject(jdk, identity, &set, &filters);
        subjects.push(subject.map_err(Fault::Diagnostics)?);
    }
    if subjects.iter().all(|subject| subject.cases.is_empty() && subject.inapplicable.is_empty()) {
        for subject in &subjects {
            all.extend(set.for_release(&subject.edition).map(|s| s.cases).unwrap_or_default());
        }
        return Err(Fault::wrong(filters.nothing(&all)));
    }
    let options = Options {
        jobs,
        vm_options: args.jvms.vm_option.clone(),
        patience: patience(args.timeout),
        keep_traces: args.out.as_ref().filter(|_| args.keep_traces).map(|out| out.join("traces")),
        suite: SUITE.to_owned(),
        reproduce: reproduce(args),
        probe,
    };
    let to_text = args.out.is_some() || args.format.is_empty();
    let progress = Progress::new(!args.no_progress, to_text && args.verbose, to_text);
    let runs = run::run(&subjects, &options, &stop, &progress);
    progress.bar.finish_and_clear();
    let mut runs = runs.map_err(|error| match error {
        RunError::KeepTraces { .. } => Fault::input(error),
        RunError::Scratch { .. } => Fault::work(error),
    })?;
    for (run, bare) in runs.iter_mut().zip(bare) {
        run.bare_start_ms = Some(bare);
    }
    let results = results::results(runs, started, begun.elapsed());
    match (&args.out, args.format.first()) {
        (None, Some(format)) => print(&format.render(&results))?,
        (None, None) => print(&output::details(&results, style()))?,
        (Some(folder), _) => {
            print(&output::details(&results, style()))?;
            let formats = if args.format.is_empty() { &Format::ALL[..] } else { &args.format };
            for format in formats {
                format.write(&results, folder)?;
                note(&format!("written: {}", folder.join(format.file()).display()));
            }
        }
    }
    if stop.asked() {
        return Err(Fault::work(anyhow::anyhow!("interrupted; what had not been reached has no verdict")));
    }
    output::outcome(&results, args.strict)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn patience(seconds: u64) -> Patience {
    let idle = Duration::from_secs(seconds);
    Patience { idle, total: Patience::default().total.max(idle * 4) }
}

/// Makes the folder and tries whether it can be written to, before hours are spent on what goes into it.
fn usable(folder: &std::path::Path) -> Result<(), Fault> {
    let failed = |error: std::io::Error| {
        Fault::input(anyhow::Error::new(error).context(format!("cannot write to {}", folder.display())))
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    tempfile::tempfile_in(folder).map_err(failed)?;
    Ok(())
}

/// The command that runs one case again on one JVM.
fn reproduce(args: &Args) -> String {
    let mut command = String::from("jvmti-check run '{case}' --jdk '{home}'");
    for option in &args.jvms.vm_option {
        command.push_str(&format!(" --vm-option='{option}'"));
    }
    if let Some(cases) = &args.cases.cases {
        command.push_str(&format!(" --cases '{}'", cases.display()));
    }
    command
}

/// Shows how far the work is, and prints verdicts as they come.
struct Progress {
    bar: ProgressBar,
    every_verdict: bool,
    unexpected: bool,
    style: Style,
}

impl Progress {
    fn new(wanted: bool, every_verdict: bool, unexpected: bool) -> Progress {
        let shown = wanted && std::io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template("{elapsed_precise} {wide_bar} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Progress { bar, every_verdict, unexpected, style: style() }
    }
}

impl Watcher for Progress {
    fn scheduled(&self, _: &Jvm, cases: usize, _: usize) {
        self.bar.inc_length(cases as u64);
    }

    fn verdict(&self, jvm: &Jvm, verdict: &Verdict) {
        if self.every_verdict || (self.unexpected && verdict.status.is_unexpected()) {
            let line = terminal::verdict_line(&jvm.short(), verdict, self.style);
            // A reader that has gone is noticed when the summary is printed.
            let _ = self.bar.suspend(|| print(&(line + "\n")));
        }
        if verdict.status.is_unexpected() {
            self.bar.set_message(format!("{}: {}", Status::name(verdict.status), verdict.case));
        }
        self.bar.inc(1);
    }
}
