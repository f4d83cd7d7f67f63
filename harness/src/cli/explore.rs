//! `jvmti-check explore`

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use jvmti_cases::built_in;
use jvmti_cases::known::Deviation;
use jvmti_explore::against::Question;
use jvmti_explore::known::{deviation, ends};
use jvmti_explore::launches::ExploredJvm;
use jvmti_explore::model::Tables;
use jvmti_explore::{Explored, Finding, Kind, Options, Progress, Report, explore};
use jvmti_results::Shard;
use jvmti_runner::launch::{Scratch, Stop, Timeouts};
use jvmti_runner::shell;

use super::Completed;
use super::fault::Fault;
use super::find::{IdentifiedJvm, JvmArgs};
use super::number::number;
use super::terminal::{cores, note, print};

/// The arguments of `explore`.
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    #[command(flatten)]
    jvms: JvmArgs,
    /// Explore each JVM for this many minutes [default: 1]
    #[arg(long, value_name = "N", conflicts_with = "seconds", value_parser = number(1..=1_000_000u64))]
    minutes: Option<u64>,
    /// Explore each JVM for this many seconds
    #[arg(long, value_name = "N", value_parser = number(1..=1_000_000u64))]
    seconds: Option<u64>,
    /// Stop after this many sequences
    #[arg(long, value_name = "N")]
    sequences: Option<u64>,
    /// Seed of the random choices: the same seed gives the same sequences
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Call only these functions
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    functions: Vec<String>,
    /// Run only one shard of the sequences, such as 2/8
    #[arg(long, value_name = "N/COUNT")]
    shard: Option<Shard>,
    /// Run this many JVMs at the same time [default: two for each core]
    #[arg(short, long, value_name = "N", value_parser = number(1..=u16::MAX))]
    jobs: Option<u16>,
    /// Also make calls whose effect the specification leaves undefined
    #[arg(long)]
    undefined: bool,
    /// Run the same sequences on a second JVM, and print as questions what it answers differently although the
    /// specification allows both
    #[arg(long, value_name = "PATH")]
    against: Option<PathBuf>,
    /// Do not shrink findings: run each once more by itself, and print it as it is
    #[arg(long)]
    no_shrink: bool,
    /// Run only sequences in which several threads make calls at the same time
    #[arg(long, conflicts_with = "functions")]
    together: bool,
    /// Write each finding to this folder, as a case for `jvmti-check run --cases`
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Print which functions were never called, and which errors they never returned
    #[arg(long)]
    coverage: bool,
    /// Also print deviations that the specification permits
    #[arg(short, long)]
    verbose: bool,
}

const AFTER: &str = "\
Exit codes:
  0  nothing new found             2  invalid usage or input
  1  a JVM broke a promise         3  jvmti-check itself failed
Known deviations, what the specification permits, and what shows only by chance (crashes excepted) do not count.

Examples:
  jvmti-check explore --jdk ~/jdks/25 --minutes 10 --save found/
  jvmti-check run explored --jdk ~/jdks/25 --cases found/
  jvmti-check explore --functions SuspendThread,ResumeThread,GetThreadState --seconds 20";

/// Explores JVMs by random sequences of calls.
pub fn explore_jvms(args: &Args) -> Result<Completed, Fault> {
    let stop = Stop::on_signals().map_err(Fault::work)?;
    let probe = args.jvms.probe()?;
    let scratch = Scratch::new().map_err(Fault::work)?;
    let jvms = args.jvms.bare(&probe, &scratch, &stop)?;
    let against = match &args.against {
        Some(home) => args.jvms.at(home).bare(&probe, &scratch, &stop)?.into_iter().next(),
        None => None,
    };
    let mut found = false;
    for known in &jvms {
        found |= one(args, known, against.as_ref(), (&probe, &scratch), &stop)?;
        if stop.asked() {
            break;
        }
    }
    Ok(if found { Completed::Unexpected } else { Completed::Fine })
}

