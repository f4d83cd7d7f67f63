//! `jvmti-check agent record`

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use jvmti_agents::child_jvms::{self, ChildJvm};
use jvmti_agents::misuse::Severity;
use jvmti_agents::record::{Ended, Program, RecordError, free_trace_path};
use jvmti_agents::{Library, show, spec_names, times};
use jvmti_runner::launch::{Status, Stop};
use jvmti_spec::Spec;
use jvmti_wire::plan::Interception;

use super::{read, unknown};
use crate::cli::Completed;
use crate::cli::fault::Fault;
use crate::cli::find::JvmArgs;
use crate::cli::number::number;
use crate::cli::terminal::note;

/// The default number of calls from a call site that are all recorded before sampling starts: more than most agents
/// make in a test, and few enough not to slow a long run down.
const SAMPLE: u32 = 4096;

/// The arguments of `agent record`.
#[derive(clap::Args)]
pub struct Args {
    /// Load this agent, with its options after `=`. May be repeated; agents are loaded in this order. Without it, agents
    /// that attach while the program runs are recorded
    #[arg(long, value_name = "AGENT[=OPTIONS]")]
    agent: Vec<String>,
    #[command(flatten)]
    jvms: JvmArgs,
    /// Write the traces to this folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Size in MiB of the buffer for records that are not yet in the compressed trace. Records are lost if it fills up;
    /// the summary says how many
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = number(1..=1u64 << 20))]
    capacity: u64,
    /// Record only calls of these functions
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    function: Vec<String>,
    /// Record only callbacks of these events
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    event: Vec<String>,
    /// Record only the environments of libraries with this text in their path
    #[arg(long, value_name = "PART")]
    library: Vec<String>,
    /// Record the first N calls from each call site, and the first N callbacks of each event, in detail: with the
    /// identities of references and the contents of arrays and structures
    #[arg(long, value_name = "N", default_value_t = Interception::default().close)]
    close: u32,
    /// Fill the outputs of failed calls, and deallocated memory, with recognisable values. An agent that uses them behaves
    /// differently or crashes
    #[arg(long)]
    poison: bool,
    /// Record the first N calls from each call site and callbacks of each event; then record one in N and count the
    /// others, so that recording slows the agent down less. N is rounded up to a power of two; 0 records everything.
    /// Failed calls are always recorded; with --poison, so are calls that give, take or read memory [default: 4096]
    #[arg(long, value_name = "N", value_parser = number(0..=1u32 << 30))]
    sample: Option<u32>,
    /// Kill the program after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = number(1..=86_400u64))]
    timeout: Option<u64>,
    /// The arguments of the `java` launcher: options, class path, main class, program arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Runs a program with agents on each JVM.
pub fn record(args: &Args) -> Result<Completed, Fault> {
    let stop = Stop::on_signals().map_err(Fault::work)?;
    let agents: Result<Vec<Library>, _> =
        args.agent.iter().map(|agent| Library::parse(agent).checked()).collect();
    let agents = agents.map_err(Fault::input)?;
    let interception = interception(args)?;
    let probe = args.jvms.probe()?;
    let jdks = args.jvms.jdks()?;
    std::fs::create_dir_all(&args.out).map_err(|error| {
        Fault::input(anyhow::Error::new(error).context(format!("cannot create {}", args.out.display())))
    })?;
    for (variable, agent) in child_jvms::agents_of_environment() {
        note(&format!("{variable} loads {agent} before the probe, which misses what it does: use --agent"));
    }
    let mut exit = 0;
    for jdk in &jdks {
        let options = args.jvms.vm_option.iter().map(OsString::from);
        let program = Program {
            java: jdk.java.clone(),
            probe: probe.clone(),
            agents: agents.clone(),
            args: options.chain(args.program.iter().cloned()).collect(),
            trace: free_trace_path(&args.out, &agents, jdk),
            capacity: args.capacity << 20,
            interception: interception.clone(),
            limit: args.timeout.map(Duration::from_secs),
            apart: None,
        };
        let Ended { status, wall, trouble, children } = program.run(&stop).map_err(|error| match error {
            RecordError::Wait { .. } => Fault::work(error),
            _ => Fault::input(error),
        })?;
        if let Some(trouble) = trouble {
            note(&format!("the trace could not be compressed throughout; records may be lost: {trouble}"));
        }
        note(&format!(
            "\n── {} ── {}, {}",
            jdk.home.display(),
            status,
            times::duration(wall.as_nanos() as u64)
        ));
        let read = read(&program.trace)?;
        note(&show::text(&read.digest, &Spec::embedded().at(read.release)));
        for finding in read.findings.iter().filter(|finding| finding.severity >= Severity::Warning) {
            note(&show::finding(finding));
        }
        note(&format!("written: {}", program.trace.display()));
        tell_of(&children)?;
        if exit == 0 {
            exit = code(status);
        }
        if stop.asked() {
            break;
        }
    }
    Ok(Completed::Program(exit))
}

/// Tells of the JVMs that the program started, and what agents did in those that were recorded.
fn tell_of(children: &[ChildJvm]) -> Result<(), Fault> {
    for child in children {
        note(&format!("\n── {child}"));
        if let Some(trace) = &child.trace {
            let read = read(trace)?;
            note(&show::text(&read.digest, &Spec::embedded().at(read.release)));
            for finding in read.findings.iter().filter(|finding| finding.severity >= Severity::Warning) {
                note(&show::finding(finding));
            }
        }
    }
    Ok(())
}

/// What to record; fails for unknown functions and events.
fn interception(args: &Args) -> Result<Interception, Fault> {
    let functions = spec_names::functions(&args.function).map_err(|error| unknown(&error))?;
    let events = spec_names::events(&args.event).map_err(|error| unknown(&error))?;
    Ok(Interception {
        functions: (!functions.is_empty()).then_some(functions),
        events: (!events.is_empty()).then_some(events),
        libraries: (!args.library.is_empty()).then(|| args.library.clone()),
        close: args.close,
        poison: args.poison,
        sample: Some(args.sample.unwrap_or(SAMPLE)).filter(|sample| *sample > 0),
        ..Interception::default()
    })
}

/// The exit code that a shell would report for the program.
fn code(status: Status) -> u8 {
    match status {
        Status::Exited(code) => code as u8,
        Status::Signalled(signal) => 128u8.wrapping_add(signal as u8),
        Status::TimedOut | Status::Starved => 124,
        Status::Cancelled => 130,
    }
}
