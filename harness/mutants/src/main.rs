//! `ci/score`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Parser;
use jvmti_cases::built_in::case_files;
use jvmti_mutants::{Bench, Broken, Outcome, Report, Sift, mutants};
use jvmti_results::Shard;
use jvmti_runner::jvm::{self, Jdk};
use jvmti_runner::launch::Stop;
use jvmti_spec::{Release, Spec};

/// Scores the suite: breaks the rules of the specification in a real JVM, one at a time, and reports which of these mutants
/// the cases detect.
///
/// A mutant is a Java home whose launcher makes the JVM load a library before all other agents. The library patches the
/// function table that all environments share, or wraps the callbacks that agents set: it returns another error code,
/// changes an output, suppresses or refuses a call, or drops, doubles, changes or misdirects an event. The mutants are
/// generated from the tables of the specification in spec/.
///
/// The cases that cite a broken rule run on the mutant and on the unbroken JVM. A mutant is detected if one of them has a
/// worse verdict on the mutant; `permitted` is worse than `pass`.
#[derive(Parser)]
#[command(name = "ci/score", after_help = AFTER)]
struct Args {
    /// Try the mutants with one of these texts in their ids [default: all mutants]
    mutant: Vec<String>,
    /// The home of the JVM
    #[arg(long, value_name = "PATH", required_unless_present = "list")]
    jdk: Option<PathBuf>,
    /// Try only this many mutants, chosen at random
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Seed of the random choice
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Try only one shard of the mutants, such as 2/8
    #[arg(long, value_name = "N/COUNT")]
    shard: Option<Shard>,
    /// Use the case files in this folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    /// Write the scores to this file as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// List the mutants of this release, what they do and which statements they break, instead of trying them
    #[arg(long, value_name = "RELEASE")]
    list: Option<u16>,
    /// Write the Java home of a single mutant to this new folder, for `jvmti-check run --jdk`, instead of trying it
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// The jvmti-check executable [default: the one next to this program]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Print a line for each mutant
    #[arg(short, long)]
    verbose: bool,
}

const AFTER: &str = "\
Exit codes:
  0  a case that cites a broken rule detects each mutant that is neither excused nor idle
  1  some mutant is not detected in this way
  2  ci/score failed

Examples:
  ci/score --jdk ~/jdks/25 --sample 50 --seed 1      try fifty mutants
  ci/score --jdk ~/jdks/25 --shard 1/8 --json 1.json try one eighth of all
  ci/score --jdk ~/jdks/25 GetThreadState -v         try those of a function
  ci/score --list 25 MonitorWait                     list mutants
  ci/score --jdk ~/jdks/25 GetErrorName/suppressed --keep mutant
  jvmti-check run GetErrorName --jdk mutant          run cases on one mutant

Mutants do not affect agents that JAVA_TOOL_OPTIONS loads, and JVMs that a launcher other than bin/java creates.";

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Makes the home of the one mutant chosen, whatever the release has.
fn keep_one(jdk: &Jdk, sift: &Sift, home: &Path) -> anyhow::Result<()> {
    let chosen = sift.choose(mutants(Release::NEWEST));
    let exact = chosen.iter().find(|mutant| sift.names.contains(&mutant.id));
    let Some(mutant) = exact.or(chosen.first().filter(|_| chosen.len() == 1)) else {
        bail!("{} mutants match; --keep needs exactly one", chosen.len())
    };
    std::fs::create_dir(home).with_context(|| home.display().to_string())?;
    let home = home.canonicalize()?;
    Broken::build(&home)?.home(jdk, &mutant.mutation, &home)?;
    Ok(())
}

fn run(args: &Args) -> anyhow::Result<bool> {
    let sift = Sift { names: args.mutant.clone(), sample: args.sample, seed: args.seed, shard: args.shard };
    if let Some(release) = args.list {
        let release = Release(release);
        let assertions = Spec::embedded().assertions(release);
        let mut out = std::io::stdout().lock();
        for mutant in sift.choose(mutants(release)) {
            let rules = mutant.breaks.among(&assertions);
            let told = writeln!(out, "{}\n    {}\n    breaks {}", mutant.id, mutant.does, rules.join(", "));
            // A reader that has gone wants no more.
            if told.is_err() {
                break;
            }
        }
        return Ok(true);
    }
    let stop = Stop::on_signals()?;
    let home = args.jdk.clone().unwrap_or_default();
    let Some(jdk) = jvm::named(&[home])?.into_iter().next() else { bail!("no JVM there") };
    let set = case_files(args.cases.as_deref())?;
    let beside = std::env::current_exe()?.with_file_name("jvmti-check");
    let program = args.program.clone().unwrap_or(beside);
    if let Some(keep) = &args.keep {
        return keep_one(&jdk, &sift, keep).map(|()| true);
    }
    let bench = Bench::open(jdk, &set, |release| sift.choose(mutants(release)), program, stop)?;
    let chosen = bench.mutants();
    if chosen.is_empty() {
        bail!("no mutant of {} matches; `--list RELEASE` lists them", bench.jvm());
    }
    let mut scores = Vec::with_capacity(chosen.len());
    for mutant in chosen {
        let score = bench.score(mutant)?;
        if args.verbose || !matches!(score.outcome, Outcome::Detected | Outcome::Excused | Outcome::Idle) {
            let outcome = format!("{:?}", score.outcome).to_lowercase();
            eprintln!("{:>5}/{} {outcome:<9} {}", scores.len() + 1, chosen.len(), score.mutant);
        }
        scores.push(score);
    }
    let report = Report::new(bench.jvm(), scores);
    if let Some(file) = &args.json {
        let text = serde_json::to_string_pretty(&report)?;
        std::fs::write(file, text + "\n").with_context(|| file.display().to_string())?;
    }
    print!("{report}");
    Ok(report.is_perfect())
}
