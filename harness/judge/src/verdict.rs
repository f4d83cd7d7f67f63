//! The verdict on one case.

use jvmti_cases::model::{Matcher, Reference};
use jvmti_results::{Finding, Status, Verdict};

use super::basis::Expected;
use super::progress::JudgePass;
use super::references::{LACKING, ROUSED};
use super::truth::Truth;
use super::verdict_builder::VerdictBuilder;
use super::{Assertions, LaunchEnd, conditions, events, life, steps, story};

/// Judges a case that has come to its end, or as far as it got.
pub(super) fn verdict(
    progress: &mut JudgePass<'_>,
    case: usize,
    assertions: &Assertions,
    ended: &LaunchEnd,
    whole: bool,
) -> Verdict {
    let mut verdict = blank(progress, case);
    let inapplicable = life::inapplicable(progress, case).or_else(|| inapplicable(progress, case));
    if let Some(reason) = inapplicable.or_else(|| no_occasion(progress, case)) {
        return does_not_apply(verdict, reason);
    }
    let mut builder = VerdictBuilder::new(assertions);
    setup(progress, case, &mut builder);
    let untouched = builder.findings.is_empty();
    // Without its environments a case has not begun: what follows from that is not told again.
    let taken = untouched && steps::judge(progress, case, ended, whole, &mut builder);
    let able = !builder.is_unable();
    if whole && taken && able {
        events::judge(progress, case, ended, &mut builder);
        facts(progress, case, &mut builder);
        life::judge(progress, case, &mut builder);
    } else if whole
        && untouched
        && !ended.exit.is_from_outside()
        && progress.brief.cases[case].life_expected.is_some()
    {
        // A JVM that does not come to the steps may have failed to live as it should.
        life::judge(progress, case, &mut builder);
    } else if whole && able && builder.findings.is_empty() {
        // A step's moment never came and need not have. What must not come must not come even so.
        events::judge_never(progress, case, &mut builder);
    }
    if let Some(reason) = builder.inapplicable() {
        return does_not_apply(verdict, reason);
    }
    verdict.status = builder.status();
    let excuse = match verdict.status {
        Status::Fail => roused(progress, case),
        Status::Error => lacking(progress, case),
        _ => None,
    };
    if let Some(reason) = excuse {
        return does_not_apply(verdict, reason);
    }
    verdict.asserted = builder.asserted;
    verdict.findings = builder.findings;
    if verdict.status != Status::Pass {
        verdict.story = story::of_case(progress, case);
    }
    verdict
}

fn does_not_apply(mut verdict: Verdict, reason: String) -> Verdict {
    verdict.status = Status::Inapplicable;
    verdict.findings =
        vec![Finding { cites: vec![], place: String::new(), expected: String::new(), observed: reason }];
    verdict
}

/// A verdict with nothing judged yet.
pub(super) fn blank(progress: &JudgePass<'_>, case: usize) -> Verdict {
    let written = &progress.brief.cases[case];
    let mut cites = written.cites.clone();
    for cite in written.steps.iter().flat_map(|s| &s.cites) {
        if !cites.contains(cite) {
            cites.push(cite.clone());
        }
    }
    Verdict {
        case: written.id.clone(),
        about: written.about.clone(),
        chapter: written.chapter.clone(),
        subject: written.subject.clone(),
        cites,
        source: format!("{}:{}", written.source.file, written.source.line),
        reproduce: progress.brief.reproduce(&written.id),
        micros: progress.cases[case].span.map_or(0, |(first, last)| last.saturating_sub(first) / 1000),
        ..Verdict::default()
    }
}

/// Why the case does not apply to this JVM, if so: a capability that it does not offer.
fn inapplicable(progress: &JudgePass<'_>, case: usize) -> Option<String> {
    let not_available = progress.names.spec().error("NOT_AVAILABLE")?.number;
    let written = &progress.brief.cases[case];
    let add = progress.names.spec().function("AddCapabilities")?.slot;
    let (index, ..) = progress.cases[case]
        .setup_failed
        .iter()
        .find(|(_, function, code)| *function == add && *code == not_available)?;
    let wanted = &written.environments.get(usize::from(*index))?.capabilities;
    // A JVM may let one environment at a time possess a capability, and the case has several that are to possess it.
    let mut others = (0u8..).zip(&written.environments).filter(|(other, _)| other != index);
    if others.any(|(_, other)| other.capabilities.iter().any(|c| wanted.contains(c))) {
        return Some(format!("this JVM does not offer {} to several environments", wanted.join(", ")));
    }
    // One that another environment of this JVM was granted is offered: the cases got into each other's way.
    let shared = wanted.iter().any(|c| progress.is_granted(c));
    (!shared || wanted.len() > 1 && !wanted.iter().all(|c| progress.is_granted(c)))
        .then(|| format!("this JVM does not offer {} here", wanted.join(", ")))
}

