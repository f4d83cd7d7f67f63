//! `jvmti-check agent run`

use std::path::PathBuf;
use std::time::{Instant, SystemTime};

use jvmti_agents::case::{AgentCaseFile, CaseError};
use jvmti_agents::case_run::{CaseRun, CaseRunError, Site};
use jvmti_results::{JvmRun, Status};
use jvmti_runner::launch::{Scratch, Stop};
use jvmti_runner::results;
use jvmti_spec::Spec;

use crate::cli::Completed;
use crate::cli::fault::Fault;
use crate::cli::find::JvmArgs;
use crate::cli::output::{self, OutputArgs};
use crate::cli::terminal::note;

/// The arguments of `agent run`.
#[derive(clap::Args)]
pub struct Args {
    /// Files of agent cases
    #[arg(required = true, value_name = "CASE")]
    case: Vec<PathBuf>,
    #[command(flatten)]
    jvms: JvmArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs agent cases on each JVM.
pub fn run(args: &Args) -> Result<Completed, Fault> {
    let stop = Stop::on_signals().map_err(Fault::work)?;
    let (started, begun) = (SystemTime::now(), Instant::now());
    args.output.check()?;
    let newest = Spec::embedded().newest();
    let cases: Result<Vec<AgentCaseFile>, _> =
        args.case.iter().map(|path| AgentCaseFile::read(path, &newest)).collect();
    let cases = cases.map_err(unreadable)?;
    let probe = args.jvms.probe()?;
    let scratch = Scratch::new().map_err(Fault::work)?;
    let mut runs = Vec::new();
    for known in args.jvms.bare(&probe, &scratch, &stop)? {
        let mut run = JvmRun { jvm: known.identity.jvm.clone(), ..JvmRun::default() };
        let site = Site {
            jdk: &known.jdk,
            release: known.identity.release(),
            vm_options: &args.jvms.vm_option,
            probe: &probe,
            scratch: scratch.path(),
            out: args.output.out.as_deref(),
        };
        for written in &cases {
            if stop.asked() {
                return Err(Fault::work(anyhow::anyhow!("interrupted")));
            }
            let CaseRun { verdict, trouble, children } = written.run(site, &stop).map_err(fault)?;
            if let Some(trouble) = trouble {
                note(&format!(
                    "the trace could not be compressed throughout; records may be lost: {trouble}"
                ));
            }
            for child in children {
                note(&format!("{}: {child}", verdict.case));
            }
            run.launches += u32::from(verdict.status != Status::Inapplicable);
            run.verdicts.push(verdict);
        }
        runs.push(run);
    }
    let results = results::results(crate::suite(), runs, Vec::new(), started, begun.elapsed());
    args.output.give(&results)?;
    output::outcome(&results, false)
}

fn unreadable(error: CaseError) -> Fault {
    match error {
        CaseError::Faulty(faults) => Fault::Diagnostics(faults),
        CaseError::Unreadable { .. } => Fault::input(error),
    }
}

fn fault(error: CaseRunError) -> Fault {
    match error {
        CaseRunError::Agent(_) | CaseRunError::Trace { .. } => Fault::input(error),
        CaseRunError::Record(_) | CaseRunError::File { .. } => Fault::work(error),
    }
}
