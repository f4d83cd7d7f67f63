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

/// Scores the suite: breaks one rule of the specification after the other in a real JVM, and tells which of these mutants
/// are detected, and whether by a case that cites a broken rule.
///
/// A mutant is a Java home whose launcher has the JVM load a library before all other agents. It changes the function table
/// that all environments share, or the callbacks that are set: a code is another one, an output is changed, a call is
/// suppressed or refused, an event is dropped, doubled, changed or sent to the wrong environment. The mutants follow from the
/// tables of the specification in spec/.
///
/// The cases that cite a broken rule are run on the mutant, and their verdicts compared to those on the unbroken JVM. A mutant
/// is detected if one of them came to something worse, `permitted` included, which is what the breach of a recommendation
/// comes to.
#[derive(Parser)]
#[command(name = "ci/score", after_help = AFTER)]
struct Args {
    /// Mutants with one of these in their ids; all if none is given
    mutant: Vec<String>,
    /// The JVM: its home
    #[arg(long, value_name = "PATH", required_unless_present = "list")]
    jdk: Option<PathBuf>,
    /// Only so many of them, chosen by chance
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// What chance depends on
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only one share of the work, such as 2/8
    #[arg(long, value_name = "N/COUNT")]
    shard: Option<Shard>,
    /// The folder of case files, instead of those built in
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    /// Write the scores as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// List the mutants of that release, what they do and which statements they break, instead of trying them
    #[arg(long, value_name = "RELEASE")]
    list: Option<u16>,
    /// Instead of trying it make a Java home of the one mutant chosen, a new folder, for `jvmti-check run --jdk`
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// The jvmti-check executable, where it is not beside this program
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Print a line for each mutant
    #[arg(short, long)]
    verbose: bool,
}

const AFTER: &str = "\
Exit codes: 0 every mutant that is neither excused nor idle is detected by a case that cites a broken rule, 1 not so,
2 the score could not be told.

Examples:
  ci/score --jdk ~/jdks/25 --sample 50 --seed 1      fifty mutants
  ci/score --jdk ~/jdks/25 --shard 1/8 --json 1.json one eighth of all
  ci/score --jdk ~/jdks/25 GetThreadState -v         those of a function
  ci/score --list 25 MonitorWait                     what there is
  ci/score --jdk ~/jdks/25 GetErrorName/suppressed --keep mutant
  jvmti-check run GetErrorName --jdk mutant          one mutant, and what a case says of it

Not reached: agents that get in before all options (JAVA_TOOL_OPTIONS), and JVMs made by another launcher than bin/java.";

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
        bail!("{} mutants fit; --keep is for one", chosen.len())
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
        bail!("no mutant of {} fits; `--list RELEASE` lists them", bench.jvm());
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
