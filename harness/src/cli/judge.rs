//! `jvmti-check judge`

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jvmti_cases::known::{self as deviations, Deviation};
use jvmti_judge::{Brief, Exit, Judged, LaunchEnd};
use jvmti_reports::{Verdict, terminal};
use jvmti_results::JvmRun;
use jvmti_runner::{results, run};
use jvmti_spec::Spec;
use jvmti_wire::trace::{Body, Process};

use super::cases::CaseArgs;
use super::fault::Fault;
use super::output::{self, Format};
use super::terminal::{heard, print, style};
use super::{Completed, known, trace};

/// The arguments of `judge`.
#[derive(clap::Args)]
#[command(after_help = "\
A trace contains its plan and its cases. The verdicts can therefore be computed again on any machine, without the JVM. All \
traces of a run together give the same verdicts as the run, known deviations included.

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
    /// Also count as unexpected: permitted deviations, and known deviations that are fixed or whose date has expired
    #[arg(long)]
    strict: bool,
    /// Show known deviations in full: reason, evidence, statements, cases
    #[arg(long)]
    known: bool,
    #[command(flatten)]
    cases: CaseArgs,
}

/// Judges traces.
pub fn judge(args: &Args) -> Result<Completed, Fault> {
    let set = args.cases.load()?;
    let mut runs: Vec<Run> = Vec::new();
    for path in &args.traces {
        add(path, &mut runs)?;
    }
    let listed: Vec<Deviation> = set.known().cloned().collect();
    let runs = runs.into_iter().map(|run| run.finish(&listed)).collect();
    let mut results = results::results(crate::suite(), runs, Vec::new(), SystemTime::now(), Duration::ZERO);
    known::explain(&set, &mut results);
    let text = match args.format {
        Some(format) => format.render(&results),
        None => {
            let lines = results.runs.iter().flat_map(|run| {
                let name = run.short();
                run.verdicts.iter().map(move |verdict| terminal::verdict_line(&name, verdict, style()) + "\n")
            });
            lines.chain([output::report(&results, args.known)]).collect()
        }
    };
    heard(print(&text))?;
    known::outcome(&set, &results, args.strict)
}

/// Judges the trace, and adds its verdicts to the run that it belongs to.
fn add(path: &Path, runs: &mut Vec<Run>) -> Result<(), Fault> {
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
    let unknown = LaunchEnd { exit: Exit::Unknown, lost: records.summary().lost };
    let (mut loaded, mut ended) = (false, None);
    let mut read = records.by_ref().inspect(|record| {
        file.pass(record.seq);
        match &record.body {
            Body::Entry(_) => loaded = true,
            Body::Ended(process) => ended = Some(process.clone()),
            _ => {}
        }
    });
    let judged = jvmti_judge::judge(&mut read, plan, &brief, &edition, &assertions, &unknown);
    trace::tell(records.summary());
    let index = runs.iter().position(|run| run.is_of(&brief)).unwrap_or_else(|| {
        runs.push(Run::of(&brief));
        runs.len() - 1
    });
    let run = &mut runs[index];
    run.trace = path.display().to_string();
    run.add(judged, brief, ended.as_ref(), loaded);
    Ok(())
}

/// What the traces of one run come to, up to now.
#[derive(Default)]
struct Run {
    jvm: JvmRun,
    universal: run::Universal,
    late_starts: run::LateStarts,
    /// By case: what becomes of those that a launch left unfinished, unless another launch finished them.
    unfinished: BTreeMap<String, Verdict>,
    /// The trace that is being added.
    trace: String,
}

impl Run {
    fn of(brief: &Brief) -> Run {
        let Brief { jvm, configuration, vm_options, .. } = brief.clone();
        Run { jvm: JvmRun { jvm, configuration, vm_options, ..JvmRun::default() }, ..Run::default() }
    }

    fn is_of(&self, brief: &Brief) -> bool {
        let JvmRun { jvm, configuration, vm_options, .. } = &self.jvm;
        (jvm, configuration, vm_options) == (&brief.jvm, &brief.configuration, &brief.vm_options)
    }

    fn add(&mut self, mut judged: Judged, brief: Brief, ended: Option<&Process>, loaded: bool) {
        self.jvm.launches += 1;
        // Whether the probe is loaded may be what a case is about.
        let is_usable = loaded || brief.cases.iter().any(|case| case.life_expected.is_some());
        if is_usable {
            let cases: Vec<&str> = brief.cases.iter().map(|case| case.id.as_str()).collect();
            judged.universal.iter_mut().for_each(|verdict| verdict.trace = Some(self.trace.clone()));
            self.universal.take(&mut judged, &cases);
        }
        let exit = ended.map_or(Exit::Unknown, |process| process.exit);
        let said = ended.map(|process| format!("{}\n{}", process.stdout, process.stderr)).unwrap_or_default();
        let left = if is_usable { judged.unfinished } else { (0..brief.cases.len()).collect() };
        for case in left.into_iter().filter_map(|index| brief.cases.get(index)) {
            let mut verdict = run::unfinished(case, exit, said.trim());
            if !is_usable {
                verdict.status = run::not_loaded(case, exit);
            }
            verdict.reproduce = brief.reproduce(&case.id);
            let verdict = self.with_trace(verdict);
            if let Some(verdict) = self.late_starts.take(&judged.late_start, verdict) {
                self.unfinished.insert(case.id.clone(), verdict);
            }
        }
        self.jvm.verdicts.extend(brief.inapplicable);
        if !is_usable {
            return;
        }
        for (_, verdict) in judged.verdicts {
            let verdict = self.with_trace(verdict);
            self.jvm.verdicts.extend(self.late_starts.take(&judged.late_start, verdict));
        }
    }

    fn with_trace(&self, verdict: Verdict) -> Verdict {
        Verdict { trace: Some(self.trace.clone()), ..verdict }
    }

    /// All verdicts, those on cases first, with the deviations marked that are listed for this JVM.
    fn finish(self, listed: &[Deviation]) -> JvmRun {
        let Run { mut jvm, mut universal, late_starts, unfinished, .. } = self;
        jvm.verdicts.extend(late_starts.finish());
        let judged: BTreeSet<String> = jvm.verdicts.iter().map(|verdict| verdict.case.clone()).collect();
        for verdict in unfinished.into_values().filter(|verdict| !judged.contains(&verdict.case)) {
            universal.blame(&verdict.case);
            jvm.verdicts.push(verdict);
        }
        jvm.verdicts.extend(universal.finish());
        let here = |deviation: &&Deviation| deviation.on.contain(&jvm.jvm, &jvm.vm_options);
        let here: Vec<Deviation> = listed.iter().filter(here).cloned().collect();
        jvm.verdicts.iter_mut().for_each(|verdict| deviations::mark(verdict, &here));
        jvm
    }
}
