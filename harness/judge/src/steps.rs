//! What came of a case's steps, compared with what had to.

mod check;
mod helper;
mod untaken;

use jvmti_cases::model::{Case, Condition, Step};
use jvmti_wire::plan::Action;

use self::check::{StepCheck, is_right};
use self::helper::{is_helper, is_unable, needs_a_collection};
use self::untaken::Untaken;
use super::basis::Expected;
use super::case_trace::{CallEnd, CaseTrace, NotTaken, StepTrace};
use super::progress::JudgePass;
use super::references::{Referent, Scope};
use super::truth::{Cause, Truth};
use super::verdict_builder::VerdictBuilder;
use super::{LaunchEnd, conditions};

pub(super) use self::check::LOCAL_REFERENCE;

/// The step that the case was at, and why it was not taken, if the scenario passed its checkpoint too early: whatever waits
/// now may wait for that step.
pub(super) fn overtaken<'c>(case: &'c Case, trace: &CaseTrace) -> Option<(&'c Step, String)> {
    let next = trace.next()?;
    let step = &case.steps[next];
    untaken::overtaken(step, &trace.steps[next]).map(|why| (step, why))
}

/// What JNI's `GetObjectRefType` answered, for people.
pub(super) fn reference_kind(code: i32) -> String {
    match code {
        0 => "not a valid JNI reference".to_owned(),
        1 => "a local reference".to_owned(),
        2 => "a global reference".to_owned(),
        3 => "a weak global reference".to_owned(),
        other => format!("reference type {other}"),
    }
}

/// Judges the steps in order. Returns whether all of them were taken and judged. `whole`: the launch came to its end,
/// so that a step that was not taken never will be.
pub(super) fn judge(
    progress: &JudgePass<'_>,
    case: usize,
    ended: &LaunchEnd,
    whole: bool,
    builder: &mut VerdictBuilder<'_>,
) -> bool {
    let written = &progress.brief.cases[case];
    let steps = written.steps.iter().zip(&progress.cases[case].steps);
    let judged = steps.filter(|(step, taken)| taken.not_taken.is_some() || !leaves_no_record(step)).all(
        |(step, taken)| {
            let one = OneStep { progress, case, step, taken, ended };
            match &taken.not_taken {
                Some(why) => {
                    one.not_taken(why, builder);
                    true
                }
                None if taken.is_over() => one.taken(builder),
                None => {
                    one.untaken(whole, builder);
                    false
                }
            }
        },
    );
    if judged && whole {
        untaken::idle_handlers(progress, case, builder);
    }
    judged
}

/// A step and what came of it.
struct OneStep<'p> {
    progress: &'p JudgePass<'p>,
    case: usize,
    step: &'p Step,
    taken: &'p StepTrace,
    ended: &'p LaunchEnd,
}

