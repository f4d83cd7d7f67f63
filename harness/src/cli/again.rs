//! Running again what was unexpected: `run --retries`, and `jvmti-check rerun`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use jvmti_reports::json;
use jvmti_results::{Finding, JvmRun, Results, Status, Verdict};
use jvmti_runner::launch::Stop;
use jvmti_runner::run::{self as runner, Options, RunError, Subject, Tests};

use super::fault::Fault;
use super::progress::{Lines, Progress};
use super::run;
use super::{Completed, terminal::note};

/// Runs each unexpected verdict's case again by itself, up to so many times. A verdict that becomes another one tells what
/// it was before: a case that only sometimes fails is no less a finding.
pub fn retry(
    runs: &mut [JvmRun],
    subjects: &[Subject],
    (options, stop): (&Options, &Stop),
    retries: u32,
) -> Result<(), RunError> {
    for attempt in 1..=retries {
        for (run, subject) in runs.iter_mut().zip(subjects) {
            let failed = |id: &str| run.verdicts.iter().any(|v| v.case == id && v.status.is_unexpected());
            let cases: Vec<_> = subject.tests.cases.iter().filter(|case| failed(&case.id)).cloned().collect();
            if cases.is_empty() || stop.asked() {
                continue;
            }
            note(&format!("retry {attempt} of {retries}: {} on {}", counted(cases.len()), subject.short()));
            let tests = Tests { cases, inapplicable: Vec::new(), ..(*subject.tests).clone() };
            let again = Subject { tests: Arc::new(tests), ..subject.clone() };
            let progress = Progress::new(false, Lines::None, None);
            let options = Options { shard: None, quick: false, ..options.clone() };
            for new in
                runner::run(&[again], &options, stop, &progress)?.into_iter().flat_map(|run| run.verdicts)
            {
                replace(&mut run.verdicts, new, attempt);
            }
        }
    }
    Ok(())
}

fn counted(n: usize) -> String {
    if n == 1 { "1 case".to_owned() } else { format!("{n} cases") }
}

/// Puts the verdict of a retry in the place of the former one, if it is better.
fn replace(verdicts: &mut [Verdict], mut new: Verdict, attempt: u32) {
    let Some(old) = verdicts.iter_mut().find(|old| old.case == new.case) else { return };
    if new.is_universal() || new.status.is_unexpected() || !old.status.is_unexpected() {
        return;
    }
    let said = old.findings.first().map(|finding| finding.observed.clone()).unwrap_or_default();
    new.findings.push(Finding {
        place: format!("retry {attempt}"),
        observed: format!("unstable: {} before: {said}", Status::name(old.status)),
        ..Finding::default()
    });
    note(&format!(
        "unstable: {} was {} and is {} in retry {attempt}",
        old.case,
        old.status.name(),
        new.status.name()
    ));
    *old = new;
}

/// The arguments of `rerun`.
#[derive(clap::Args)]
#[command(after_help = "\
Runs the cases with unexpected verdicts again, on the JVMs and in the configurations of the results. All options of `run` \
can follow. Give --cases and --classpath again if the run had them.

Example:
  jvmti-check run --out report; jvmti-check rerun report/results.json --keep-traces --out again")]
pub struct Args {
    /// Results that `run --out` wrote
    #[arg(value_name = "results.json")]
    results: PathBuf,
    /// Options of `run`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTION")]
    options: Vec<String>,
}

#[derive(Parser)]
#[command(name = "jvmti-check rerun")]
struct Again {
    #[command(flatten)]
    run: run::Args,
}

/// Runs again what was unexpected.
pub fn rerun(args: &Args) -> Result<Completed, Fault> {
    let results = json::read(&args.results).map_err(Fault::input)?;
    let words = words(&results)?;
    if words.is_empty() {
        note("nothing was unexpected: there is nothing to run again");
        return Ok(Completed::Fine);
    }
    let all = ["rerun".to_owned()].into_iter().chain(words).chain(args.options.iter().cloned());
    let again = Again::try_parse_from(all).map_err(|error| Fault::wrong(error.to_string().trim()))?;
    run::run(&again.run)
}

/// The arguments of `run` for what was unexpected. The JVMs share them, so they must have the same options.
fn words(results: &Results) -> Result<Vec<String>, Fault> {
    let failed = |run: &&JvmRun| run.verdicts.iter().any(|v| v.status.is_unexpected());
    let runs: Vec<&JvmRun> = results.runs.iter().filter(failed).collect();
    let Some(first) = runs.first() else { return Ok(Vec::new()) };
    if runs.iter().any(|run| run.configuration.is_none() && run.vm_options != first.vm_options) {
        return Err(Fault::wrong(
            "the JVMs of these results have different options; use the `rerun` lines of the report",
        ));
    }
    let mut words: Vec<String> = Vec::new();
    let mut add = |word: String| {
        if !words.contains(&word) {
            words.push(word)
        }
    };
    for run in &runs {
        add(format!("--jdk={}", run.jvm.home));
        match &run.configuration {
            Some(name) => add(format!("--vm-option-set={name}")),
            None => run.vm_options.iter().for_each(|option| add(format!("--vm-option={option}"))),
        }
    }
    let unexpected = runs.iter().flat_map(|run| &run.verdicts).filter(|v| v.status.is_unexpected());
    unexpected.for_each(|verdict| add(verdict.case.clone()));
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(case: &str, status: Status) -> Verdict {
        Verdict { case: case.to_owned(), status, ..Verdict::default() }
    }

    #[test]
    fn what_passes_in_a_retry_tells_that_it_is_unstable() {
        let mut verdicts = vec![verdict("a", Status::Fail), verdict("b", Status::Fail)];
        replace(&mut verdicts, verdict("a", Status::Pass), 1);
        replace(&mut verdicts, verdict("b", Status::Crash), 1);
        assert_eq!((verdicts[0].status, verdicts[1].status), (Status::Pass, Status::Fail));
        assert!(verdicts[0].findings[0].observed.starts_with("unstable: fail before"));
    }

    #[test]
    fn only_what_was_unexpected_runs_again() {
        let mut run = JvmRun {
            verdicts: vec![verdict("a", Status::Pass), verdict("b", Status::Crash)],
            ..JvmRun::default()
        };
        run.jvm.home = "/opt/jdk".to_owned();
        run.vm_options = vec!["-Xint".to_owned()];
        let quiet = JvmRun { verdicts: vec![verdict("b", Status::Known)], ..JvmRun::default() };
        let mut results = Results { runs: vec![run, quiet], ..Results::default() };
        assert_eq!(words(&results).unwrap(), ["--jdk=/opt/jdk", "--vm-option=-Xint", "b"]);
        results.runs.remove(0);
        assert!(words(&results).unwrap().is_empty());
    }
}
