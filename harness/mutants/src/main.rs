//! `ci/score`

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Parser;
use jvmti_cases::built_in::case_files;
use jvmti_mutants::{
    Bench, Broken, Detection, Expedition, Explorations, Explorer, Latitude, Legal, Mutant, Mutation, Report,
    ScoreError, Scoring, Sift, Trials, groups, mutants, narrow_mutants, variants,
};
use jvmti_results::Shard;
use jvmti_runner::jvm::{self, Jdk};
use jvmti_runner::launch::Stop;
use jvmti_spec::{Release, Spec};
use serde::Serialize;
use serde::de::DeserializeOwned;

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
    /// Try JVMs that do what the specification permits otherwise, instead of mutants: no verdict may blame one of them
    #[arg(long)]
    legal: bool,
    /// Try mutants that break their rule only where something else holds, such as for threads in one state, for native methods or
    /// from the second call on
    #[arg(long, conflicts_with = "legal")]
    narrow: bool,
    /// Explore each mutant for so many seconds with random sequences, as `jvmti-check explore` does, instead of running cases:
    /// nothing that the unbroken JVM does counts as found
    #[arg(long, value_name = "SECONDS")]
    explore: Option<u64>,
    /// End each exploration after this many sequences
    #[arg(long, value_name = "N", requires = "explore")]
    sequences: Option<u64>,
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
    /// Continue: keep the scores that the file of --json has, and try only the other mutants
    #[arg(long, requires = "json")]
    resume: bool,
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

impl Args {
    /// The mutants of a release to choose from.
    fn mutants(&self, release: Release) -> Vec<Mutant> {
        if self.narrow { narrow_mutants(release) } else { mutants(release) }
    }
}

const AFTER: &str = "\
Exit codes:
  0  a case that cites a broken rule detects each mutant that is neither excused nor idle; with --legal, no verdict
     blames a variant
  1  some mutant is not detected in this way; with --legal, some verdict blames a variant
  2  ci/score failed

Examples:
  ci/score --jdk ~/jdks/25 --sample 50 --seed 1      try fifty mutants
  ci/score --jdk ~/jdks/25 --shard 1/8 --json 1.json try one eighth of all
  ci/score --jdk ~/jdks/25 --json 25.json --resume   continue where an earlier run with this file ended
  ci/score --jdk ~/jdks/25 GetThreadState -v         try those of a function
  ci/score --list 25 MonitorWait                     list mutants
  ci/score --narrow --jdk ~/jdks/25 --sample 50      try mutants that break a rule in one state only
  ci/score --legal --jdk ~/jdks/25 order/            try JVMs that return lists in another order
  ci/score --explore 60 --jdk ~/jdks/25 --sample 30  explore thirty mutants, without any case
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

/// Makes the home of the one mutant or variant chosen, whatever the release has.
fn keep_one(args: &Args, jdk: &Jdk, sift: &Sift, home: &Path) -> anyhow::Result<()> {
    let all: Vec<(String, Vec<Mutation>)> = match args.legal {
        true => sift.choose(variants(Release::NEWEST)).into_iter().map(|v| (v.id, v.mutations)).collect(),
        false => {
            sift.choose(args.mutants(Release::NEWEST)).into_iter().map(|m| (m.id, vec![m.mutation])).collect()
        }
    };
    let exact = all.iter().find(|(id, _)| sift.names.contains(id));
    let Some((_, mutations)) = exact.or(all.first().filter(|_| all.len() == 1)) else {
        bail!("{} mutants match; --keep needs exactly one", all.len())
    };
    std::fs::create_dir(home).with_context(|| home.display().to_string())?;
    let home = home.canonicalize()?;
    Broken::build(&home)?.home(jdk, mutations, &home)?;
    Ok(())
}

/// Lists the mutants or variants of a release.
fn list(args: &Args, sift: &Sift, release: Release) {
    let lines: Vec<String> = match args.legal {
        true => {
            let chosen = sift.choose(variants(release));
            chosen.iter().map(|variant| format!("{}\n    {}", variant.id, variant.does)).collect()
        }
        false => {
            let assertions = Spec::embedded().assertions(release);
            let line = |mutant: &Mutant| {
                let rules = mutant.breaks.among(&assertions).join(", ");
                format!("{}\n    {}\n    breaks {rules}", mutant.id, mutant.does)
            };
            sift.choose(args.mutants(release)).iter().map(line).collect()
        }
    };
    let mut out = std::io::stdout().lock();
    for line in lines {
        // A reader that has gone wants no more.
        if writeln!(out, "{line}").is_err() {
            break;
        }
    }
}

fn run(args: &Args) -> anyhow::Result<bool> {
    let sift = Sift { names: args.mutant.clone(), sample: args.sample, seed: args.seed, shard: args.shard };
    if let Some(release) = args.list {
        list(args, &sift, Release(release));
        return Ok(true);
    }
    let stop = Stop::on_signals()?;
    let home = args.jdk.clone().unwrap_or_default();
    let Some(jdk) = jvm::named(&[home])?.into_iter().next() else { bail!("no JVM there") };
    if let Some(keep) = &args.keep {
        return keep_one(args, &jdk, &sift, keep).map(|()| true);
    }
    let set = case_files(args.cases.as_deref())?;
    if let Some(seconds) = args.explore {
        let (time, sequences, seed) = (Duration::from_secs(seconds), args.sequences, args.seed);
        let plan = Expedition { time, sequences, seed, legal: args.legal };
        return explore(args, &sift, Explorer::new(jdk, &set, stop, plan)?);
    }
    let beside = std::env::current_exe()?.with_file_name("jvmti-check");
    let program = args.program.clone().unwrap_or(beside);
    let bench = Bench::new(jdk, &set, program, stop)?;
    if args.legal { try_variants(args, &sift, bench) } else { score_mutants(args, &sift, bench) }
}

