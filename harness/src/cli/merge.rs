//! `jvmti-check merge`

use std::path::PathBuf;

use jvmti_reports::{json, merge};

use super::Completed;
use super::fault::Fault;
use super::output::{self, OutputArgs};

/// The arguments of `merge`.
#[derive(clap::Args)]
#[command(after_help = "\
Combines the shards of one run, and puts the results of different JVMs side by side. The results and the exit code are \
those of a single run. It is an error if a shard is missing or appears twice, if a JVM has two results, if the results \
come from different versions of the suite, or if a file was edited or is incomplete.

Examples:
  jvmti-check run --shard 1/4 --out shard-1          on the first of four machines
  jvmti-check merge shard-*/results.json --out report")]
pub struct Args {
    /// Results files that `run --out` wrote
    #[arg(required = true, value_name = "results.json")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    /// Also count as unexpected: permitted deviations, and known deviations that are fixed
    #[arg(long)]
    strict: bool,
}

/// Merges results files.
pub fn merge(args: &Args) -> Result<Completed, Fault> {
    args.output.check()?;
    let mut parts = Vec::with_capacity(args.files.len());
    for file in &args.files {
        parts.push((file.display().to_string(), json::read(file).map_err(Fault::input)?));
    }
    let results = merge::merge(parts).map_err(Fault::input)?;
    args.output.give(&results)?;
    output::outcome(&results, args.strict)
}
