//! `jvmti-check trace …`

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use jvmti_check::judge::Judgement;
use jvmti_check::trace_text::{Reading, Wanted};
use jvmti_spec::{Edition, Release, Spec};
use jvmti_wire::trace::{Reader, Summary};

use super::Outcome;
use super::fault::Fault;
use super::terminal::note;

/// The subcommands of `trace`.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Show the records of a trace, one per line
    #[command(after_help = "\
Conditions are combined: a record is shown if it meets all of them.

Examples:
  jvmti-check trace show launch-001.jvmtitrace
  jvmti-check trace show launch-001.jvmtitrace --case sleeping --function GetThreadState
  jvmti-check trace show launch-001.jvmtitrace --json | jq 'select(.body.Trouble)'")]
    Show {
        /// The trace
        file: PathBuf,
        /// One JSON object per line
        #[arg(long)]
        json: bool,
        /// Only what belongs to cases with this in their id
        #[arg(long, value_name = "PART")]
        case: Option<String>,
        /// Only calls of this function
        #[arg(long, value_name = "NAME")]
        function: Option<String>,
        /// Only this event
        #[arg(long, value_name = "NAME")]
        event: Option<String>,
        /// Only this thread, by number or part of its name
        #[arg(long, value_name = "NUMBER|NAME")]
        thread: Option<String>,
    },
}

/// A trace's bytes, which is what [`Reader`] takes.
pub fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    std::fs::read(path).map_err(|e| Fault::input(anyhow::Error::new(e).context(path.display().to_string())))
}

/// Opens a trace in these bytes.
pub fn open<'b>(bytes: &'b [u8], path: &Path) -> Result<Reader<'b>, Fault> {
    Reader::new(bytes).map_err(|e| Fault::input(anyhow::Error::new(e).context(path.display().to_string())))
}

/// The edition by which a trace was planned; the newest if its plan does not tell.
pub fn edition(judgement: Option<&Judgement>) -> Edition {
    Spec::embedded().at(judgement.map_or(Release::NEWEST, |judgement| judgement.release))
}

/// Runs a subcommand of `trace`.
pub fn trace(command: &Command) -> Result<Outcome, Fault> {
    let Command::Show { file, json, case, function, event, thread } = command;
    let spec = Spec::embedded();
    let bytes = read(file)?;
    let reader = open(&bytes, file)?;
    let judgement: Option<Judgement> = serde_json::from_str(&reader.plan().judgement).ok();
    let edition = edition(judgement.as_ref());
    for (name, known) in [
        (function, edition.functions.iter().any(|f| Some(&f.name) == function.as_ref())),
        (event, edition.events.iter().any(|e| Some(&e.name) == event.as_ref())),
    ] {
        if let (Some(name), false) = (name, known) {
            let hint = jvmti_spec::show::show(spec, name).err().map(|e| e.to_string());
            return Err(Fault::wrong(
                hint.unwrap_or_else(|| format!("release {} has no {name}", edition.release)),
            ));
        }
    }
    let wanted = Wanted {
        case: case.clone(),
        function: function.clone(),
        event: event.clone(),
        thread: thread.clone(),
    };
    let mut reading = Reading::new(reader.plan(), &edition, wanted);
    let mut records = reader.records();
    let mut out = BufWriter::new(io::stdout().lock());
    for record in records.by_ref() {
        let line = match json {
            true => reading.json(&record).map(|json| json.to_string()),
            false => reading.line(&record),
        };
        if let Some(line) = line {
            writeln!(out, "{line}").map_err(unheard)?;
        }
    }
    out.flush().map_err(unheard)?;
    tell(records.summary());
    Ok(Outcome::Fine)
}

fn unheard(error: io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Fault::Unheard,
        _ => Fault::work(error),
    }
}

/// Says what is amiss with a trace.
pub fn tell(summary: Summary) {
    let Summary { records, lost, torn, unreadable, truncated, sealed } = summary;
    let mut notes = vec![format!("{records} records")];
    for (count, what) in [
        (lost, "lost because the trace was full"),
        (torn, "torn: begun and not finished, or damaged since"),
        (unreadable, "not understood by this version"),
    ] {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    }
    if truncated {
        notes.push("a part of the file is missing".to_owned());
    }
    if !sealed {
        notes.push("never closed: the run was cut short, or still goes on".to_owned());
    }
    note(&notes.join("; "));
}
