//! `jvmti-check jdks`

use jvmti_runner::launch::Stop;

use super::Completed;
use super::cases::CaseArgs;
use super::fault::Fault;
use super::find::{IdentifiedJvm, JvmArgs, SetArgs};
use super::terminal::{cores, print, table};

/// The arguments of `jdks`.
#[derive(clap::Args)]
#[command(after_help = "\
Starts each JVM once with the probe agent to identify it, and caches the answer until the JVM changes.

Examples:
  jvmti-check jdks
  jvmti-check jdks --jdk ~/jdks            list every JDK in that folder
  jvmti-check jdks --vm-option-set all     list the configurations that each JVM accepts
  jvmti-check jdks --json | jq '.[].jvm'")]
pub struct Args {
    #[command(flatten)]
    jvms: JvmArgs,
    #[command(flatten)]
    sets: SetArgs,
    #[command(flatten)]
    cases: CaseArgs,
    /// Print a JSON array, with the capabilities that each JVM offers
    #[arg(long)]
    json: bool,
}

/// Lists the JVMs.
pub fn jdks(args: &Args) -> Result<Completed, Fault> {
    let stop = Stop::on_signals().map_err(Fault::work)?;
    let known = args.jvms.jvms(&args.sets, &args.cases, &args.jvms.probe()?, cores(), &stop)?.known;
    if args.json {
        let all: Vec<_> = known
            .iter()
            .map(|IdentifiedJvm { jdk, identity, configuration, vm_options }| {
                serde_json::json!({
                    "jvm": identity.jvm,
                    "configuration": configuration,
                    "vm_options": vm_options,
                    "found": jdk.found,
                    "bare_start_ms": identity.bare_start_ms,
                    "capabilities": identity.offer,
                })
            })
            .collect();
        print(&format!("{:#}\n", serde_json::Value::Array(all)))?;
        return Ok(Completed::Fine);
    }
    let mut rows = vec![
        ["RELEASE", "JVM", "JVM TI", "START", "HOME", "FOUND BY", "OPTIONS"].map(str::to_owned).to_vec(),
    ];
    if known.iter().all(|known| known.vm_options.is_empty() && known.configuration.is_none()) {
        rows[0].pop();
    }
    for IdentifiedJvm { jdk, identity, configuration, vm_options } in &known {
        rows.push(vec![
            identity.jvm.release.to_string(),
            identity.jvm.label(),
            identity.jvm.jvmti_version.clone(),
            format!("{} ms", identity.bare_start_ms),
            jdk.home.display().to_string(),
            jdk.found.join(", "),
            configuration.iter().chain(vm_options).map(String::as_str).collect::<Vec<_>>().join(" "),
        ]);
    }
    print(&table(&rows))?;
    Ok(Completed::Fine)
}
