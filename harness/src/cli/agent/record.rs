//! `jvmti-check agent record`

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use jvmti_agents::misuse::Severity;
use jvmti_agents::record::{Ended, Program, RecordError};
use jvmti_agents::{Library, show};
use jvmti_runner::launch::{Status, Stop};
use jvmti_spec::Spec;
use jvmti_wire::plan::Between;

use super::{free_path, read, unknown};
use crate::cli::Outcome;
use crate::cli::fault::Fault;
use crate::cli::find::JvmArgs;
use crate::cli::terminal::note;

/// How many calls from a place are recorded before it is hot, if nothing else is asked for: more than most agents make
/// in a test, and too few to weigh in a long run.
const SAMPLE: u32 = 4096;

/// The arguments of `agent record`.
#[derive(clap::Args)]
pub struct Args {
    /// An agent, with its options after `=`. May be repeated: they are loaded in this order. Without one, those that are
    /// attached while the program runs are recorded
    #[arg(long, value_name = "AGENT[=OPTIONS]")]
    agent: Vec<String>,
    #[command(flatten)]
    jvms: JvmArgs,
    /// Folder for the traces
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Room for what has not been moved into the compressed trace yet, in MiB. If the agent is faster than that, records
    /// are lost, which the summary tells
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    capacity: u64,
    /// Record only calls of these functions
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    function: Vec<String>,
    /// Record only callbacks of these events
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    event: Vec<String>,
    /// Record only environments that libraries with this in their path ask for
    #[arg(long, value_name = "PART")]
    library: Vec<String>,
    /// How many calls from each place, and callbacks of each event, are looked at closely: references identified,
    /// arrays and structures copied. The others are recorded without
    #[arg(long, value_name = "N", default_value_t = Between::default().close)]
    close: u32,
    /// Fill outputs of calls that fail, and memory that is deallocated, with values whose use is seen. An agent that relies
    /// on either behaves differently then, or crashes
    #[arg(long)]
    poison: bool,
    /// Sample hot places: after the first N calls from a place, and callbacks of an event, record one in N, and count
    /// the others, so that the agent keeps its pace. N is rounded up to a power of two; 0 records all. Calls that fail
    /// are recorded in any case, as is all that a call does with memory and raw monitors [default: 4096; 0 with --poison]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1 << 30), conflicts_with = "poison")]
    sample: Option<u32>,
    /// End the program when it has run for so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: Option<u64>,
    /// Options, class path, main class and arguments, as for `java`
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Runs a program with agents in it, on each JVM.
pub fn record(args: &Args) -> Result<Outcome, Fault> {
    let stop = Stop::on_signals().map_err(Fault::work)?;
    let agents: Result<Vec<Library>, _> =
        args.agent.iter().map(|agent| Library::parse(agent).checked()).collect();
    let agents = agents.map_err(Fault::input)?;
    let between = between(args)?;
    let probe = args.jvms.probe()?;
    let jdks = args.jvms.jdks()?;
    std::fs::create_dir_all(&args.out).map_err(|error| {
        Fault::input(anyhow::Error::new(error).context(format!("cannot make {}", args.out.display())))
    })?;
    let mut exit = 0;
    for jdk in &jdks {
        let options = args.jvms.vm_option.iter().map(OsString::from);
        let program = Program {
            java: jdk.java.clone(),
            probe: probe.clone(),
            agents: agents.clone(),
            args: options.chain(args.program.iter().cloned()).collect(),
            trace: free_path(&args.out, &agents, jdk),
            capacity: args.capacity << 20,
            between: between.clone(),
            limit: args.timeout.map(Duration::from_secs),
            apart: None,
        };
        let Ended { status, wall, trouble } = program.run(&stop).map_err(|error| match error {
            RecordError::Wait { .. } => Fault::work(error),
            _ => Fault::input(error),
        })?;
        if let Some(trouble) = trouble {
            note(&format!("the trace could not be moved all the time: {trouble}"));
        }
        note(&format!("\n── {} ── {}, {}", jdk.home.display(), status, show::time(wall.as_nanos() as u64)));
        let read = read(&program.trace)?;
        note(&show::text(&read.digest, &Spec::embedded().at(read.release)));
        for finding in read.findings.iter().filter(|finding| finding.severity >= Severity::Warning) {
            note(&show::finding(finding));
        }
        note(&format!("written: {}", program.trace.display()));
        if exit == 0 {
            exit = code(status);
        }
        if stop.asked() {
            break;
        }
    }
    Ok(Outcome::Program(exit))
}

/// What is recorded, functions and events by name.
fn between(args: &Args) -> Result<Between, Fault> {
    let newest = Spec::embedded().newest();
    let mut functions = Vec::new();
    for name in &args.function {
        match newest.functions.iter().find(|f| f.name == *name) {
            Some(function) => functions.push(function.slot),
            None => return Err(unknown("function", name, newest.functions.iter().map(|f| f.name.as_str()))),
        }
    }
    let mut events = Vec::new();
    for name in &args.event {
        match newest.events.iter().find(|e| e.name == *name) {
            Some(event) => events.push(event.number),
            None => return Err(unknown("event", name, newest.events.iter().map(|e| e.name.as_str()))),
        }
    }
    Ok(Between {
        functions: (!functions.is_empty()).then_some(functions),
        events: (!events.is_empty()).then_some(events),
        libraries: (!args.library.is_empty()).then(|| args.library.clone()),
        close: args.close,
        poison: args.poison,
        sample: args.sample.or((!args.poison).then_some(SAMPLE)).filter(|sample| *sample > 0),
    })
}

/// The program's exit code as a shell gives it.
fn code(status: Status) -> u8 {
    match status {
        Status::Exited(code) => code as u8,
        Status::Signalled(signal) => 128u8.wrapping_add(signal as u8),
        Status::TimedOut => 124,
        Status::Cancelled => 130,
    }
}
