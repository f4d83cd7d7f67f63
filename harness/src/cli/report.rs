//! `jvmti-check report`

use std::path::{Path, PathBuf};

use jvmti_reports::{Results, json, merge, published};

use super::Outcome;
use super::fault::Fault;
use super::output::{self, Format};
use super::terminal::note;

/// The arguments of `report`.
#[derive(clap::Args)]
#[command(after_help = "\
Results are read in every form that jvmti-check has written so far. Of several, one report of all their JVMs is made.

Published results are a folder that git keeps well: the cases and statements once, a small file for each JVM, and a
README with a table of them. Where Java was installed on the machine is left out.

Examples:
  jvmti-check report results.json                            the summary again
  jvmti-check report reports/published --out report          the pages of published results
  jvmti-check report results.json --publish reports/published")]
pub struct Args {
    /// Files of results, as `run --out` writes them, or folders of published results
    #[arg(required = true, value_name = "RESULTS")]
    from: Vec<PathBuf>,
    /// Write reports into this folder: results.json, junit.xml, report.html, report.md
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only these reports into the folder; without --out, print this one instead of text
    #[arg(long, value_enum, value_name = "FORMAT", value_delimiter = ',')]
    format: Vec<Format>,
    /// Publish the results in this folder
    #[arg(long, value_name = "DIR")]
    publish: Option<PathBuf>,
}

/// Makes reports. What the results say does not count for the exit code: that was told when they were made.
pub fn report(args: &Args) -> Result<Outcome, Fault> {
    output::check(args.out.as_deref(), &args.format)?;
    let results = read(&args.from)?;
    if let Some(folder) = &args.publish {
        output::check(Some(folder), &[])?;
        published::write(&results, folder).map_err(Fault::work)?;
        note(&format!("published: {}", folder.display()));
    }
    if args.publish.is_none() || args.out.is_some() || !args.format.is_empty() {
        output::give(&results, args.out.as_deref(), &args.format)?;
    }
    Ok(Outcome::Fine)
}

fn read(from: &[PathBuf]) -> Result<Results, Fault> {
    let one = |path: &Path| {
        if path.is_dir() { published::read(path) } else { json::read(path) }.map_err(Fault::input)
    };
    if let [only] = from {
        return one(only);
    }
    let all = from.iter().map(|path| Ok((path.display().to_string(), one(path)?)));
    merge::merge(all.collect::<Result<_, Fault>>()?).map_err(Fault::input)
}
