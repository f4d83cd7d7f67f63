//! `jvmti-check report`

use std::path::{Path, PathBuf};

use jvmti_reports::{Results, json, merge, published};

use super::Completed;
use super::fault::Fault;
use super::output::{self, OutputArgs};
use super::provenance;
use super::terminal::{heard, note, print, style};

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
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Results files that `run --out` wrote, or folders of published results
    #[arg(required = true, value_name = "RESULTS")]
    from: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    /// Publish the results in this folder
    #[arg(long, value_name = "DIR")]
    publish: Option<PathBuf>,
}

/// The subcommands of `report`.
#[derive(clap::Subcommand)]
enum Command {
    /// Check that results are genuine: unedited, of this suite, and of JVMs that are here
    Verify(provenance::Args),
    /// Show what changed from build to build: new deviations, fixed ones, coverage
    #[command(after_help = "\
Takes published folders, results files, and folders that contain them; orders the builds of each kind of VM by their \
versions.

Example:
  jvmti-check report history reports/published")]
    History {
        /// Published folders, results files, or folders of these
        #[arg(required = true, value_name = "RESULTS")]
        from: Vec<PathBuf>,
    },
}

fn history(from: &[PathBuf]) -> Result<Completed, Fault> {
    let mut parts = Vec::new();
    for path in from {
        match path.is_dir() && !published::is_published(path) {
            false => parts.push(one(path)?),
            true => parts.extend(inside(path)?.iter().map(|path| one(path)).collect::<Result<Vec<_>, _>>()?),
        }
    }
    heard(print(&jvmti_reports::history::render(&parts, style())))?;
    Ok(Completed::Fine)
}

/// The results in a folder: its JSON files, and published folders and reports one level below.
fn inside(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let failed =
        |e: std::io::Error| Fault::input(anyhow::Error::new(e).context(folder.display().to_string()));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let report = path.join("results.json");
        match () {
            () if published::is_published(&path) => found.push(path),
            () if report.is_file() => found.push(report),
            () if path.extension().is_some_and(|ending| ending == "json") => found.push(path),
            () => {}
        }
    }
    found.sort();
    match found.is_empty() {
        true => Err(Fault::wrong(format!("no results in {}", folder.display()))),
        false => Ok(found),
    }
}

pub(super) fn one(path: &Path) -> Result<Results, Fault> {
    let results = path.join("results.json");
    if path.is_dir() && !published::is_published(path) && results.is_file() {
        let (folder, results) = (path.display(), results.display());
        return Err(Fault::wrong(format!(
            "{folder} is no folder of published results; did you mean {results}?"
        )));
    }
    if path.is_dir() { published::read(path) } else { json::read(path) }.map_err(Fault::input)
}

/// Generates reports. The verdicts do not affect the exit code: `run` has already reported them.
pub fn report(args: &Args) -> Result<Completed, Fault> {
    match &args.command {
        Some(Command::Verify(args)) => return provenance::verify(args),
        Some(Command::History { from }) => return history(from),
        None => {}
    }
    args.output.check()?;
    let results = read(&args.from)?;
    if let Some(folder) = &args.publish {
        output::check(Some(folder), &[])?;
        published::write(&results, folder).map_err(Fault::work)?;
        note(&format!("published: {}", folder.display()));
    }
    if args.publish.is_none() || args.output.out.is_some() || !args.output.format.is_empty() {
        args.output.give(&results)?;
    }
    Ok(Completed::Fine)
}

/// The results in these files and folders, as one.
pub(super) fn read(from: &[PathBuf]) -> Result<Results, Fault> {
    if let [only] = from {
        return one(only);
    }
    let all = from.iter().map(|path| Ok((path.display().to_string(), one(path)?)));
    merge::merge(all.collect::<Result<_, Fault>>()?).map_err(Fault::input)
}