/// Why the case does not apply to what the scenario brought about, if so: what the case is about did not happen.
fn no_occasion(progress: &JudgePass<'_>, case: usize) -> Option<String> {
    let scope = progress.scope(case, u64::MAX);
    progress.brief.cases[case].occasion.iter().find_map(|(key, matcher)| {
        let value = scope.fact(key)?;
        (scope.check(matcher, value) == Truth::Fails).then(|| {
            let wanted = conditions::matcher(matcher, &|i| i.to_string());
            format!("there was no occasion: {key} is {}, not {wanted}", progress.names.value(value))
        })
    })
}

/// Why what was observed proves nothing, if so: threads that the scenario let wait or park went on for no reason, which Java
/// allows.
fn roused(progress: &JudgePass<'_>, case: usize) -> Option<String> {
    let times = progress.scope(case, u64::MAX).fact(ROUSED)?.as_int()?;
    (times > 0).then(|| format!("threads that were to wait went on for no reason, {times} times"))
}

/// Why the scenario could not do its work, if so: the runtime lacks a module, as those that `jlink` makes may.
fn lacking(progress: &JudgePass<'_>, case: usize) -> Option<String> {
    let class = progress.scope(case, u64::MAX).fact(LACKING)?;
    Some(format!("this runtime has no class {}, which the scenario needs", progress.names.value(class)))
}

/// Trouble with the case's environments.
fn setup(progress: &JudgePass<'_>, case: usize, builder: &mut VerdictBuilder<'_>) {
    let trace = &progress.cases[case];
    let written = &progress.brief.cases[case];
    let name = |index: u8| {
        written.environments.get(usize::from(index)).map_or("environment", |e| e.name.as_str()).to_owned()
    };
    for (index, code) in trace.made.iter().filter(|(_, code)| *code != 0) {
        builder.trouble("", &format!("environment {}: GetEnv returned {code}", name(*index)));
    }
    trace.setup_impossible.iter().for_each(|why| builder.trouble("", why));
    for (index, function, code) in &trace.setup_failed {
        let names = &progress.names;
        let call = names.function(*function);
        let mut why =
            format!("environment {}: {call} answered {}", name(*index), progress.names.error(*code));
        if names.spec().error("NOT_AVAILABLE").is_some_and(|error| error.number == *code) {
            why += ", but another environment in this JVM was granted it";
        }
        builder.trouble("", &why);
    }
}

/// The expectations on what the scenario stated in the end.
fn facts(progress: &JudgePass<'_>, case: usize, builder: &mut VerdictBuilder<'_>) {
    let written = &progress.brief.cases[case];
    let scope = progress.scope(case, u64::MAX);
    for (key, matcher) in &written.facts {
        builder.assert(1);
        let fact = Matcher::Is(Reference::Fact(key.clone()));
        let Some(value) = scope.referred(&fact) else {
            match progress.thrown_in(case) {
                Some(thrown) => {
                    let thrown = progress.names.value(thrown);
                    builder.trouble("facts", &format!("the scenario failed with {thrown}"));
                }
                None => builder.trouble("facts", &format!("the fact {key:?} was never stated")),
            }
            continue;
        };
        match scope.check(matcher, value) {
            Truth::Holds => {}
            Truth::Unknown(cause) => builder.trouble("facts", &cause.to_string()),
            Truth::Fails => {
                let wanted = conditions::matcher(matcher, &|i| i.to_string());
                let observed = format!("{key}: {}", progress.names.value(value));
                let basis = (Expected::Other, written.cites.as_slice());
                builder.violation(basis, "facts", format!("{key}: {wanted}"), observed);
            }
        }
    }
}
