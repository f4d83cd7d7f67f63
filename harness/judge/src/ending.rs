//! Launches that ended abnormally: whose doing it was, and what is left to be run again.

use jvmti_cases::model::{Case, Ending, Step};
use jvmti_results::{CrashReport, Finding, Status};
use jvmti_spec::Strength;
use jvmti_wire::trace::{OpenCall, StepRef};

use super::basis::Expected;
use super::case_trace::StepTrace;
use super::life::SIGTERM;
use super::progress::JudgePass;
use super::{Assertions, Culprit, Exit, Judged, LaunchEnd, steps, story, verdict};

/// Whether someone outside ended the process before its time. Cases about such an end come to it by themselves.
pub(super) fn is_interrupted(progress: &JudgePass<'_>, ended: &LaunchEnd) -> bool {
    let ends_so = |ending| match ending {
        Ending::Sigterm => [Exit::Signal(SIGTERM), Exit::Code(128 + SIGTERM)].contains(&ended.exit),
        Ending::Exit(code) | Ending::Halt(code) => Exit::Code(code).is_from_outside(),
        _ => false,
    };
    let mut lives = progress.brief.cases.iter().filter_map(|case| case.life.as_ref());
    match ended.exit {
        Exit::Unknown => true,
        exit if exit.is_from_outside() => !lives.any(|life| ends_so(life.ending)),
        // SIGTERM makes a JVM that is still starting fail at that, which has another code.
        Exit::Code(1..) => !progress.has_started() && lives.next().is_none() && open_call(progress).is_none(),
        _ => false,
    }
}

/// Judges the cases that had passed when someone outside ended the process, and returns the others: what else they
/// show may be due to the JVM's shutting down.
pub(super) fn interrupted(
    progress: &mut JudgePass<'_>,
    assertions: &Assertions,
    ended: &LaunchEnd,
) -> Judged {
    let mut judged = Judged::default();
    for case in 0..progress.cases.len() {
        let verdict = is_finished(progress, case)
            .then(|| verdict::verdict(progress, case, assertions, ended, true))
            .filter(|verdict| verdict.status == Status::Pass);
        match verdict {
            Some(verdict) => judged.verdicts.push((case, verdict)),
            None => judged.unfinished.push(case),
        }
    }
    judged
}

/// Whether the process came to its end as a JVM should.
pub(super) fn is_orderly(progress: &JudgePass<'_>, ended: &LaunchEnd) -> bool {
    let shut_down = progress.shut_down();
    let life_is_judged = progress.brief.cases.iter().any(|case| case.life.is_some());
    match ended.exit {
        Exit::Code(0) => true,
        // Which code is right is for the case to say.
        Exit::Code(_) if life_is_judged => true,
        // A program may exit with any code; a JVM that gives up does not get as far as VMDeath.
        Exit::Code(_) => shut_down,
        // A JVM may have shut down before, or leave the signal to the system.
        Exit::Signal(SIGTERM) => progress.brief.cases.iter().any(Case::ends_by_sigterm),
        Exit::Signal(_) | Exit::TimedOut | Exit::Unknown => false,
    }
}

/// Judges all cases of a launch that ended well.
pub(super) fn orderly(progress: &mut JudgePass<'_>, assertions: &Assertions, ended: &LaunchEnd) -> Judged {
    let verdicts = (0..progress.cases.len())
        .map(|case| (case, verdict::verdict(progress, case, assertions, ended, true)))
        .collect();
    Judged { verdicts, ..Judged::default() }
}

/// Judges the cases that had finished, blames the one that was at work, and returns the others.
pub(super) fn abnormal(progress: &mut JudgePass<'_>, assertions: &Assertions, ended: &LaunchEnd) -> Judged {
    let cases = &progress.brief.cases;
    let alone = !cases.is_empty() && cases.iter().all(|case| case.id == cases[0].id);
    let mut culprit = culprit(progress);
    if alone && culprit.as_ref().is_none_or(|c| c.case.is_none()) {
        // Nothing else was going on.
        let case = (0..cases.len()).find(|case| progress.is_under_way(*case));
        culprit = Some(Culprit { case: case.or(Some(0)), call: None, what: String::new(), thread: 0 });
    }
    let mut judged = Judged::default();
    for case in 0..progress.cases.len() {
        if let Some(culprit) = culprit.as_ref().filter(|c| c.case == Some(case)) {
            let mut verdict = verdict::verdict(progress, case, assertions, ended, false);
            verdict.status = match ended.exit {
                _ if progress.brief.cases[case].undefined => Status::Permitted,
                Exit::TimedOut if progress.brief.cases[case].untimed => Status::Permitted,
                _ if need_not_be_detected(progress, case, assertions) => Status::Permitted,
                _ => status(ended),
            };
            let overtaken = (verdict.status == Status::Timeout && culprit.call.is_none())
                .then(|| steps::overtaken(&progress.brief.cases[case], &progress.cases[case]))
                .flatten();
            let finding = match overtaken {
                Some((step, why)) => {
                    verdict.status = Status::Error;
                    Finding {
                        cites: vec![],
                        place: step.text.clone(),
                        expected: String::new(),
                        observed: why,
                    }
                }
                None => Finding {
                    cites: verdict.cites.clone(),
                    place: culprit.what.clone(),
                    expected: "the JVM to continue".to_owned(),
                    observed: how(ended, culprit.call),
                },
            };
            verdict.findings.insert(0, finding);
            verdict.crash = said(progress);
            verdict.story = story::of_case(progress, case);
            judged.verdicts.push((case, verdict));
        } else if is_finished(progress, case) {
            judged.verdicts.push((case, verdict::verdict(progress, case, assertions, ended, true)));
        } else {
            judged.unfinished.push(case);
        }
    }
    judged.culprit = culprit;
    judged
}

