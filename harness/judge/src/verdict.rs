//! The verdict on one case.

use jvmti_cases::model::{Matcher, Reference};
use jvmti_results::{Finding, Status, StoryLine, Verdict};
use jvmti_wire::trace::{Body, Record};
use jvmti_wire::value::Value;

use super::matching::Truth;
use super::progress::Progress;
use super::verdict_builder::VerdictBuilder;
use super::{Assertions, LaunchEnd, conditions, life, steps};

/// `NOT_AVAILABLE`
const NOT_AVAILABLE: i32 = 98;

/// Judges a case that has come to its end, or as far as it got.
pub(super) fn verdict(
    progress: &mut Progress<'_>,
    case: usize,
    assertions: &Assertions,
    ended: &LaunchEnd,
    whole: bool,
) -> Verdict {
    let mut verdict = blank(progress, case);
    if let Some(reason) = life::inapplicable(progress, case).or_else(|| inapplicable(progress, case)) {
        return does_not_apply(verdict, reason);
    }
    let mut builder = VerdictBuilder::new(assertions);
    setup(progress, case, &mut builder);
    let untouched = builder.findings.is_empty();
    // Without its environments a case has not begun: what follows from that is not told again.
    let taken = untouched && steps::judge(progress, case, ended, whole, &mut builder);
    if whole && taken {
        events(progress, case, ended, &mut builder);
        facts(progress, case, &mut builder);
        life::judge(progress, case, &mut builder);
    } else if whole && builder.findings.is_empty() {
        // A step's moment never came and need not have. What must not come must not come even so.
        progress.with_watch(case, |watch, scope| watch.finish(scope));
        never(progress, case, &mut builder);
    }
    if let Some(reason) = builder.inapplicable() {
        return does_not_apply(verdict, reason);
    }
    verdict.status = builder.status();
    verdict.asserted = builder.asserted;
    verdict.findings = builder.findings;
    if verdict.status != Status::Pass {
        verdict.story = story(progress, case);
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
pub(super) fn blank(progress: &Progress<'_>, case: usize) -> Verdict {
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
fn inapplicable(progress: &Progress<'_>, case: usize) -> Option<String> {
    let written = &progress.brief.cases[case];
    let add = progress.names.spec().function("AddCapabilities")?.slot;
    let (index, ..) = progress.cases[case]
        .setup_failed
        .iter()
        .find(|(_, function, code)| *function == add && *code == NOT_AVAILABLE)?;
    let wanted = &written.environments.get(usize::from(*index))?.capabilities;
    // One that another environment of this JVM was granted is offered: the cases got into each other's way.
    let shared = wanted.iter().any(|c| progress.granted.contains(c.as_str()));
    (!shared || wanted.len() > 1 && !wanted.iter().all(|c| progress.granted.contains(c.as_str())))
        .then(|| format!("this JVM does not offer {} here", wanted.join(", ")))
}

/// Trouble with the case's environments.
fn setup(progress: &Progress<'_>, case: usize, builder: &mut VerdictBuilder<'_>) {
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
        let call = progress.names.function(*function);
        let mut why =
            format!("environment {}: {call} answered {}", name(*index), progress.names.error(*code));
        if *code == NOT_AVAILABLE {
            why += ", but another environment in this JVM was granted it";
        }
        builder.trouble("", &why);
    }
}

/// The expectations on the case's events.
fn events(progress: &mut Progress<'_>, case: usize, ended: &LaunchEnd, builder: &mut VerdictBuilder<'_>) {
    progress.with_watch(case, |watch, scope| watch.finish(scope));
    let Some(watch) = progress.watches[case].as_ref() else { return };
    let written = &progress.brief.cases[case];
    if let Some(thrown) = progress.scenario_failed.get(&progress.turn_of(case)) {
        let thrown = progress.names.value(thrown);
        return builder.trouble("events", &format!("the scenario failed with {thrown}"));
    }
    if ended.lost > 0 {
        return builder.trouble("events", &format!("the trace was full and lacks {} records", ended.lost));
    }
    if let Some(cause) = &watch.undecided {
        return builder.trouble("events", &format!("an event could not be judged: {cause}"));
    }
    let names = &progress.names;
    let violation = |builder: &mut VerdictBuilder<'_>, expected: String, observed: String| {
        builder.violation(&written.cites, "events", expected, observed);
    };
    let expectation = watch.expectation;

    builder.assert(expectation.in_order.len());
    if let Some(missing) = expectation.in_order.get(watch.come) {
        let all: Vec<String> = expectation.in_order.iter().map(|p| conditions::pattern(names, p)).collect();
        let missing = conditions::pattern(names, missing);
        let observed = match watch.come.checked_sub(1).and_then(|i| all.get(i)) {
            Some(before) => format!("{missing} did not come after {before}"),
            None => format!("{missing} did not come"),
        };
        violation(builder, format!("in this order: {}", all.join(", then ")), observed);
    }
    never(progress, case, builder);
    for ((pattern, wanted), n) in expectation.counts.iter().zip(&watch.counts) {
        builder.assert(1);
        let value = Value::Int(i64::try_from(*n).unwrap_or(i64::MAX));
        match progress.scope(case, u64::MAX).check(wanted, &value) {
            Truth::Holds => {}
            Truth::Unknown(cause) => builder.trouble("events", &cause.to_string()),
            Truth::Fails => {
                let pattern = conditions::pattern(names, pattern);
                let wanted = conditions::matcher(wanted, &|i| i.to_string());
                violation(builder, format!("{pattern}, times: {wanted}"), format!("it came {n} times"));
            }
        }
    }
    for (exactly, sequence) in expectation.exactly.iter().zip(&watch.sequences) {
        builder.assert(exactly.are.len().max(1));
        let all: Vec<String> = exactly.are.iter().map(|p| conditions::pattern(names, p)).collect();
        let observed = match (&sequence.odd, all.get(sequence.come)) {
            (Some(odd), _) => format!("{odd} came as number {}", sequence.come + 1),
            (None, Some(missing)) => format!("number {}, {missing}, did not come", sequence.come + 1),
            (None, None) => continue,
        };
        let of: Vec<String> = exactly.of.iter().map(|p| conditions::pattern(names, p)).collect();
        let expected = format!("of all {} exactly: {}", of.join(" and "), all.join(", then "));
        violation(builder, expected, observed);
    }
    for (between, interval) in expectation.between.iter().zip(&watch.intervals) {
        builder.assert(1);
        let [from, to, of] = [&between.from, &between.to, &between.of].map(|p| conditions::pattern(names, p));
        if !interval.closed {
            builder.trouble(
                "events",
                &format!("{from} and then {to} did not come, so nothing was between them"),
            );
            continue;
        }
        let value = Value::Int(i64::try_from(interval.count).unwrap_or(i64::MAX));
        match progress.scope(case, u64::MAX).check(&between.is, &value) {
            Truth::Holds => {}
            Truth::Unknown(cause) => builder.trouble("events", &cause.to_string()),
            Truth::Fails => {
                let wanted = conditions::matcher(&between.is, &|i| i.to_string());
                let expected = format!("{of} between {from} and {to}, times: {wanted}");
                violation(builder, expected, format!("it came {} times", interval.count));
            }
        }
    }
    for ((first, second), state) in expectation.per_thread_before.iter().zip(&watch.per_thread) {
        builder.assert(1);
        if state.broken.is_some() {
            let [first, second] = [first, second].map(|p| conditions::pattern(names, p));
            let observed = format!("{first} came after {second} on one thread");
            violation(builder, format!("on each thread, no {first} after {second}"), observed);
        }
    }
}

/// The expectations that some events do not come.
fn never(progress: &Progress<'_>, case: usize, builder: &mut VerdictBuilder<'_>) {
    let Some(watch) = progress.watches[case].as_ref() else { return };
    let cites = &progress.brief.cases[case].cites;
    for (pattern, (first, n)) in watch.expectation.never.iter().zip(&watch.never) {
        builder.assert(1);
        if first.is_some() {
            let pattern = conditions::pattern(&progress.names, pattern);
            let (expected, observed) = (format!("never {pattern}"), format!("it came {n} times"));
            builder.violation(cites, "events", expected, observed);
        }
    }
}

/// The expectations on what the scenario stated in the end.
fn facts(progress: &Progress<'_>, case: usize, builder: &mut VerdictBuilder<'_>) {
    let written = &progress.brief.cases[case];
    let scope = progress.scope(case, u64::MAX);
    for (key, matcher) in &written.facts {
        builder.assert(1);
        let fact = Matcher::Is(Reference::Fact(key.clone()));
        let Some(value) = scope.referred(&fact) else {
            match progress.scenario_failed.get(&progress.turn_of(case)) {
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
                builder.violation(&written.cites, "facts", format!("{key}: {wanted}"), observed);
            }
        }
    }
}

/// What was done in the case and what came, for reading.
pub(super) fn story(progress: &Progress<'_>, case: usize) -> Vec<StoryLine> {
    let trace = &progress.cases[case];
    let names = &progress.names;
    let line = |record: &Record, text: String| StoryLine {
        at_us: record.at / 1000,
        thread: names.thread(record.thread),
        text,
    };
    let mut lines: Vec<(u64, StoryLine)> = trace
        .story
        .iter()
        .map(|(record, function)| {
            let text = match (&record.body, function) {
                (Body::CallEnd { code, outputs, .. }, Some(function)) => {
                    format!("{} → {}", names.function(*function), names.result(*function, *code, outputs))
                }
                _ => names.record(record),
            };
            (record.seq, line(record, text))
        })
        .collect();
    // Of what all cases of the turn share, what came up to this case's last record.
    let last = trace.story.last().map_or(u64::MAX, |(record, _)| record.seq);
    let shared = progress.shared.get(&progress.turn_of(case)).into_iter().flatten();
    let told = shared.filter(|r| r.seq <= last || matches!(r.body, Body::TurnEnd { .. }));
    lines.extend(told.map(|r| (r.seq, line(r, names.record(r)))));
    lines.sort_by_key(|(seq, _)| *seq);
    let mut lines: Vec<StoryLine> = lines.into_iter().map(|(_, line)| line).collect();
    if trace.untold > 0 {
        let at_us = trace.span.map_or(0, |(_, last)| last / 1000);
        let text = format!("… and {} records more", trace.untold);
        lines.push(StoryLine { at_us, thread: String::new(), text });
    }
    lines
}
