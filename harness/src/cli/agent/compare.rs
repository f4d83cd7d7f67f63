//! `jvmti-check agent compare`

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use jvmti_agents::behaviour::Behaviour;
use jvmti_agents::compare::{Difference, compare as differences};
use jvmti_agents::{Reading, show};
use jvmti_results::{Finding, Jvm, JvmRun, Status, Verdict};
use jvmti_runner::results;
use jvmti_spec::Spec;

use super::read;
use crate::cli::Outcome;
use crate::cli::fault::Fault;
use crate::cli::output::{self, Format};
use crate::cli::terminal::{note, print};

/// The arguments of `agent compare`.
#[derive(clap::Args)]
#[command(after_help = "\
Matches calls by call site and thread, not by time.

Exit code 1: the second recording is worse. The program ends differently, calls now fail or do not return, the JVM \
refuses capabilities, events no longer come, or the agent breaks rules that it did not break before.

Examples:
  jvmti-check agent compare foo-17.jvmtitrace.zst foo-25.jvmtitrace.zst
  jvmti-check agent compare foo-17.jvmtitrace.zst foo-25.jvmtitrace.zst --out report/ --format junit,html")]
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
pub fn compare(args: &Args) -> Result<Outcome, Fault> {
    output::check(args.out.as_deref(), &args.format)?;
    let (before, after) = (read(&args.before)?, read(&args.after)?);
    let edition = Spec::embedded().at(after.release);
    let found = differences(&before.behaviour, &after.behaviour, &edition);
    if args.json {
        for difference in &found {
            print(&(serde_json::to_string(difference).map_err(Fault::work)? + "\n"))?;
        }
    } else if args.format.is_empty() || args.out.is_some() {
        for (label, read) in [("before", &before), ("after ", &after)] {
            let ended = jvmti_agents::digest::ending(read.behaviour.ended);
            print(&format!("{label}  {}: {ended}\n", read.behaviour.jvm()))?;
        }
        print(&show::differences(&found))?;
        print(&show::times(&before.digest, &after.digest))?;
    }
    if args.out.is_some() || !args.format.is_empty() {
        report(args, &before, &after, &found)?;
    }
    let worse = found.iter().any(|difference| difference.kind.is_worse());
    Ok(if worse { Outcome::Unexpected } else { Outcome::Fine })
}

/// The comparison as results of the second JVM: a verdict for each difference, and for each function without one.
fn report(args: &Args, before: &Reading, after: &Reading, found: &[Difference]) -> Result<(), Fault> {
    let source = format!("{} against {}", args.after.display(), args.before.display());
    let of = |case: String, subject: String, status: Status| Verdict {
        case,
        subject: Some(subject),
        status,
        chapter: "agents".to_owned(),
        asserted: 1,
        source: source.clone(),
        trace: Some(args.after.display().to_string()),
        reproduce: format!(
            "jvmti-check agent compare '{}' '{}'",
            args.before.display(),
            args.after.display()
        ),
        ..Verdict::default()
    };
    let mut verdicts: Vec<Verdict> = found
        .iter()
        .map(|difference| {
            let Difference { kind, what, place, before, after } = difference;
            let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
            let status = if kind.is_worse() { Status::Fail } else { Status::Permitted };
            let subject = what.split([' ', '(']).next().unwrap_or_default().to_owned();
            let (expected, observed) = (before.clone(), after.clone());
            Verdict {
                about: kind.name().to_owned(),
                findings: vec![Finding { place: place.clone(), expected, observed, ..Finding::default() }],
                ..of(format!("{}: {what}{at}", kind.name()), subject, status)
            }
        })
        .collect();
    let differs = |name: &str| found.iter().any(|difference| difference.what == name);
    for (name, is) in &after.digest.functions {
        if let (Some(was), false) = (before.digest.functions.get(name), differs(name)) {
            let about = format!("called {} times before, {} times now", was.count, is.count);
            verdicts.push(Verdict { about, ..of(format!("as before: {name}"), name.clone(), Status::Pass) });
        }
    }
    let run =
        JvmRun { jvm: jvm(&after.behaviour, after.release.0), verdicts, launches: 1, ..JvmRun::default() };
    let results = results::results(crate::suite(), vec![run], Vec::new(), SystemTime::now(), Duration::ZERO);
    let Some(folder) = &args.out else {
        return args.format.first().map_or(Ok(()), |format| print(&format.render(&results)));
    };
    for format in if args.format.is_empty() { &Format::ALL } else { args.format.as_slice() } {
        format.write(&results, folder)?;
        note(&format!("written: {}", folder.join(format.file()).display()));
    }
    Ok(())
}

/// The JVM of a recording, as far as the recording identifies it.
fn jvm(behaviour: &Behaviour, release: u16) -> Jvm {
    let of = |key: &str| behaviour.identity.get(key).cloned().unwrap_or_default();
    Jvm {
        release,
        // The probe does not query system properties in a foreign program, so java.version is unknown.
        version: of("java.vm.version"),
        vendor: of("java.vm.vendor"),
        vm_name: of("java.vm.name"),
        vm_version: of("java.vm.version"),
        vm_info: of("java.vm.info"),
        jvmti_version: of("jvmti.version"),
        ..Jvm::default()
    }
}
