//! `jvmti-check merge`

use std::path::PathBuf;

use jvmti_reports::{json, merge};

use super::Outcome;
use super::fault::Fault;
use super::output::{self, Format};

/// The arguments of `merge`.
#[derive(clap::Args)]
#[command(after_help = "\
The outcome, and the exit code, is that of a single run of it all: the shards of one run become one, JVMs that were
tested elsewhere come beside each other. A shard that is missing or there twice, two results for one JVM, results of
another version of the suite, a file that was changed or is half-written: each is an error.

Examples:
  jvmti-check run --shard 1/4 --out share-1          on four machines, 1/4 to 4/4
  jvmti-check merge share-*/results.json --out report")]
pub struct Args {
    /// Files of results, as `run --out` writes them
    #[arg(required = true, value_name = "results.json")]
    files: Vec<PathBuf>,
    /// Write reports into this folder: results.json, junit.xml, report.html, report.md
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only these reports into the folder; without --out, print this one instead of text
    #[arg(long, value_enum, value_name = "FORMAT", value_delimiter = ',')]
    format: Vec<Format>,
    /// Count permitted deviations and outdated known ones as unexpected too
    #[arg(long)]
    strict: bool,
}

/// Makes one of several results.
pub fn merge(args: &Args) -> Result<Outcome, Fault> {
    output::check(args.out.as_deref(), &args.format)?;
    let mut parts = Vec::with_capacity(args.files.len());
    for file in &args.files {
        parts.push((file.display().to_string(), json::read(file).map_err(Fault::input)?));
    }
    let results = merge::merge(parts).map_err(Fault::input)?;
    output::give(&results, args.out.as_deref(), &args.format)?;
    output::outcome(&results, args.strict)
}
