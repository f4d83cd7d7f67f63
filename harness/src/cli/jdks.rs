//! `jvmti-check jdks`

use jvmti_check::launch::Stop;

use super::Outcome;
use super::fault::Fault;
use super::find::JvmArgs;
use super::terminal::{print, table};

/// The arguments of `jdks`.
#[derive(clap::Args)]
#[command(after_help = "\
Each JVM is asked by starting it with the probe agent; answers are remembered until the JVM changes.

Examples:
  jvmti-check jdks
  jvmti-check jdks --jdk ~/jdks            every JDK in that folder
  jvmti-check jdks --json | jq '.[].jvm'")]
pub struct Args {
    #[command(flatten)]
    jvms: JvmArgs,
    /// Print all that is known as JSON
    #[arg(long)]
    json: bool,
}

/// Lists the JVMs.
pub fn jdks(args: &Args) -> Result<Outcome, Fault> {
    let stop = Stop::on_signals().map_err(Fault::work)?;
    let known = args.jvms.known(&args.jvms.probe()?, &stop)?;
    if args.json {
        let all: Vec<_> = known
            .iter()
            .map(|(jdk, identity)| {
                serde_json::json!({
                    "jvm": identity.jvm,
                    "found": jdk.found,
                    "bare_start_ms": identity.bare_start_ms,
                    "capabilities": identity.offer,
                })
            })
            .collect();
        print(&format!("{:#}\n", serde_json::Value::Array(all)))?;
        return Ok(Outcome::Fine);
    }
    let mut rows =
        vec![["RELEASE", "JVM", "JVM TI", "START", "HOME", "FOUND BY"].map(str::to_owned).to_vec()];
    for (jdk, identity) in &known {
        rows.push(vec![
            identity.jvm.release.to_string(),
            identity.jvm.label(),
            identity.jvm.jvmti_version.clone(),
            format!("{} ms", identity.bare_start_ms),
            jdk.home.display().to_string(),
            jdk.found.join(", "),
        ]);
    }
    print(&table(&rows))?;
    Ok(Outcome::Fine)
}
