//! `jvmti-check judge`

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use jvmti_judge::{Brief, Exit, LaunchEnd};
use jvmti_reports::{Verdict, terminal};
use jvmti_results::JvmRun;
use jvmti_runner::results;
use jvmti_spec::Spec;

use super::fault::Fault;
use super::output::{self, Format};
use super::terminal::{print, style};
use super::{Outcome, trace};

/// The arguments of `judge`.
#[derive(clap::Args)]
#[command(after_help = "\
A trace contains its plan and its cases. The verdicts can therefore be computed again on any machine, without the JVM.

Example:
  jvmti-check run --keep-traces --out report/
  jvmti-check judge report/traces/*.jvmtitrace.zst")]
pub struct Args {
    /// Traces that `run --keep-traces` wrote
    #[arg(required = true)]
    traces: Vec<PathBuf>,
    /// Print the results in this format instead of text
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// Also count as unexpected: permitted deviations, and known deviations that are fixed
    #[arg(long)]
    strict: bool,
}

/// Judges traces.
pub fn judge(args: &Args) -> Result<Outcome, Fault> {
    let mut runs: Vec<JvmRun> = Vec::new();
    for path in &args.traces {
        let file = trace::open(path)?;
        let reader = trace::reader(&file, path)?;
        let plan = reader.plan();
        let brief: Brief = serde_json::from_str(&plan.brief).map_err(|e| {
            Fault::input(
                anyhow::Error::new(e)
                    .context(format!("{}: the trace contains no cases to judge by", path.display())),
            )
        })?;
        let edition = trace::edition(Some(&brief));
        let assertions = Spec::embedded().assertions(edition.release).into_iter().collect();
        let mut records = reader.records();
        let ended = LaunchEnd { exit: Exit::Unknown, lost: records.summary().lost };
        let mut read = records.by_ref().inspect(|record| file.pass(record.seq));
        let judged = jvmti_judge::judge(&mut read, plan, &brief, &edition, &assertions, &ended);
        trace::tell(records.summary());
        let verdicts = judged.verdicts.into_iter().map(|(_, verdict)| verdict).chain(judged.universal);
        let Brief { jvm, configuration, vm_options, .. } = brief;
        let is_same = |run: &&mut JvmRun| run.jvm == jvm && run.vm_options == vm_options;
        let run = match runs.iter_mut().find(is_same) {
            Some(run) => run,
            None => {
                runs.push(JvmRun { jvm, configuration, vm_options, ..JvmRun::default() });
                let last = runs.len() - 1;
                &mut runs[last]
            }
        };
        run.launches += 1;
        for verdict in verdicts.map(|verdict| Verdict { trace: Some(path.display().to_string()), ..verdict })
        {
            let mut known = run.verdicts.iter_mut().filter(|_| verdict.is_universal());
            match known.find(|known| known.case == verdict.case) {
                Some(known) => known.unite(&verdict),
                None => run.verdicts.push(verdict),
            }
        }
    }
    let results = results::results(crate::suite(), runs, Vec::new(), SystemTime::now(), Duration::ZERO);
    match args.format {
        Some(format) => print(&format.render(&results))?,
        None => {
            for run in &results.runs {
                for verdict in &run.verdicts {
                    print(&(terminal::verdict_line(&run.short(), verdict, style()) + "\n"))?;
                }
            }
            print(&output::details(&results, style()))?;
        }
    }
    output::outcome(&results, args.strict)
}
