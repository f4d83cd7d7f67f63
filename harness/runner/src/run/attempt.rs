//! One attempt at one launch: start the JVM, read its trace, judge, and say what is left to be run again.

use std::path::{Path, PathBuf};

use jvmti_cases::model::{Case, is_of_every_jvm};
use jvmti_cases::{Brief, Judged, LateStart, LaunchEnd};
use jvmti_results::{CrashReport, Finding, Status, Verdict};
use jvmti_wire::trace::{Body, Exit, TraceFile};

use super::cost::Meter;
use super::queue::Job;
use super::tally::{Tally, bare};
use super::{Bench, Subject, cause, kept, life};
use crate::launch::{self, Ended, Launch, Loading, Recording};
use crate::plan::launches::Entry;
use crate::plan::{self, Limits};

/// Attempts after which a case that is still cut short is given up: each attempt ends at least one case.
const ATTEMPTS: u32 = 200;
/// How often a launch is repeated whose JVM someone outside has ended before it showed anything.
const REPETITIONS: u32 = 3;
/// Up to so many cases of a launch run again each by itself if they could not be judged; more run again together.
const DISTURBED: usize = 20;
/// How much more room than was estimated the traces of later attempts have: records that do not fit are lost.
const MORE_ROOM: u64 = 8;
/// Characters of a JVM's output that go into a verdict.
const OUTPUT: usize = 2_000;

/// Runs the job, adds its verdicts to the tally, and returns what is to be run again.
pub fn run(bench: &Bench<'_>, tally: &Tally, job: &Job) -> Vec<Job> {
    tally.launching();
    let subject = &bench.subjects[job.subject];
    let give_up = |reason: &str, status| {
        for case in job.launch.distinct_cases() {
            tally.add(verdict(subject, case, status, reason), bench.watcher);
        }
        Vec::new()
    };
    if bench.stop.asked() {
        return give_up(Finding::NOT_RUN, Status::Error);
    }
    let mut meter = Meter::start(job, &subject.tests);
    let Launched { trace, ended, judged } = match launched(bench, tally, job, &mut meter) {
        Ok(launched) => launched,
        Err(reason) => return give_up(&reason, Status::Error),
    };
    let kept = keep(bench, &trace, judged.as_ref().is_ok_and(JudgedTrace::is_as_expected));
    let again = match judged {
        // It may have been ended before it could load the probe.
        Err(_) if can_be_repeated(job, &ended, is_signalled(&ended)) => vec![job.undisturbed()],
        Err(Unjudged { reason, late_start }) => {
            for index in job.launch.distinct_cases() {
                let case = &subject.tests.cases[index];
                let status = not_loaded(case, ended.status.into());
                let reason = match status {
                    Status::Inapplicable => {
                        format!("this JVM does not start with {}: {reason}", case.vm_options.join(" "))
                    }
                    _ => reason.clone(),
                };
                let verdict = verdict(subject, index, status, &reason);
                tally.add_after(&late_start, verdict, bench.watcher);
            }
            Vec::new()
        }
        Ok(reading) => conclude(bench, tally, job, reading, &ended, kept),
    };
    bench.watcher.launched(subject, &meter.stop(&ended));
    again
}

/// Runs the job for what it shows only: its verdicts, which count nowhere.
pub fn try_out(bench: &Bench<'_>, tally: &Tally, job: &Job) -> Vec<Verdict> {
    let subject = &bench.subjects[job.subject];
    let mut meter = Meter::start(job, &subject.tests);
    let Ok(Launched { trace, ended, judged }) = launched(bench, tally, job, &mut meter) else {
        return Vec::new();
    };
    // Goes with the scratch folder at the latest.
    let _ = std::fs::remove_file(&trace);
    bench.watcher.launched(subject, &meter.stop(&ended));
    let verdicts = judged.map(|trace| trace.judged.verdicts).unwrap_or_default();
    verdicts.into_iter().map(|(_, verdict)| verdict).collect()
}

