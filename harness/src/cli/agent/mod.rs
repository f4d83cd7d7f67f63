//! `jvmti-check agent …`

mod check;
mod compare;
mod coverage;
mod jvm;
mod price;
mod record;
mod run;

use std::path::{Path, PathBuf};

use jvmti_agents::spec_names::UnknownName;
use jvmti_agents::{Reading, Symbols, show};
use jvmti_spec::Spec;
use jvmti_wire::trace::TraceFile;

use super::Completed;
use super::fault::Fault;
use super::terminal::print;
use super::trace;
use crate::os::NO_RECORDING;

/// The subcommands of `agent`.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Run a Java program with agents, and record their JVM TI calls and event callbacks
    #[command(after_help = "\
Give the arguments of the `java` launcher after `--`. The program reads standard input, writes standard output, and \
determines the exit code. The summary goes to standard error; the trace is kept.

An agent is the path of a native library (./libfoo.so=options), the name of a library that the JVM finds \
(jdwp=transport=dt_socket,server=y), or a Java agent (agent.jar=options).

Examples:
  jvmti-check agent record --agent ./libfoo.so=opts --jdk /opt/jdk-25 -- -cp app.jar Main
  jvmti-check agent record --agent ./libfoo.so --jdk /opt/jdk-17 --jdk /opt/jdk-25 --out traces/ -- -jar app.jar
  jvmti-check trace show traces/foo-jdk-25.jvmtitrace.zst --function GetThreadInfo")]
    Record(Box<record::Args>),
    /// Summarise traces that `agent record` wrote
    Show {
        /// The traces
        #[arg(required = true)]
        trace: Vec<PathBuf>,
        #[command(flatten)]
        symbols: SymbolArgs,
    },
    /// Check traces that `agent record` wrote, for misuse of JVM TI by the agents
    Check(check::Args),
    /// Run agent cases: a program, an agent, and the expected behaviour
    #[command(after_help = "\
A case is a YAML file; docs/agents.md describes it. Paths in the file are relative to its folder.

Example:
  jvmti-check agent run cases/*.yaml --jdk /opt/jdk-17 --jdk /opt/jdk-25 --out report/")]
    Run(Box<run::Args>),
    /// Compare two recordings of an agent
    Compare(compare::Args),
    /// Count which functions, errors, events, capabilities and statements recordings exercise
    Coverage(coverage::Args),
    /// Measure how much capabilities slow a program down
    Price(Box<price::Args>),
}

/// Where source lines come from.
#[derive(clap::Args)]
pub struct SymbolArgs {
    /// Look for libraries and separate debug information in this folder first (repeatable)
    #[arg(long, value_name = "DIR")]
    symbols: Vec<PathBuf>,
}

/// Runs a subcommand of `agent`.
pub fn agent(command: &Command) -> Result<Completed, Fault> {
    let starts = matches!(command, Command::Record(_) | Command::Run(_) | Command::Price(_));
    if let Some(why) = NO_RECORDING.filter(|_| starts) {
        return Err(Fault::wrong(why));
    }
    match command {
        Command::Record(args) => record::record(args),
        Command::Show { trace, symbols } => {
            let traces = distinct(trace);
            for path in &traces {
                let read = read_with(path, symbols)?;
                print(&heading(&traces, path, &read))?;
                print(&show::text(&read.digest, &Spec::embedded().at(read.release)))?;
            }
            Ok(Completed::Fine)
        }
        Command::Check(args) => check::check(args),
        Command::Run(args) => run::run(args),
        Command::Compare(args) => compare::compare(args),
        Command::Coverage(args) => coverage::coverage(args),
        Command::Price(args) => price::price(args),
    }
}

/// The traces that these files contain: a killed recorder leaves one in two files, both of which a pattern may fit.
fn distinct(files: &[PathBuf]) -> Vec<PathBuf> {
    let mut traces: Vec<PathBuf> = Vec::new();
    for file in files {
        let trace = TraceFile::main(file);
        if trace == *file || !files.contains(&trace) {
            traces.push(file.clone());
        }
    }
    traces
}

/// What tells this trace from the others, if there are others: its path, the JVM and the program.
fn heading(traces: &[PathBuf], path: &Path, read: &Reading) -> String {
    if traces.len() == 1 {
        return String::new();
    }
    let program = read.described.as_ref().map(|described| format!(", java {}", described.program.join(" ")));
    format!("── {} ── {}{}\n", path.display(), read.behaviour.jvm(), program.unwrap_or_default())
}

/// The fault for an unknown name, with the nearest known one.
fn unknown(error: &UnknownName) -> Fault {
    Fault::unknown(error.to_string(), &error.name, error.known.iter().map(String::as_str))
}

/// Reads a whole trace, with source lines from these folders too.
fn read_with(path: &Path, symbols: &SymbolArgs) -> Result<Reading, Fault> {
    let symbols = Symbols::with_folders(symbols.symbols.clone());
    let read = Reading::with(&recording(path)?, path, symbols, &mut |_, _| {});
    read.map_err(|error| trace::unreadable(error, path))
}

/// Reads a whole trace.
fn read(path: &Path) -> Result<Reading, Fault> {
    Reading::of(&recording(path)?, path).map_err(|error| trace::unreadable(error, path))
}

/// Opens a trace in which agents are recorded. In the trace of a run of cases there are none, and so nothing to find.
fn recording(path: &Path) -> Result<TraceFile, Fault> {
    let file = trace::open(path)?;
    let is_recording = trace::reader(&file, path)?.plan().intercept.is_some();
    let path = path.display();
    let other = || {
        format!(
            "{path}: this trace is of a run of cases, and records no agent; `jvmti-check judge {path}` judges it"
        )
    };
    if is_recording { Ok(file) } else { Err(Fault::wrong(other())) }
}