/// What becomes of the verdict on a case that was at work then.
pub(super) fn status(ended: &LaunchEnd) -> Status {
    match ended.exit {
        Exit::TimedOut => Status::Timeout,
        _ => Status::Crash,
    }
}

/// The cases that had begun what they did not finish when the process ended.
pub(super) fn at_work(progress: &JudgePass<'_>, judged: &Judged) -> Vec<usize> {
    judged.unfinished.iter().copied().filter(|case| progress.is_under_way(*case)).collect()
}

/// What the JVM itself wrote about its crash.
pub(super) fn said(progress: &JudgePass<'_>) -> Option<CrashReport> {
    let process = progress.process()?;
    CrashReport::in_output(&format!("{}\n{}", process.stdout, process.stderr))
}

/// Whether the call that the JVM was in has an error that a JVM need not detect: the text leaves open what happens then.
fn need_not_be_detected(progress: &JudgePass<'_>, case: usize, assertions: &Assertions) -> bool {
    let Some(StepRef::Step { step, .. }) = open_call(progress).map(|open| open.step) else { return false };
    let steps = &progress.brief.cases[case].steps;
    steps.get(step as usize).is_some_and(|step| expects_optional_error(progress, case, step, assertions))
}

/// Whether the case has done what the text leaves open: something undefined, or a call that succeeded in spite of an error
/// that a JVM need not detect.
pub(super) fn is_left_open(progress: &JudgePass<'_>, case: usize, assertions: &Assertions) -> bool {
    let written = &progress.brief.cases[case];
    let mut steps = written.steps.iter().zip(&progress.cases[case].steps);
    let succeeded = |taken: &StepTrace| taken.end.as_ref().is_some_and(|end| end.code == 0);
    let is_undetected = |(step, taken): (&Step, &StepTrace)| {
        succeeded(taken) && expects_optional_error(progress, case, step, assertions)
    };
    written.undefined || steps.any(is_undetected)
}

fn expects_optional_error(
    progress: &JudgePass<'_>,
    case: usize,
    step: &Step,
    assertions: &Assertions,
) -> bool {
    let Some(error) = step.expect.as_ref().and_then(|expect| expect.error.as_ref()) else { return false };
    match Expected::of_error(error, progress.names.spec()) {
        about @ Expected::Error(..) => {
            let cites = progress.brief.cases[case].cites_of(step);
            about.strength(assertions, cites) == Ok(Strength::Should)
        }
        _ => false,
    }
}

/// Whether all that the case is judged by had come before the end.
fn is_finished(progress: &JudgePass<'_>, case: usize) -> bool {
    let written = &progress.brief.cases[case];
    let trace = &progress.cases[case];
    // Events and facts may come until the scenario run is over.
    let waits = written.events.is_some() || !written.facts.is_empty();
    let run_ended = progress.run_ended(case);
    let refused = trace.made.iter().any(|(_, code)| *code != 0) || !trace.setup_failed.is_empty();
    refused || steps::all_taken(written, &trace.steps) && trace.span.is_some() && (!waits || run_ended)
}

/// What the JVM was in: the call begun last of those that had not returned, steps' before handlers' before others'.
/// Callbacks don't count: most of them return without a record.
fn culprit(progress: &JudgePass<'_>) -> Option<Culprit> {
    let open = open_call(progress)?;
    let cases = progress.cases.len();
    Some(Culprit {
        case: open.step.case().map(|case| case as usize).filter(|case| *case < cases),
        call: Some(open.number),
        what: progress.names.call(open.function, &open.args),
        thread: open.thread,
    })
}

fn open_call<'p>(progress: &'p JudgePass<'_>) -> Option<&'p OpenCall> {
    let rank = |step: &StepRef| match step {
        StepRef::Step { .. } => 3,
        StepRef::Handler { .. } => 2,
        StepRef::Setup { .. } => 1,
        StepRef::None | StepRef::Site { .. } => 0,
    };
    progress.names.calls().iter().max_by_key(|open| (rank(&open.step), open.seq))
}

/// How it ended, and whether that was in a call.
pub(super) fn how(ended: &LaunchEnd, call: Option<u32>) -> String {
    let place = match call {
        Some(_) => " before the call returned",
        None => " while no call of the probe was in progress",
    };
    match ended.exit {
        Exit::Signal(number) => format!("ended by {}{place}", signal(number)),
        Exit::TimedOut => format!("timed out{place}"),
        Exit::Code(code) => format!("exited with code {code}{place}"),
        Exit::Unknown => format!("the trace ends{place}"),
    }
}

fn signal(number: i32) -> String {
    let name = match number {
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        SIGTERM => "SIGTERM",
        _ => return format!("signal {number}"),
    };
    format!("{name} (signal {number})")
}
