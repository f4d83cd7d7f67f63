//! `jvmti-check trace …`

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use jvmti_judge::Brief;
use jvmti_spec::{Edition, Release, Spec};
use jvmti_traces::listing::{Reading, Wanted};
use jvmti_traces::timeline::Timeline;
use jvmti_wire::trace::{Reader, Summary, TraceError, TraceFile};

use super::Completed;
use super::fault::Fault;
use super::terminal::note;

/// The subcommands of `trace`.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Show the records of a trace, one per line
    #[command(after_help = "\
Shows the records that meet all the given conditions.

Examples:
  jvmti-check trace show report/traces/0-launch-001-1.jvmtitrace.zst
  jvmti-check trace show report/traces/0-launch-001-1.jvmtitrace.zst --case sleeping --function GetThreadState
  jvmti-check trace show report/traces/0-launch-001-1.jvmtitrace.zst --json | jq 'select(.body.Trouble)'")]
    Show {
        /// The trace
        file: PathBuf,
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        wanted: WantedArgs,
    },
    /// Export a timeline for a trace viewer
    #[command(after_help = "\
Each thread becomes a track, each call and each event callback a slice, every other record an instant. A call that \
never returned is a slice without an end. Open the file at ui.perfetto.dev, which does not upload it, or in \
chrome://tracing.

Example:
  jvmti-check trace export report/traces/0-launch-001-1.jvmtitrace.zst --perfetto --out timeline.json")]
    Export {
        /// The trace
        file: PathBuf,
        /// Export for Perfetto: Chrome's trace event format, as JSON
        #[arg(long, required = true)]
        perfetto: bool,
        /// Write the timeline to this file instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        wanted: WantedArgs,
    },
}

/// Conditions for the records to show.
#[derive(clap::Args)]
pub struct WantedArgs {
    /// Only records of cases with this text in their id
    #[arg(long, value_name = "PART")]
    case: Option<String>,
    /// Only calls of this function
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Only callbacks of this event
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Only records of this thread: its number or a part of its name
    #[arg(long, value_name = "NUMBER|NAME")]
    thread: Option<String>,
    /// Only records from this time on, in milliseconds as `trace show` prints them
    #[arg(long, value_name = "MS", value_parser = nanoseconds)]
    from: Option<u64>,
    /// Only records up to this time, in milliseconds
    #[arg(long, value_name = "MS", value_parser = nanoseconds)]
    until: Option<u64>,
}

fn nanoseconds(text: &str) -> Result<u64, String> {
    let millis: f64 =
        text.trim_end_matches("ms").trim().parse().map_err(|_| "not a number of milliseconds")?;
    if millis >= 0.0 && millis.is_finite() {
        Ok((millis * 1e6) as u64)
    } else {
        Err("not a positive number of milliseconds".to_owned())
    }
}

impl WantedArgs {
    /// The conditions; an error if the edition has no such function or event.
    fn wanted(&self, edition: &Edition) -> Result<Wanted, Fault> {
        let WantedArgs { case, function, event, thread, from, until } = self;
        for (name, known) in [
            (function, edition.functions.iter().any(|f| Some(&f.name) == function.as_ref())),
            (event, edition.events.iter().any(|e| Some(&e.name) == event.as_ref())),
        ] {
            if let (Some(name), false) = (name, known) {
                let hint = jvmti_spec::show::show(Spec::embedded(), name).err().map(|e| e.to_string());
                return Err(Fault::wrong(
                    hint.unwrap_or_else(|| format!("release {} has no {name}", edition.release)),
                ));
            }
        }
        Ok(Wanted {
            case: case.clone(),
            function: function.clone(),
            event: event.clone(),
            thread: thread.clone(),
            from: *from,
            until: *until,
        })
    }
}

/// Opens a trace, compressed or not.
pub fn open(path: &Path) -> Result<TraceFile, Fault> {
    if path.is_dir() {
        let folder = path.display();
        return Err(Fault::wrong(format!(
            "{folder} is a folder: name the traces in it, such as {folder}/*.jvmtitrace.zst"
        )));
    }
    TraceFile::open(path).map_err(|error| unreadable(error, path))
}

