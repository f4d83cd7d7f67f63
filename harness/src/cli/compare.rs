//! `jvmti-check compare`

use std::path::PathBuf;

use jvmti_reports::compare::{self, Comparison, Kind};
use jvmti_reports::{json, output};

use super::Outcome;
use super::fault::Fault;
use super::terminal::{note, print, style};

/// The arguments of `compare`.
#[derive(clap::Args)]
#[command(after_help = "\
JVMs are paired by what they say they are, an update of a JVM with its predecessor; each difference is told by the
statement of the specification that it concerns. The exit code is 1 if something fails that did not before, so that a
pipeline can stop there.

Examples:
  jvmti-check compare main/results.json branch/results.json
  jvmti-check compare old.json new.json --format markdown >> \"$GITHUB_STEP_SUMMARY\"
  jvmti-check compare old.json new.json --format html --out difference.html")]
pub struct Args {
    /// The earlier results, as `run --out` writes them
    #[arg(value_name = "old.json")]
    before: PathBuf,
    /// The later ones
    #[arg(value_name = "new.json")]
    after: PathBuf,
    /// In which form
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Form::Text)]
    format: Form,
    /// Write it into this file instead of printing it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Exit with code 1 also if a case or a JVM is missing, or came out differently in any other way
    #[arg(long)]
    strict: bool,
}

/// A form of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// For reading here
    Text,
    /// For a pull request
    Markdown,
    /// One page that needs nothing else
    Html,
    /// For programs
    Json,
}

/// Compares two results.
pub fn compare(args: &Args) -> Result<Outcome, Fault> {
    let before = json::read(&args.before).map_err(Fault::input)?;
    let after = json::read(&args.after).map_err(Fault::input)?;
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
        true => Outcome::Unexpected,
        false => Outcome::Fine,
    })
}