/// A launch that has ended.
struct Launched {
    trace: PathBuf,
    ended: Ended,
    judged: Result<JudgedTrace, Unjudged>,
}

/// Starts the JVM of the job, waits for its end, and judges its trace; or says why it did not start.
fn launched(bench: &Bench<'_>, tally: &Tally, job: &Job, meter: &mut Meter) -> Result<Launched, String> {
    let subject = &bench.subjects[job.subject];
    let trace = bench.scratch.file(&kept::trace_name(job.subject, &job.launch.name, job.attempt));
    let ended = launch(bench, subject, job, &trace)?;
    tally.launched();
    let judged = judge_trace(bench, subject, &trace, &ended, meter);
    Ok(Launched { trace, ended, judged })
}

/// What becomes of a case if the JVM ended so and had not loaded the probe. It loads it into other launches: where a case is
/// about another way to start and nobody outside has ended the JVM, it is that way that the JVM does not go.
pub fn not_loaded(case: &Case, exit: Exit) -> Status {
    let all_known = case.vm_options.iter().all(|option| is_of_every_jvm(option));
    match exit {
        Exit::Code(code) if code != 0 && !exit.is_from_outside() && !all_known => Status::Inapplicable,
        _ if case.life.is_none() || exit.is_from_outside() => Status::Error,
        Exit::Code(_) => Status::Fail,
        Exit::Signal(_) => Status::Crash,
        Exit::TimedOut | Exit::Unknown => Status::Error,
    }
}

/// Whether the JVM was ended by what need not be its own fault, and not too often yet.
fn can_be_repeated(job: &Job, ended: &Ended, by_others: bool) -> bool {
    by_others && ended.status != launch::Status::Cancelled && job.interruptions < REPETITIONS
}

/// Whether a signal ended the JVM.
fn is_signalled(ended: &Ended) -> bool {
    matches!(ended.status, launch::Status::Signalled(_)) || Exit::from(ended.status).is_from_outside()
}

fn launch(bench: &Bench<'_>, subject: &Subject, job: &Job, trace: &Path) -> Result<Ended, String> {
    let options = bench.options;
    let mut vm_options = job.launch.vm_options.clone();
    vm_options.extend(subject.vm_options.iter().cloned());
    let brief = Brief {
        release: subject.tests.edition.release,
        suite: options.suite.clone(),
        jvm: subject.identity.jvm.clone(),
        configuration: subject.configuration.clone(),
        vm_options: subject.vm_options.clone(),
        reproduce: subject.reproduce.clone(),
        cases: job.launch.cases.iter().map(|entry| subject.tests.cases[entry.case].clone()).collect(),
        inapplicable: job.inapplicable.clone(),
    };
    let brief = serde_json::to_string(&brief).map_err(|e| e.to_string())?;
    let launch = Launch {
        vm_options,
        class_path: [bench.scratch.jar().to_owned()]
            .into_iter()
            .chain(options.class_path.iter().cloned())
            .collect(),
        main_class: jvmti_java_tests::MAIN_CLASS.to_owned(),
        args: job.launch.scenario_runs.clone(),
        recording: Some(Recording {
            probe: options.probe.clone(),
            trace: trace.to_owned(),
            plan: job.launch.plan(&subject.tests.cases, &subject.tests.edition, brief),
            capacity: options.capacity.unwrap_or_else(|| capacity(job, &subject.tests.cases)),
            loading: Loading::Added,
        }),
        timeouts: subject.timeouts(options.timeouts, &job.launch.cases),
        ..Launch::new(&subject.jdk.java, bench.scratch.path())
    };
    let launch = match job.launch.life(&subject.tests.cases) {
        Some(life) => life::lead(launch, life, bench, &subject.jdk).map_err(|e| e.to_string())?,
        None => launch,
    };
    let mut slot = bench.queue.slot();
    launch::run_watched(&launch, bench.stop, &mut |waits| slot.lend(waits)).map_err(|e| e.to_string())
}

fn capacity(job: &Job, cases: &[Case]) -> u64 {
    let estimate = job.launch.capacity(cases);
    if job.attempt > 1 { estimate * MORE_ROOM } else { estimate }
}

