//! `jvmti-check agent coverage`

use std::path::PathBuf;

use jvmti_agents::coverage::{Coverage, Share};
use jvmti_agents::{Reading, Symbols};

use super::super::Completed;
use super::super::fault::Fault;
use super::super::terminal::{heard, print, table};
use super::super::trace;
use super::{distinct, recording};

/// What `agent coverage` is told.
#[derive(clap::Args)]
#[command(after_help = "\
Several recordings count together. A statement counts if a recording has an occasion on which a JVM that breaks it could have shown \
that. Only statements that follow from the tables of the specification (phases, errors, null arguments, capabilities, outputs, event \
parameters) are counted, not its prose.

Examples:
  jvmti-check agent coverage traces/*.jvmtitrace.zst
  jvmti-check agent coverage foo-jdk-25.jvmtitrace.zst --untouched
  jvmti-check agent coverage foo-jdk-25.jvmtitrace.zst --json")]
pub struct Args {
    /// The traces that `agent record` wrote
    #[arg(required = true)]
    trace: Vec<PathBuf>,
    /// List the functions, events, capabilities and statements that no recording exercises
    #[arg(long)]
    untouched: bool,
    /// Print one JSON object with everything that the recordings exercise
    #[arg(long, conflicts_with = "untouched")]
    json: bool,
}

/// Counts what the recordings exercise.
pub fn coverage(args: &Args) -> Result<Completed, Fault> {
    let mut coverage = Coverage::default();
    let traces = distinct(&args.trace);
    for path in &traces {
        let read = Reading::with(&recording(path)?, path, Symbols::default(), &mut |state, trace_event| {
            coverage.observe(state, trace_event);
        });
        let read = read.map_err(|error| trace::unreadable(error, path))?;
        coverage.finish(&read.digest, read.release);
    }
    if args.json {
        let text = serde_json::to_string_pretty(&coverage).map_err(Fault::work)?;
        heard(print(&(text + "\n")))?;
    } else if args.untouched {
        for name in coverage.untouched() {
            heard(print(&(name + "\n")))?;
        }
    } else {
        heard(print(&text(&coverage, traces.len())))?;
    }
    Ok(Completed::Fine)
}

fn text(coverage: &Coverage, traces: usize) -> String {
    let releases: Vec<String> = coverage.releases.iter().map(u16::to_string).collect();
    let recordings = if traces == 1 { "1 recording".to_owned() } else { format!("{traces} recordings") };
    let head = ["chapter", "used", "errors returned", "statements exercised"].map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = [head].into_iter().chain(coverage.shares().iter().map(row)).collect();
    format!("{recordings} on JDK {}\n\n{}", releases.join(", "), table(&rows))
}

fn row(share: &Share) -> Vec<String> {
    let of = |(some, all): (usize, usize)| match all {
        0 => String::new(),
        _ => format!("{some}/{all}"),
    };
    vec![share.part.clone(), of(share.used), of(share.errors), of(share.statements)]
}
