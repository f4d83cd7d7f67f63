//! `jvmti-check agent compare`

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use jvmti_agents::compare::{self, Difference};
use jvmti_agents::{Reading, show};
use jvmti_runner::results;
use jvmti_spec::Spec;

use super::read;
use crate::cli::Completed;
use crate::cli::fault::Fault;
use crate::cli::output::{self, Format};
use crate::cli::terminal::{heard, note, print};

/// The arguments of `agent compare`.
#[derive(clap::Args)]
#[command(after_help = "\
Matches calls by call site and thread, not by time.

Exit code 1: the second recording is worse. The program ends differently, calls now fail or do not return, the JVM \
refuses capabilities, events no longer come, or the agent breaks rules that it did not break before.

Examples:
  jvmti-check agent compare foo-jdk-17.jvmtitrace.zst foo-jdk-25.jvmtitrace.zst
  jvmti-check agent compare foo-jdk-17.jvmtitrace.zst foo-jdk-25.jvmtitrace.zst --out report/ --format junit,html")]
pub struct Args {
    /// The recording of the expected behaviour
    before: PathBuf,
    /// The recording to compare with it
    after: PathBuf,
    /// Print one JSON object per difference
    #[arg(long, conflicts_with_all = ["out", "format"])]
    json: bool,
    /// Write reports to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write only these reports; without --out, print this one instead of text
    #[arg(long, value_enum, value_name = "FORMAT", value_delimiter = ',')]
    format: Vec<Format>,
}

/// Compares two recordings.
pub fn compare(args: &Args) -> Result<Completed, Fault> {
    output::check(args.out.as_deref(), &args.format)?;
    let (before, after) = (read(&args.before)?, read(&args.after)?);
    let edition = Spec::embedded().at(after.release);
    let found = compare::compare(&before.behaviour, &after.behaviour, &edition);
    if args.json {
        for difference in &found {
            heard(print(&(serde_json::to_string(difference).map_err(Fault::work)? + "\n")))?;
        }
    } else if args.format.is_empty() || args.out.is_some() {
        for (label, read) in [("before", &before), ("after ", &after)] {
            let ended = jvmti_agents::digest::ending(read.behaviour.ended);
            heard(print(&format!("{label}  {}: {ended}\n", read.behaviour.jvm())))?;
        }
        let program = |read: &Reading| read.described.as_ref().map(|described| described.program.join(" "));
        if let (Some(before), Some(after)) = (program(&before), program(&after))
            && before != after
        {
            heard(print(&format!("the programs differ: java {before}, and java {after}\n")))?;
        }
        // A reader that has gone changes nothing about which recording is worse.
        heard(print(&show::differences(&found)))?;
        heard(print(&show::times(&before.digest, &after.digest)))?;
    }
    if args.out.is_some() || !args.format.is_empty() {
        report(args, &before, &after, &found)?;
    }
    let worse = found.iter().any(|difference| difference.kind.is_worse());
    Ok(if worse { Completed::Unexpected } else { Completed::Fine })
}

/// Writes or prints the reports of the comparison.
fn report(args: &Args, before: &Reading, after: &Reading, found: &[Difference]) -> Result<(), Fault> {
    let run = compare::results((before, &args.before), (after, &args.after), found);
    let results = results::results(crate::suite(), vec![run], Vec::new(), SystemTime::now(), Duration::ZERO);
    let Some(folder) = &args.out else {
        return args.format.first().map_or(Ok(()), |format| heard(print(&format.render(&results))));
    };
    for format in if args.format.is_empty() { &Format::USUAL } else { args.format.as_slice() } {
        format.write(&results, folder)?;
        note(&format!("written: {}", folder.join(format.file()).display()));
    }
    Ok(())
}