/// What a trace came to.
struct JudgedTrace {
    judged: Judged,
    /// How many records did not fit.
    lost: u64,
    /// The scenario run that had begun and not ended.
    open_run: Option<u32>,
}

impl JudgedTrace {
    /// Whether nothing in it needs to be looked at.
    fn is_as_expected(&self) -> bool {
        let of_cases = self.judged.verdicts.iter().map(|(_, verdict)| verdict);
        let mut all = of_cases.chain(&self.judged.universal);
        self.judged.unfinished.is_empty() && !all.any(|verdict| verdict.status.is_unexpected())
    }
}

/// Why a trace did not come to anything, and what came of starting agents in the live phase all the same.
struct Unjudged {
    reason: String,
    late_start: LateStart,
}

fn judge_trace(
    bench: &Bench<'_>,
    subject: &Subject,
    trace: &Path,
    ended: &Ended,
    meter: &mut Meter,
) -> Result<JudgedTrace, Unjudged> {
    let unreadable = |e: &dyn std::fmt::Display| {
        let reason = format!("the trace cannot be read: {e}\n{}", output(ended));
        Unjudged { reason, late_start: LateStart::Unknown }
    };
    let file = TraceFile::open(trace).map_err(|e| unreadable(&e))?;
    let reader = file.reader().map_err(|e| unreadable(&e))?;
    let plan = reader.plan();
    let brief: Brief = serde_json::from_str(&plan.brief).map_err(|e| unreadable(&e))?;
    let mut loaded = false;
    let mut open_run = None;
    let records = reader.records();
    let how = LaunchEnd { exit: ended.status.into(), lost: records.summary().lost };
    let mut watched = records.inspect(|record| {
        file.pass(record.seq);
        meter.see(record);
        match record.body {
            Body::Entry(_) => loaded = true,
            Body::RunBegin { run } => open_run = Some(run),
            Body::RunEnd { .. } => open_run = None,
            _ => {}
        }
    });
    let judged = (bench.options.judge)(
        &mut watched,
        plan,
        &brief,
        &subject.tests.edition,
        &subject.tests.assertions,
        &how,
    );
    // Whether it is loaded may be what a case is about.
    if !loaded && !brief.cases.iter().any(|case| case.life_expected.is_some()) {
        let reason = format!("the JVM did not load the probe: {}\n{}", ended.status, output(ended));
        return Err(Unjudged { reason, late_start: judged.late_start });
    }
    Ok(JudgedTrace { judged, lost: how.lost, open_run })
}

