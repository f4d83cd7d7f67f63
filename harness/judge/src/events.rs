//! The expectations on the events of a case, judged by what its watch has seen.

use jvmti_cases::model::{EventPattern, Matcher};
use jvmti_wire::value::Value;

use super::basis::Expected;
use super::progress::JudgePass;
use super::references::Scope;
use super::truth::Truth;
use super::verdict_builder::VerdictBuilder;
use super::watch::Watch;
use super::{LaunchEnd, conditions};

/// Where findings say that something did not hold.
const PLACE: &str = "events";

/// Judges all that the case expects of its events.
pub(super) fn judge(
    progress: &mut JudgePass<'_>,
    case: usize,
    ended: &LaunchEnd,
    builder: &mut VerdictBuilder<'_>,
) {
    progress.with_watch(case, |watch, scope| watch.finish(scope));
    let Some(watch) = progress.watch(case) else { return };
    if let Some(thrown) = progress.thrown_in(case) {
        return builder.trouble(PLACE, &format!("the scenario failed with {}", progress.names.value(thrown)));
    }
    if builder.lacks(PLACE, ended) {
        return;
    }
    if let Some(cause) = &watch.undecided {
        return builder.trouble(PLACE, &format!("an event could not be judged: {cause}"));
    }
    let mut checked = checked(progress, case, watch, builder);
    checked.in_order();
    checked.never();
    checked.counts();
    checked.exactly();
    checked.between();
    checked.per_thread();
}

/// Judges only the expectations that events do not come.
pub(super) fn judge_never(progress: &mut JudgePass<'_>, case: usize, builder: &mut VerdictBuilder<'_>) {
    progress.with_watch(case, |watch, scope| watch.finish(scope));
    if let Some(watch) = progress.watch(case) {
        checked(progress, case, watch, builder).never();
    }
}

fn checked<'p, 'b, 'a>(
    progress: &'p JudgePass<'_>,
    case: usize,
    watch: &'p Watch<'p>,
    builder: &'b mut VerdictBuilder<'a>,
) -> EventCheck<'p, 'b, 'a> {
    let cites = &progress.brief.cases[case].cites;
    EventCheck { watch, scope: progress.scope(case, u64::MAX), cites, builder }
}

struct EventCheck<'p, 'b, 'a> {
    watch: &'p Watch<'p>,
    scope: Scope<'p>,
    cites: &'p [String],
    builder: &'b mut VerdictBuilder<'a>,
}

impl EventCheck<'_, '_, '_> {
    fn violation(&mut self, about: Expected<'_>, expected: String, observed: String) {
        self.builder.violation((about, self.cites), PLACE, expected, observed);
    }

    /// Whether something came as often as it had to.
    fn times(&mut self, of: &EventPattern, wanted: &Matcher, n: u64, what: impl FnOnce() -> String) {
        let value = Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
        match self.scope.check(wanted, &value) {
            Truth::Holds => {}
            Truth::Unknown(cause) => self.builder.trouble(PLACE, &cause.to_string()),
            Truth::Fails => {
                let wanted = conditions::matcher(wanted, &|i| i.to_string());
                let about = if n == 0 { Expected::Event(&of.name) } else { Expected::Other };
                self.violation(about, format!("{}, times: {wanted}", what()), conditions::came(n));
            }
        }
    }

    fn in_order(&mut self) {
        let (names, watch) = (self.scope.names, self.watch);
        self.builder.assert(watch.in_order.len());
        let Some(missing) = watch.in_order.get(watch.come) else { return };
        let all: Vec<String> = watch.in_order.iter().map(|p| conditions::pattern(names, p)).collect();
        let about = Expected::Event(&missing.name);
        let missing = conditions::pattern(names, missing);
        let observed = match watch.come.checked_sub(1).and_then(|i| all.get(i)) {
            Some(before) => format!("{missing} did not come after {before}"),
            None => format!("{missing} did not come"),
        };
        self.violation(about, format!("in this order: {}", all.join(", then ")), observed);
    }

    fn never(&mut self) {
        for (pattern, n) in &self.watch.never {
            self.builder.assert(1);
            if *n > 0 {
                let pattern = conditions::pattern(self.scope.names, pattern);
                self.violation(Expected::NoEvent, format!("never {pattern}"), conditions::came(*n));
            }
        }
    }

    fn counts(&mut self) {
        for ((pattern, wanted), n) in &self.watch.counts {
            self.builder.assert(1);
            let names = self.scope.names;
            self.times(pattern, wanted, *n, || conditions::pattern(names, pattern));
        }
    }

    fn exactly(&mut self) {
        let names = self.scope.names;
        for (exactly, sequence) in &self.watch.sequences {
            self.builder.assert(exactly.are.len().max(1));
            let all: Vec<String> = exactly.are.iter().map(|p| conditions::pattern(names, p)).collect();
            let number = sequence.come + 1;
            let (about, observed) = match (&sequence.odd, exactly.are.get(sequence.come)) {
                (Some(odd), _) => (Expected::NoEvent, format!("{odd} came as number {number}")),
                (None, Some(missing)) => {
                    let observed = format!("number {number}, {}, did not come", all[sequence.come]);
                    (Expected::Event(missing.name.as_str()), observed)
                }
                (None, None) => continue,
            };
            let of: Vec<String> = exactly.of.iter().map(|p| conditions::pattern(names, p)).collect();
            let expected = format!("of all {} exactly: {}", of.join(" and "), all.join(", then "));
            self.violation(about, expected, observed);
        }
    }

    fn between(&mut self) {
        let names = self.scope.names;
        for (between, interval) in &self.watch.intervals {
            self.builder.assert(1);
            let [from, to, of] =
                [&between.from, &between.to, &between.of].map(|p| conditions::pattern(names, p));
            if interval.closed {
                self.times(&between.of, &between.is, interval.count, || {
                    format!("{of} between {from} and {to}")
                });
            } else {
                let why = format!("{from} and then {to} did not come, so nothing was between them");
                self.builder.trouble(PLACE, &why);
            }
        }
    }

    fn per_thread(&mut self) {
        for ((first, second), state) in &self.watch.per_thread {
            self.builder.assert(1);
            if state.broken {
                let [first, second] = [first, second].map(|p| conditions::pattern(self.scope.names, p));
                let observed = format!("{first} came after {second} on one thread");
                self.violation(
                    Expected::Other,
                    format!("on each thread, no {first} after {second}"),
                    observed,
                );
            }
        }
    }
}
