//! `jvmti-check agent price`

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};
use jvmti_agents::misuse::unused_capabilities;
use jvmti_agents::price::{self, Answer, Job, MOST_ROUNDS, Priced, show};
use jvmti_agents::record::Described;
use jvmti_agents::spec_names;
use jvmti_runner::jvm::{self, Jdk};
use jvmti_runner::launch::Stop;

use super::{read, unknown};
use crate::cli::Completed;
use crate::cli::fault::Fault;
use crate::cli::find::JvmArgs;
use crate::cli::number::number;
use crate::cli::terminal::{note, print, table};

/// The arguments of `agent price`.
#[derive(clap::Args)]
#[command(after_help = "\
Runs the program without capabilities and with each capability alone, in turn. The only agent is the probe, which adds \
the capability in OnLoad and does nothing else. The program gets no input, and its output is not shown.

The program, the JVM and the capabilities default to those of the recording: its program, its JVM, and the capabilities \
that `agent check` reports as unused.

Reports a difference if it is statistically significant (p < 0.001), which takes at least 7 rounds.

Exit code 1: the program ended differently with a capability. Exit code 130: interrupted; the report covers the rounds \
that were completed.

Examples:
  jvmti-check agent price foo-jdk-25.jvmtitrace.zst
  jvmti-check agent price foo-jdk-25.jvmtitrace.zst --jdk /opt/jdk-17 --rounds 20
  jvmti-check agent price --capability can_access_local_variables --jdk /opt/jdk-25 -- -cp app.jar Main")]
pub struct Args {
    /// A trace that `agent record` wrote
    #[arg(required_unless_present = "program")]
    trace: Option<PathBuf>,
    /// Measure this capability. May be repeated
    #[arg(long, value_name = "NAME", required_unless_present = "trace")]
    capability: Vec<String>,
    #[command(flatten)]
    jvms: JvmArgs,
    /// Number of runs without capabilities, and with each one
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = number(1..=MOST_ROUNDS))]
    rounds: u32,
    /// The expected exit code of the program
    #[arg(long, value_name = "CODE", default_value_t = 0)]
    exit: i32,
    /// Kill the program and give up if one run takes longer than this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = number(1..=86_400u64))]
    timeout: Option<u64>,
    /// Print one JSON object per JVM and capability
    #[arg(long)]
    json: bool,
    /// The arguments of the `java` launcher: options, class path, main class, program arguments
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// What to measure, from the arguments and the recording.
struct Wanted {
    capabilities: Vec<(u16, String)>,
    program: Vec<OsString>,
    jdks: Vec<Jdk>,
}

/// Prices capabilities on each JVM.
pub fn price(args: &Args) -> Result<Completed, Fault> {
    let stop = Stop::on_signals().map_err(Fault::work)?;
    let Some(wanted) = wanted(args)? else { return Ok(Completed::Fine) };
    let probe = args.jvms.probe()?;
    let mut outcome = Completed::Fine;
    for jdk in &wanted.jdks {
        let options = args.jvms.vm_option.iter().map(OsString::from);
        let job = Job {
            java: jdk.java.clone(),
            probe: probe.clone(),
            args: options.chain(wanted.program.iter().cloned()).collect(),
            capabilities: wanted.capabilities.clone(),
            rounds: args.rounds,
            exit: args.exit,
            limit: args.timeout.map(Duration::from_secs),
        };
        let runs = 1 + u64::from(job.rounds) * (1 + job.capabilities.len() as u64);
        let bar = progress(runs);
        let priced = price::price(&job, &stop, &|| bar.inc(1));
        bar.finish_and_clear();
        let home = jdk.home.display().to_string();
        let priced = priced.map_err(|error| Fault::input(anyhow::Error::new(error).context(home.clone())))?;
        tell(args, &home, &priced)?;
        if priced.interrupted {
            return Ok(Completed::Program(130));
        }
        if priced.answers.iter().any(|(_, answer)| matches!(answer, Answer::Failed(_))) {
            outcome = Completed::Unexpected;
        }
    }
    Ok(outcome)
}