fn conclude(
    bench: &Bench<'_>,
    tally: &Tally,
    job: &Job,
    JudgedTrace { mut judged, lost, open_run }: JudgedTrace,
    ended: &Ended,
    kept: Option<PathBuf>,
) -> Vec<Job> {
    let subject = &bench.subjects[job.subject];
    add_universal(subject, tally, job, &mut judged, kept.as_deref());
    let progress = !judged.verdicts.is_empty();
    let (verdicts, disturbed) = apart(bench, job, judged.verdicts, lost > 0);
    let report = kept.as_deref().and_then(|trace| kept::report(trace, ended));
    let disturbed: Vec<&Entry> = disturbed.iter().filter_map(|case| job.launch.cases.get(*case)).collect();
    let size = if disturbed.len() > DISTURBED { disturbed.len() } else { 1 };
    let mut alone: Vec<Job> =
        disturbed.chunks(size).flat_map(|entries| again(subject, job, entries, true)).collect();
    for (case, mut verdict) in verdicts {
        if let Some(entry) = job.launch.cases.get(case) {
            tally.control.review(bench, job, entry.case, &mut verdict);
            if verdict.status == Status::Crash {
                cause::explain(bench, tally, job, entry.case, &mut verdict);
            }
        }
        if let (Status::Timeout, Some(silence)) = (verdict.status, &ended.silence)
            && let Some(finding) = verdict.findings.first_mut()
        {
            finding.observed.push_str(&format!("; {silence}"));
        }
        if verdict.status != Status::Pass {
            verdict.trace = kept.as_ref().map(|path| path.display().to_string());
        }
        tally.add_after(&judged.late_start, with_report(verdict, report.as_deref()), bench.watcher);
    }
    let kept_as = kept.map(|path| path.display().to_string());
    let left: Vec<&Entry> =
        judged.unfinished.iter().filter_map(|&index| job.launch.cases.get(index)).collect();
    if left.is_empty() {
        return alone;
    }
    let cancelled = ended.status == launch::Status::Cancelled;
    let starved = ended.status == launch::Status::Starved;
    // A scenario that hangs without a case at work would hang again, and each time costs timeouts: its cases end here.
    let hung = |entry: &&Entry| ended.status == launch::Status::TimedOut && entry.scenario_run == open_run;
    let (over, left): (Vec<&Entry>, Vec<&Entry>) = match progress {
        _ if cancelled || job.attempt >= ATTEMPTS => (left, Vec::new()),
        _ if starved && job.attempt > REPETITIONS => (left, Vec::new()),
        true => (Vec::new(), left),
        false if left.len() == 1 && !starved && can_be_repeated(job, ended, judged.interrupted) => {
            alone.push(job.undisturbed());
            return alone;
        }
        false if left.len() == 1 && !starved => (left, Vec::new()),
        false => left.into_iter().partition(hung),
    };
    for entry in over {
        let case = &subject.tests.cases[entry.case];
        let reproduce = subject.reproduce.replace("{case}", &case.id);
        let mut verdict = not_finished(tally, case, ended);
        tally.control.review(bench, job, entry.case, &mut verdict);
        let verdict = with_report(verdict, report.as_deref());
        tally.add(Verdict { trace: kept_as.clone(), reproduce, ..verdict }, bench.watcher);
    }
    // What the machine did not let run has the machine for itself next time, as far as we are concerned.
    let again = again(subject, job, &left, progress || starved).into_iter();
    alone.extend(again.map(|job| if starved { job.by_itself() } else { job }));
    alone
}

/// The verdict on a case that did not end before its JVM did and does not run again.
fn not_finished(tally: &Tally, case: &Case, ended: &Ended) -> Verdict {
    match ended.status {
        status @ launch::Status::Starved => {
            bare(case, Status::Error, format!("the JVM was {status}\n{}", output(ended)))
        }
        status => {
            tally.add_universal(|universal| universal.blame(&case.id));
            unfinished(case, status.into(), &output(ended))
        }
    }
}

/// Adds the verdicts of a launch on universal rules.
fn add_universal(subject: &Subject, tally: &Tally, job: &Job, judged: &mut Judged, kept: Option<&Path>) {
    for verdict in judged.universal.iter_mut().filter(|verdict| verdict.status != Status::Pass) {
        verdict.trace = kept.map(|path| path.display().to_string());
    }
    let cases = job.launch.cases.iter().map(|entry| subject.tests.cases[entry.case].id.as_str());
    let cases: Vec<&str> = cases.collect();
    tally.add_universal(|universal| universal.take(judged, &cases));
}

/// The verdicts that count, and the cases that could not be judged, or had no memory, but shared their JVM with others: what these did
/// may be why, such as that the JVM ran out of something. So these cases run once more without the others, fewer each time. A case
/// whose trace was full has more room next time.
fn apart(
    bench: &Bench<'_>,
    job: &Job,
    judged: Vec<(usize, Verdict)>,
    full: bool,
) -> (Vec<(usize, Verdict)>, Vec<usize>) {
    let troubled =
        |(_, verdict): &(usize, Verdict)| verdict.status == Status::Error || verdict.lacked_memory();
    let count = judged.iter().filter(|one| troubled(one)).count();
    let cases = job.launch.distinct_cases().len();
    let among_others = if count > DISTURBED { count < cases } else { cases > 1 };
    let repeats = (among_others || full && job.attempt == 1) && !bench.stop.asked();
    let (again, counts): (Vec<_>, Vec<_>) = judged.into_iter().partition(|one| repeats && troubled(one));
    (counts, again.into_iter().map(|(case, _)| case).collect())
}