impl<'p> OneStep<'p> {
    fn condition(&self) -> Option<&'p Condition> {
        self.step.expect.as_ref().and_then(|expect| expect.when.as_ref())
    }

    /// Whether the condition on an earlier output, if the step has one, holds.
    fn applies(&self, builder: &mut VerdictBuilder<'_>) -> bool {
        let condition = self.condition().filter(|when| matches!(when, Condition::Output { .. }));
        let scope = || self.progress.scope(self.case, u64::MAX);
        condition.is_none_or(|when| is_met(when, &scope(), &self.step.text, builder))
    }

    /// The probe could not take the step.
    fn not_taken(&self, why: &NotTaken, builder: &mut VerdictBuilder<'_>) {
        // What the step would have been about may not be there.
        if !self.applies(builder) {
            return;
        }
        let names = &self.progress.names;
        let written = &self.progress.brief.cases[self.case];
        match why {
            NotTaken::FunctionMissing { function, entry }
                if names.facts(*function).is_some()
                    && !is_helper(written, self.step, names, builder.assertions) =>
            {
                let expected = "the function to be there".to_owned();
                let basis = (Expected::Other, written.cites_of(self.step));
                builder.violation(basis, &self.step.text, expected, entry.to_string());
            }
            NotTaken::FunctionMissing { entry, .. } => builder.trouble(&self.step.text, &entry.to_string()),
            NotTaken::Impossible(reason) if needs_a_collection(self.step) => builder.unable(reason.clone()),
            NotTaken::Impossible(reason) => builder.trouble(&self.step.text, reason),
        }
    }

    /// The step's time never came, or its call did not return.
    fn untaken(&self, whole: bool, builder: &mut VerdictBuilder<'_>) {
        if whole && self.applies(builder) {
            let OneStep { progress, case, step, taken, ended } = *self;
            Untaken { progress, case, step, taken, ended }.report(builder);
        }
    }

    /// The step was taken. Returns whether those that follow can be judged.
    fn taken(&self, builder: &mut VerdictBuilder<'_>) -> bool {
        let Some(expect) = &self.step.expect else { return true };
        let scope = self.progress.scope(self.case, self.taken.begun.map_or(0, |(seq, _)| seq));
        if let Some(condition) = &expect.when
            && !is_met(condition, &scope, &self.step.text, builder)
        {
            return true;
        }
        let written = &self.progress.brief.cases[self.case];
        let names = &self.progress.names;
        if let (Some(end), Some(expected)) = (&self.taken.end, &expect.error)
            && !is_right(self.progress, expected, end.code)
        {
            // What comes afterwards may depend on what the JVM has not changed.
            if self.taken.unmodifiable {
                builder.unable(format!("{} returned {}", self.step.text, names.error(end.code)));
                return false;
            }
            if is_helper(written, self.step, names, builder.assertions) {
                self.helper_failed(end, builder);
                return false;
            }
        }
        let cites = written.cites_of(self.step);
        let mut checked =
            StepCheck { progress: self.progress, step: self.step, cites, scope, ended: self.ended, builder };
        match (&self.taken.end, &self.taken.jni) {
            (Some(end), _) => checked.expectation(expect, self.taken, end),
            (None, Some(result)) => {
                expect.outputs.iter().for_each(|output| checked.value(output, Some(result)));
            }
            (None, None) => {}
        }
        true
    }

    /// A step that the case needs on its way failed: the case could not be carried out.
    fn helper_failed(&self, end: &CallEnd, builder: &mut VerdictBuilder<'_>) {
        let error = self.progress.names.error(end.code);
        match is_unable(&self.progress.names, end.code) {
            true => builder.unable(format!("{} returned {error}", self.step.text)),
            false => {
                builder.trouble(&self.step.text, &format!("returned {error}, so the case could not go on"));
            }
        }
    }
}

/// Whether an expectation counts. If not, that is noted: a case of which nothing counts does not apply.
fn is_met(condition: &Condition, scope: &Scope<'_>, place: &str, builder: &mut VerdictBuilder<'_>) -> bool {
    let Condition::Output { of, name, is } = condition else {
        builder.met += 1;
        return true;
    };
    let value = match scope.target(of) {
        Ok(Referent::Value(value)) => value,
        Ok(_) => return false,
        Err(Cause::NoElement(_)) => {
            builder.unmet(format!("there is no {name}"));
            return false;
        }
        Err(cause) => {
            builder.trouble(place, &cause.to_string());
            return false;
        }
    };
    match scope.check(is, value) {
        Truth::Holds => {
            builder.met += 1;
            return true;
        }
        Truth::Fails => {
            let is = conditions::matcher(is, &|i| i.to_string());
            builder.unmet(format!("{name} is not {is}"));
        }
        Truth::Unknown(cause) => builder.trouble(place, &cause.to_string()),
    }
    false
}

/// Whether every step has been taken.
pub(super) fn all_taken(case: &Case, taken: &[StepTrace]) -> bool {
    case.steps.iter().zip(taken).all(|(step, taken)| taken.is_over() || leaves_no_record(step))
}

fn leaves_no_record(step: &Step) -> bool {
    matches!(step.plan.action, Action::Reply { .. })
}