/// What to measure. `None` if the recording has no unused capabilities; a note has said so.
fn wanted(args: &Args) -> Result<Option<Wanted>, Fault> {
    let recorded = args.trace.as_deref().map(read).transpose()?;
    let mut names = args.capability.clone();
    if let (true, Some(recorded)) = (names.is_empty(), &recorded) {
        names = unused_capabilities(&recorded.findings).into_iter().map(str::to_owned).collect();
        if names.is_empty() {
            note("the recording shows no unused capability; name one with --capability");
            return Ok(None);
        }
    }
    let described =
        match recorded {
            Some(recorded) => Some(recorded.described.ok_or_else(|| {
                Fault::wrong("this trace names no program: `agent record` did not write it")
            })?),
            None => None,
        };
    let Described { java, program, .. } = described.clone().unwrap_or_default();
    let program = match args.program.as_slice() {
        [] => program.into_iter().map(OsString::from).collect(),
        program => program.to_vec(),
    };
    let jdks = match described {
        Some(_) if args.jvms.jdk.is_empty() => jvm::named(&[java]).map_err(Fault::input)?,
        _ => args.jvms.jdks()?,
    };
    let capabilities = spec_names::capabilities(&names).map_err(|error| unknown(&error))?;
    Ok(Some(Wanted { capabilities, program, jdks }))
}

fn tell(args: &Args, home: &str, priced: &Priced) -> Result<(), Fault> {
    if args.json {
        for told in show::told(priced, home) {
            print(&(serde_json::to_string(&told).map_err(Fault::work)? + "\n"))?;
        }
    } else {
        print(&text(home, args.rounds, priced))?;
    }
    Ok(())
}

fn text(home: &str, rounds: u32, priced: &Priced) -> String {
    let done = match (priced.rounds, priced.interrupted) {
        (done, true) => format!("interrupted after {done} of {rounds} rounds"),
        (1, false) => "1 round".to_owned(),
        (done, false) => format!("{done} rounds"),
    };
    let (table, failures) = (table(&show::rows(priced)), show::failures(priced));
    format!("── {home} ── {}, {done}\n{table}{failures}", priced.jvm)
}

fn progress(runs: u64) -> ProgressBar {
    let shown = std::io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    ProgressBar::with_draw_target(Some(runs), target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jvmti_agents::price::Runs;

    fn runs(rounds: u32, milliseconds: f64) -> Runs {
        let of = |milliseconds: f64| (0..rounds).map(move |i| (milliseconds + f64::from(i)) * 1e6).collect();
        Runs { cpu: of(milliseconds), wall: of(500.0) }
    }

    fn priced(rounds: u32) -> Priced {
        let answers = [
            ("can_generate_single_step_events", Answer::Ran(runs(rounds, 240.0))),
            ("can_suspend", Answer::Ran(runs(rounds, 201.0))),
            ("can_support_virtual_threads", Answer::NotOffered),
            ("can_tag_objects", Answer::Failed("round 2: ended by signal 11".to_owned())),
        ];
        Priced {
            jvm: "Some VM 25".to_owned(),
            rounds,
            without: runs(rounds, 200.0),
            answers: answers.map(|(name, answer)| (name.to_owned(), answer)).into(),
            interrupted: false,
        }
    }

    #[test]
    fn prices_are_a_table() {
        insta::assert_snapshot!("prices", text("/opt/jdk-25", 10, &priced(10)));
        let interrupted = Priced { interrupted: true, ..priced(3) };
        insta::assert_snapshot!("interrupted", text("/opt/jdk-25", 10, &interrupted));
        let at_once = Priced { interrupted: true, ..priced(0) };
        insta::assert_snapshot!("at-once", text("/opt/jdk-25", 10, &at_once));
    }
}