/// Makes a reader of the trace.
pub fn reader<'f>(file: &'f TraceFile, path: &Path) -> Result<Reader<'f>, Fault> {
    file.reader().map_err(|error| unreadable(error, path))
}

/// The fault for a trace that cannot be read.
pub fn unreadable(error: TraceError, path: &Path) -> Fault {
    let names_it = matches!(error, TraceError::Io { .. } | TraceError::NoRoom { .. });
    let error = anyhow::Error::new(error);
    Fault::input(if names_it { error } else { error.context(path.display().to_string()) })
}

/// The edition of the specification that a trace was planned for; the newest if its plan does not say.
pub fn edition(brief: Option<&Brief>) -> Edition {
    Spec::embedded().at(brief.map_or(Release::NEWEST, |brief| brief.release))
}

/// Runs a subcommand of `trace`.
pub fn trace(command: &Command) -> Result<Completed, Fault> {
    let (Command::Show { file, wanted, .. } | Command::Export { file, wanted, .. }) = command;
    let opened = open(file)?;
    let reader = reader(&opened, file)?;
    let brief: Option<Brief> = serde_json::from_str(&reader.plan().brief).ok();
    let edition = edition(brief.as_ref());
    let reading = Reading::new(reader.plan(), &edition, wanted.wanted(&edition)?);
    match command {
        Command::Show { json, .. } => show(&opened, &reader, reading, *json),
        Command::Export { out, .. } => {
            let name = match &brief {
                Some(brief) => format!("{} {}", brief.jvm.label(), brief.vm_options.join(" ")),
                None => "JVM".to_owned(),
            };
            let about =
                serde_json::json!({"name": name.trim(), "launch": reader.plan().launch, "by": "jvmti-check"});
            export(&opened, &reader, reading, &about, out.as_deref())
        }
    }
}

fn show(
    file: &TraceFile,
    reader: &Reader<'_>,
    mut reading: Reading<'_>,
    json: bool,
) -> Result<Completed, Fault> {
    let (mut records, mut is_empty) = (reader.records(), true);
    let mut out = BufWriter::new(io::stdout().lock());
    for record in records.by_ref() {
        file.pass(record.seq);
        let line = match json {
            true => reading.json(&record).map(|json| json.to_string()),
            false => reading.line(&record),
        };
        if let Some(line) = line {
            writeln!(out, "{line}").map_err(unheard)?;
            is_empty = false;
        }
    }
    out.flush().map_err(unheard)?;
    if is_empty {
        note("no record meets these conditions");
    }
    tell(records.summary());
    Ok(Completed::Fine)
}

fn export(
    trace: &TraceFile,
    reader: &Reader<'_>,
    reading: Reading<'_>,
    about: &serde_json::Value,
    file: Option<&Path>,
) -> Result<Completed, Fault> {
    let mut records = reader.records();
    let out: Box<dyn Write> = match file {
        None => Box::new(io::stdout().lock()),
        Some(file) => Box::new(std::fs::File::create(file).map_err(|e| {
            Fault::input(anyhow::Error::new(e).context(format!("cannot write {}", file.display())))
        })?),
    };
    let mut timeline = Timeline::begin(reading, about, BufWriter::new(out)).map_err(unheard)?;
    for record in records.by_ref() {
        trace.pass(record.seq);
        timeline.add(&record).map_err(unheard)?;
    }
    timeline.end().map_err(unheard)?;
    tell(records.summary());
    if let Some(file) = file {
        note(&format!("written: {}", file.display()));
    }
    Ok(Completed::Fine)
}

fn unheard(error: io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Fault::Unheard,
        _ => Fault::work(error),
    }
}

/// Prints the number of records of a trace, and what is wrong with it.
pub fn tell(summary: Summary) {
    let Summary { records, lost, torn, unreadable, truncated, sealed } = summary;
    let mut notes = vec![format!("{records} records")];
    for (count, what) in [
        (lost, "lost because the trace was full"),
        (torn, "incomplete or damaged"),
        (unreadable, "unknown to this version of jvmti-check"),
    ] {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    }
    if truncated {
        notes.push("the file is truncated".to_owned());
    }
    if !sealed {
        notes.push("never closed: the run was interrupted or is still going on".to_owned());
    }
    note(&notes.join("; "));
}