fn score_mutants(args: &Args, sift: &Sift, bench: Bench) -> anyhow::Result<bool> {
    let mut chosen = sift.choose(args.mutants(bench.release()));
    if chosen.is_empty() {
        bail!("no mutant of {} matches; `--list RELEASE` lists them", bench.jvm());
    }
    let all = chosen.len();
    let mut scores = earlier::<Report>(args)?.map_or_else(Vec::new, |report| report.scores);
    chosen.retain(|mutant| !scores.iter().any(|score| score.mutant == mutant.id));
    let scoring = Scoring::new(bench, chosen)?;
    let mut failure = None;
    for mutant in scoring.mutants() {
        let score = match scoring.score(mutant) {
            Ok(score) => score,
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
        if args.verbose
            || !matches!(score.outcome, Detection::Detected | Detection::Excused | Detection::Idle)
        {
            let outcome = format!("{:?}", score.outcome).to_lowercase();
            eprintln!("{:>5}/{all} {outcome:<9} {}", scores.len() + 1, score.mutant);
        }
        scores.push(score);
    }
    let report = Report::new(scoring.jvm(), scores);
    finish(args, &report, failure)?;
    Ok(report.is_perfect())
}

fn try_variants(args: &Args, sift: &Sift, bench: Bench) -> anyhow::Result<bool> {
    let mut chosen = sift.choose(variants(bench.release()));
    if chosen.is_empty() {
        bail!("no variant of {} matches; `--legal --list RELEASE` lists them", bench.jvm());
    }
    let all = chosen.len();
    let mut tried = earlier::<Legal>(args)?.map_or_else(Vec::new, |legal| legal.variants);
    chosen.retain(|variant| !tried.iter().any(|tried| tried.variant == variant.id));
    let trials = Trials::new(bench, chosen)?;
    let mut failure = None;
    for group in groups(trials.variants()) {
        let group = match trials.try_together(&group) {
            Ok(group) => group,
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
        for one in group {
            if args.verbose || one.outcome == Latitude::Blamed {
                let outcome = format!("{:?}", one.outcome).to_lowercase();
                eprintln!("{:>5}/{all} {outcome:<9} {}", tried.len() + 1, one.variant);
                one.blames.iter().for_each(|blame| eprintln!("{:>11} {}: {}", "", blame.case, blame.finding));
            }
            tried.push(one);
        }
    }
    let legal = Legal { jvm: trials.jvm(), variants: tried };
    finish(args, &legal, failure)?;
    Ok(legal.count(Latitude::Blamed) == 0)
}

/// What is changed in a JVM: id, what it does, mutations and options.
type Changed = (String, String, Vec<Mutation>, Vec<String>);

fn explore(args: &Args, sift: &Sift, explorer: Explorer) -> anyhow::Result<bool> {
    let release = explorer.release();
    let mut chosen: Vec<Changed> = match args.legal {
        true => sift
            .choose(variants(release))
            .into_iter()
            .map(|v| (v.id, v.does, v.mutations, v.options))
            .collect(),
        false => sift
            .choose(args.mutants(release))
            .into_iter()
            .map(|m| (m.id, m.does, vec![m.mutation], vec![]))
            .collect(),
    };
    if chosen.is_empty() {
        bail!("nothing of {} matches; `--list RELEASE` lists what there is", explorer.jvm());
    }
    let total = chosen.len();
    let mut all = earlier::<Explorations>(args)?.map_or_else(Vec::new, |earlier| earlier.all);
    chosen.retain(|(id, ..)| !all.iter().any(|one| one.id == *id));
    let mut failure = None;
    for (id, does, mutations, options) in &chosen {
        let one = match explorer.explore((id, does), mutations, options) {
            Ok(one) => one,
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
        let (outcome, is_as_wished) = match args.legal {
            true if one.is_blamed() => ("blamed", false),
            true => ("respected", true),
            false if one.is_detected() => ("detected", true),
            false => ("missed", false),
        };
        if args.verbose || !is_as_wished {
            eprintln!("{:>5}/{total} {outcome:<9} {id}", all.len() + 1);
            let lists = one.broken.iter().chain(&one.permitted).chain(&one.doubtful).chain(&one.trouble);
            lists.for_each(|found| eprintln!("{:>11} {found}", ""));
        }
        all.push(one);
    }
    let explorations = Explorations { jvm: explorer.jvm(), legal: args.legal, all };
    finish(args, &explorations, failure)?;
    Ok(explorations.is_perfect())
}

/// What an earlier run wrote that this one continues.
fn earlier<T: DeserializeOwned>(args: &Args) -> anyhow::Result<Option<T>> {
    let Some(file) = args.json.as_ref().filter(|file| args.resume && file.exists()) else { return Ok(None) };
    let text = std::fs::read(file).with_context(|| file.display().to_string())?;
    serde_json::from_slice(&text).map(Some).with_context(|| file.display().to_string())
}

/// Writes and prints what was tried, and fails if something ended the run early.
fn finish<T: Serialize + Display>(
    args: &Args,
    report: &T,
    failure: Option<ScoreError>,
) -> anyhow::Result<()> {
    if let Some(file) = &args.json {
        let text = serde_json::to_string_pretty(report)?;
        std::fs::write(file, text + "\n").with_context(|| file.display().to_string())?;
    }
    print!("{report}");
    let hint = if args.json.is_some() {
        "the rest was not tried; --resume continues"
    } else {
        "the rest was not tried"
    };
    failure.map_or(Ok(()), |error| Err(error).context(hint))
}
