//! `jvmti-check report`

use std::path::{Path, PathBuf};

use jvmti_reports::{Results, json, merge, published};

use super::Completed;
use super::fault::Fault;
use super::output::{self, Format};
use super::terminal::note;

/// The arguments of `report`.
#[derive(clap::Args)]
#[command(after_help = "\
Reads results in every format that any version of jvmti-check has written. Several results become one report on all \
their JVMs.

Published results are a folder that suits git: the cases and statements once, one small file per JVM, and a README with \
a table of the JVMs. The paths of the Java installations are left out.

Examples:
  jvmti-check report results.json                            print the summary again
  jvmti-check report reports/published --out report          generate the pages of published results
  jvmti-check report results.json --publish reports/published")]
pub struct Args {
    /// Results files that `run --out` wrote, or folders of published results
    #[arg(required = true, value_name = "RESULTS")]
    from: Vec<PathBuf>,
    /// Write reports to this folder: results.json, junit.xml, report.html, report.md
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write only these reports; without --out, print this one instead of text
    #[arg(long, value_enum, value_name = "FORMAT", value_delimiter = ',')]
    format: Vec<Format>,
    /// Publish the results in this folder
    #[arg(long, value_name = "DIR")]
    publish: Option<PathBuf>,
}

/// Generates reports. The verdicts do not affect the exit code: `run` has already reported them.
pub fn report(args: &Args) -> Result<Completed, Fault> {
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
    Ok(Completed::Fine)
}

/// The results in these files and folders, as one.
pub(super) fn read(from: &[PathBuf]) -> Result<Results, Fault> {
    let one = |path: &Path| {
        if path.is_dir() { published::read(path) } else { json::read(path) }.map_err(Fault::input)
    };
    if let [only] = from {
        return one(only);
    }
    let all = from.iter().map(|path| Ok((path.display().to_string(), one(path)?)));
    merge::merge(all.collect::<Result<_, Fault>>()?).map_err(Fault::input)
}