/// Explores one JVM; whether something was found.
fn one(
    args: &Args,
    known: &IdentifiedJvm,
    against: Option<&IdentifiedJvm>,
    (probe, scratch): (&Path, &Scratch),
    stop: &Stop,
) -> Result<bool, Fault> {
    let tables = Tables::new(known.identity.release());
    if let Some(unknown) = args.functions.iter().find(|name| tables.edition.function(name).is_none()) {
        let names = tables.edition.functions.iter().map(|function| function.name.as_str());
        let what = format!("JDK {} has no function {unknown}", tables.edition.release);
        return Err(Fault::unknown(what, unknown, names));
    }
    let their_tables = against.map(|other| Tables::new(other.identity.release()));
    let keeps = against.is_some();
    let target = target_of(known, &tables, keeps, (probe, scratch));
    let theirs = against.zip(their_tables.as_ref());
    let other = theirs.map(|(other, tables)| target_of(other, tables, keeps, (probe, scratch)));
    let seconds = args.seconds.unwrap_or_else(|| args.minutes.unwrap_or(1) * 60);
    let set = built_in::case_files(None).map_err(Fault::cases)?;
    let listed: Vec<Deviation> = set.known().cloned().collect();
    let options = Options {
        functions: args.functions.clone(),
        undefined: args.undefined,
        together: args.together,
        seed: args.seed,
        time: Duration::from_secs(seconds),
        sequences: args.sequences,
        jobs: args.jobs.map_or_else(jobs, usize::from),
        shrinks: !args.no_shrink,
        shard: args.shard.map_or((0, 1), |shard| (u64::from(shard.index) - 1, shard.count.into())),
        avoided: ends(&set, &known.identity, &known.vm_options, &tables),
    };
    let printer =
        Printer { args, known, listed, tables: &tables, begun: Instant::now(), last: Mutex::default() };
    let explored = explore(&target, other.as_ref(), &options, stop, &printer);
    printer.clear();
    if let Some(trouble) = &explored.trouble {
        return Err(Fault::work(anyhow::anyhow!("{trouble}")));
    }
    let listed = explored.findings.iter().filter(|f| !f.key.permitted && printer.reason(f).is_some()).count();
    if let Some(other) = against {
        let labels = (known.identity.jvm.label(), other.identity.jvm.label());
        let text = |question: &Question| question.text(&tables, (&labels.0, &labels.1));
        print(&explored.questions.iter().map(text).collect::<String>())?;
    }
    print(&summary(known, &explored, listed))?;
    if args.coverage {
        print(&unreached(&tables, &explored))?;
    }
    let counts = |finding: &Finding| {
        !finding.key.permitted && !finding.is_doubtful() && printer.reason(finding).is_none()
    };
    Ok(explored.findings.iter().any(counts))
}

/// As many JVMs as keep all cores busy: each waits for its own threads, and for the end of the one before, half of the time.
fn jobs() -> usize {
    2 * cores()
}

fn target_of<'t>(
    known: &'t IdentifiedJvm,
    tables: &'t Tables,
    keeps: bool,
    (probe, scratch): (&'t Path, &'t Scratch),
) -> ExploredJvm<'t> {
    ExploredJvm {
        jdk: &known.jdk,
        identity: &known.identity,
        vm_options: &known.vm_options,
        probe,
        scratch,
        timeouts: Timeouts { idle: Duration::from_secs(12), ..Timeouts::default() },
        tables,
        keeps,
        is_quick: false,
    }
}

fn summary(known: &IdentifiedJvm, explored: &Explored, listed: usize) -> String {
    let Progress { calls, sequences, launches, states, .. } = explored.progress;
    let seconds = explored.time.as_secs_f64();
    let broken = explored.findings.iter().filter(|finding| !finding.key.permitted).count();
    let permitted = explored.findings.len() - broken;
    let avoided: String = explored.avoided.iter().map(|what| format!("avoided: {what}\n")).collect();
    format!(
        "{avoided}{}: {broken} findings, {listed} of them known; {permitted} that the specification permits; {sequences} sequences, {calls} calls, \
         {states} states, {launches} JVMs, {seconds:.0} s, {:.0} calls per second\n",
        known.identity.jvm.label(),
        calls as f64 / seconds.max(0.001),
    )
}