/// The verdict on a case that no launch has brought to its end, by how the last of them ended and what the JVM said.
pub fn unfinished(case: &Case, exit: Exit, output: &str) -> Verdict {
    let is_from_outside = exit.is_from_outside();
    let (status, what) = match exit {
        Exit::Unknown => (Status::Error, Finding::INTERRUPTED.to_owned()),
        exit if is_from_outside => {
            (Status::Error, format!("someone outside ended the JVM again and again: {}", ended_by(exit)))
        }
        Exit::TimedOut => (Status::Timeout, "the JVM stopped making progress".to_owned()),
        Exit::Signal(signal) => (Status::Crash, format!("the JVM was ended by signal {signal}")),
        Exit::Code(code) => (Status::Crash, format!("the JVM exited early, with code {code}")),
    };
    let is_open = case.undefined && !is_from_outside || case.untimed && exit == Exit::TimedOut;
    let status = if is_open { Status::Permitted } else { status };
    Verdict { crash: CrashReport::in_output(output), ..bare(case, status, format!("{what}\n{output}")) }
}

fn ended_by(exit: Exit) -> String {
    match exit {
        Exit::Code(code) => format!("exit code {code}"),
        Exit::Signal(signal) => format!("signal {signal}"),
        Exit::TimedOut | Exit::Unknown => String::new(),
    }
}

/// What was cut short, planned anew; in two halves if the attempt told nothing about which case was to blame.
fn again(subject: &Subject, job: &Job, left: &[&Entry], progress: bool) -> Vec<Job> {
    let size = if progress { left.len() } else { left.len().div_ceil(2) };
    let launches = left.chunks(size.max(1)).flat_map(|part| {
        let cases: Vec<usize> = part.iter().map(|entry| entry.case).collect();
        plan::schedule(&subject.tests.cases, &cases, &subject.identity.offer, Limits::FEW).launches
    });
    launches.map(|launch| job.leftover(launch)).collect()
}

fn verdict(subject: &Subject, case: usize, status: Status, reason: &str) -> Verdict {
    let case = &subject.tests.cases[case];
    let reproduce = subject.reproduce.replace("{case}", &case.id);
    Verdict { reproduce, ..bare(case, status, reason.to_owned()) }
}

/// The last of what the JVM said.
pub fn output(ended: &Ended) -> String {
    let text = [ended.stdout.text(), ended.stderr.text()].join("\n");
    let text = text.trim();
    let skipped = text.chars().count().saturating_sub(OUTPUT);
    let silence = ended.silence.as_ref().map(|silence| format!("{silence}\n")).unwrap_or_default();
    silence + &text.chars().skip(skipped).collect::<String>()
}

/// Keeps the trace if it is to be kept, and removes it from where it was written.
fn keep(bench: &Bench<'_>, trace: &Path, is_as_expected: bool) -> Option<PathBuf> {
    let kept = bench.options.keep_traces.as_ref().and_then(|keep| keep.trace(trace, is_as_expected));
    // Goes with the scratch folder at the latest.
    let _ = std::fs::remove_file(trace);
    kept
}

/// The verdict on a crash with the file of the JVM's own report.
fn with_report(mut verdict: Verdict, report: Option<&str>) -> Verdict {
    if let Some(crash) = &mut verdict.crash {
        crash.file = report.map(str::to_owned);
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jvm_need_not_have_options_that_no_text_names() {
        let with = |option: &str| Case { vm_options: vec![option.to_owned()], ..Case::default() };
        assert_eq!(not_loaded(&with("-Xbatch"), Exit::Code(1)), Status::Inapplicable);
        assert_eq!(not_loaded(&with("-Xbatch"), Exit::Signal(11)), Status::Error);
        assert_eq!(not_loaded(&with("-Dkey=value"), Exit::Code(1)), Status::Error);
    }
}
