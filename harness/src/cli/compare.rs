//! `jvmti-check compare`

use std::path::PathBuf;

use jvmti_reports::compare::{self, Comparison, Kind};
use jvmti_reports::output;

use super::fault::Fault;
use super::terminal::{note, print, style};
use super::{Completed, report};

/// The arguments of `compare`.
#[derive(clap::Args)]
#[command(after_help = "\
Compares JVMs of the same vendor, VM name, release and architecture, so that an update is compared with its \
predecessor; if each file contains a single JVM, compares those two. Groups the differences by the statement of the \
specification that they concern.

Exit code 1: a case fails that did not fail before.

Examples:
  jvmti-check compare main/results.json branch/results.json
  jvmti-check compare reports/published out/results.json
  jvmti-check compare old.json new.json --format markdown >> \"$GITHUB_STEP_SUMMARY\"
  jvmti-check compare old.json new.json --format html --out difference.html")]
pub struct Args {
    /// The earlier results file, which `run --out` wrote, or folder of published results
    #[arg(value_name = "old.json")]
    before: PathBuf,
    /// The later results file or folder
    #[arg(value_name = "new.json")]
    after: PathBuf,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Form::Text)]
    format: Form,
    /// Write the comparison to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also exit with code 1 if a case or a JVM is missing, or if any verdict changed
    #[arg(long)]
    strict: bool,
}

/// An output format of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// Text for the terminal
    Text,
    /// Markdown for a pull request
    Markdown,
    /// One self-contained HTML page
    Html,
    /// JSON for programs
    Json,
}

/// Compares two results.
pub fn compare(args: &Args) -> Result<Completed, Fault> {
    let [before, after] = [report::one(&args.before)?, report::one(&args.after)?];
    let comparison = Comparison::of(&before, &after);
    let style = match args.out {
        Some(_) => jvmti_reports::terminal::Style::PLAIN,
        None => style(),
    };
    let text = match args.format {
        Form::Text => compare::text(&comparison, style),
        Form::Markdown => compare::markdown(&comparison),
        Form::Html => compare::html(&comparison),
        Form::Json => comparison.json(),
    };
    match &args.out {
        None => print(&text)?,
        Some(file) => {
            output::write(file, text.as_bytes()).map_err(Fault::work)?;
            note(&format!("written: {}", file.display()));
        }
    }
    let is_otherwise = || {
        let kinds = [Kind::Missing, Kind::Changed];
        kinds.iter().any(|kind| comparison.count(*kind) > 0) || comparison.missing_runs().next().is_some()
    };
    Ok(match comparison.has_new_failures() || (args.strict && is_otherwise()) {
        true => Completed::Unexpected,
        false => Completed::Fine,
    })
}