/// What was never reached.
fn unreached(tables: &Tables, explored: &Explored) -> String {
    let codes = explored.coverage.codes();
    let mut lines = String::new();
    for function in &tables.edition.functions {
        let Some(reached) = codes.get(&function.slot) else {
            lines += &format!("never called: {}\n", function.name);
            continue;
        };
        let mut errors: Vec<&str> = Vec::new();
        for row in &function.errors {
            let number = tables.edition.error(&row.error).map(|error| error.number);
            if number.is_some_and(|number| !reached.contains(&number))
                && !errors.contains(&row.error.as_str())
            {
                errors.push(&row.error);
            }
        }
        if !reached.contains(&0) {
            errors.insert(0, "NONE");
        }
        if !errors.is_empty() {
            lines += &format!("never returned by {}: {}\n", function.name, errors.join(", "));
        }
    }
    lines
}

/// Prints findings as they come, and a line of progress.
struct Printer<'p> {
    args: &'p Args,
    /// The known deviations.
    listed: Vec<Deviation>,
    known: &'p IdentifiedJvm,
    tables: &'p Tables,
    begun: Instant,
    last: Mutex<Option<Instant>>,
}

impl Printer<'_> {
    fn clear(&self) {
        if std::io::stderr().is_terminal() {
            eprint!("\r\x1b[K");
        }
    }

    /// Whether the finding is a wrong answer that the specification permits, and the user has not asked for these.
    fn is_hidden(&self, finding: &Finding) -> bool {
        finding.key.permitted && matches!(finding.kind, Kind::Breach(_)) && !self.args.verbose
    }

    /// Why the finding is a known deviation of the JVM, if it is one.
    fn reason(&self, finding: &Finding) -> Option<&str> {
        let (jvm, options) = (&self.known.identity.jvm, &self.known.vm_options);
        deviation(finding, &self.listed, jvm, options).map(|deviation| deviation.reason.trim())
    }

    /// Writes the finding to the folder of `--save`, and returns the command that shows it again.
    fn save(&self, finding: &Finding, name: &str, text: &str) -> std::io::Result<Option<String>> {
        let Some(folder) = &self.args.save else { return Ok(None) };
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join(format!("{name}.yaml")), text)?;
        let scenarios = built_in::text("scenarios.yaml").unwrap_or_default();
        std::fs::write(folder.join("scenarios.yaml"), scenarios)?;
        if !finding.before.is_empty() {
            // The case lacks the sequences that have to come before: only the same exploration makes them.
            let words: Vec<String> = std::env::args().collect();
            return Ok(Some(shell::command(words.iter().map(String::as_str))));
        }
        let home = self.known.jdk.home.display().to_string();
        let (cases, case) = (folder.display().to_string(), finding.id());
        let mut words = vec!["jvmti-check", "run", &case, "--jdk", &home, "--cases", &cases];
        let options: Vec<String> = self.known.vm_options.iter().map(|o| format!("--vm-option={o}")).collect();
        words.extend(options.iter().map(String::as_str));
        Ok(Some(shell::command(words)))
    }
}

impl Report for Printer<'_> {
    fn is_of_interest(&self, finding: &Finding) -> bool {
        self.reason(finding).is_none() && !self.is_hidden(finding)
    }

    fn progress(&self, progress: Progress) {
        let Ok(mut last) = self.last.lock() else { return };
        if !std::io::stderr().is_terminal()
            || last.is_some_and(|last| last.elapsed() < Duration::from_millis(200))
        {
            return;
        }
        *last = Some(Instant::now());
        let Progress { calls, sequences, states, findings, .. } = progress;
        let seconds = self.begun.elapsed().as_secs();
        eprint!(
            "\r\x1b[K{seconds} s: {calls} calls, {sequences} sequences, {states} states, {findings} findings"
        );
    }

    fn found(&self, finding: &Finding) {
        if self.is_hidden(finding) {
            return;
        }
        self.clear();
        if let Some(reason) = self.reason(finding) {
            let _ = print(&format!("known: {}\n  {}\n\n", finding.title(), reason.replace('\n', "\n  ")));
            return;
        }
        if finding.is_doubtful() && !self.args.verbose && self.args.save.is_none() {
            let _ = print(&format!("{}\n", finding.line()));
            return;
        }
        let (name, text) = (finding.name(), finding.as_case(self.tables));
        let command = self.save(finding, &name, &text).unwrap_or_else(|error| {
            note(&format!("cannot save a finding: {error}"));
            None
        });
        let _ = print(&format!("{}\n{text}\n", finding.text(self.tables, command.as_deref())));
    }
}
