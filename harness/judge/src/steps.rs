//! What came of a case's steps, against what must have.

use jvmti_cases::model::{Case, Condition, ErrorExpectation, Expect, Matcher, OutputExpectation, Step};
use jvmti_wire::plan::{Action, Trigger};
use jvmti_wire::value::Value;

use super::conditions;
use super::grade::Grades;
use super::matching::Outcome;
use super::progress::{CallEnd, Given, Progress, StepTrace};
use super::references::{Cause, Scope, Target};
use super::{Assertions, LaunchEnd};

/// Words by which the probe says that the VM's function table has no such function.
const MISSING: &str = "function table";

/// `JNILocalRefType`
pub(super) const LOCAL_REFERENCE: i32 = 1;

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

/// Judges the steps, as far as they were taken; `false`: some step never was. `whole`: the launch came to its end, so
/// that what was not taken never will be.
pub(super) fn judge(
    progress: &Progress<'_>,
    case: usize,
    assertions: &Assertions,
    ended: &LaunchEnd,
    whole: bool,
    grades: &mut Grades,
) -> bool {
    let written = &progress.brief.cases[case];
    let trace = &progress.cases[case];
    for (step, taken) in written.steps.iter().zip(&trace.steps) {
        let cites = cites(written, step);
        if let Some(reason) = &taken.failed {
            // What the step would have been about may not be there.
            if let Some(condition @ Condition::Output { .. }) =
                step.expect.as_ref().and_then(|e| e.when.as_ref())
                && !is_met(condition, &progress.scope(case, u64::MAX), &step.text, grades)
            {
                continue;
            }
            match reason.contains(MISSING) && function_is_stated(progress, step) {
                true => grades.violation(
                    assertions,
                    cites,
                    &step.text,
                    "the function to be there".to_owned(),
                    reason.clone(),
                ),
                false => grades.trouble(&step.text, reason),
            }
            continue;
        }
        if leaves_no_record(step) {
            continue;
        }
        if !taken.is_over() {
            let condition = step.expect.as_ref().and_then(|e| e.when.as_ref());
            let applies = match condition.filter(|when| matches!(when, Condition::Output { .. })) {
                Some(when) if whole => is_met(when, &progress.scope(case, u64::MAX), &step.text, grades),
                _ => true,
            };
            if whole && applies {
                Untaken { progress, case, step, begun: taken.begun.is_some(), ended }
                    .tell(assertions, grades);
            }
            return false;
        }
        let Some(expect) = &step.expect else { continue };
        let begun = taken.begun.map_or(0, |(seq, _)| seq);
        let scope = progress.scope(case, begun);
        if let Some(condition) = &expect.when
            && !is_met(condition, &scope, &step.text, grades)
        {
            continue;
        }
        let mut checked = Checked { progress, step, cites, assertions, scope, grades };
        match (&taken.end, &taken.jni) {
            (Some(end), _) => checked.expectation(expect, taken, end),
            (None, Some(result)) => {
                expect.outputs.iter().for_each(|output| checked.value(output, Some(result)));
            }
            (None, None) => {}
        }
    }
    true
}

/// Whether an expectation counts. If not, that is noted: a case of which nothing counts does not apply.
fn is_met(condition: &Condition, scope: &Scope<'_>, place: &str, grades: &mut Grades) -> bool {
    let Condition::Output { of, name, is } = condition else {
        grades.met += 1;
        return true;
    };
    let value = match scope.target(of) {
        Ok(Target::Value(value)) => value,
        Ok(_) => return false,
        Err(Cause::NoElement(_)) => {
            grades.unmet(format!("there is no {name}"));
            return false;
        }
        Err(cause) => {
            grades.trouble(place, &cause.to_string());
            return false;
        }
    };
    match scope.check(is, value) {
        Outcome::Holds => {
            grades.met += 1;
            return true;
        }
        Outcome::Fails => {
            let is = conditions::matcher(is, &|i| i.to_string());
            grades.unmet(format!("{name} is not {is}"));
        }
        Outcome::Unknown(cause) => grades.trouble(place, &cause.to_string()),
    }
    false
}

/// Whether every step has been taken.
pub(super) fn all_taken(case: &Case, taken: &[StepTrace]) -> bool {
    case.steps.iter().zip(taken).all(|(step, taken)| taken.is_over() || leaves_no_record(step))
}

/// The assertions that a step rests on.
pub(super) fn cites<'c>(case: &'c Case, step: &'c Step) -> &'c [String] {
    if step.cites.is_empty() { &case.cites } else { &step.cites }
}

fn leaves_no_record(step: &Step) -> bool {
    matches!(step.plan.action, Action::Reply { .. })
}

fn function_is_stated(progress: &Progress<'_>, step: &Step) -> bool {
    match step.plan.action {
        Action::Call { function, .. } => progress.names.facts(function).is_some(),
        _ => false,
    }
}

/// A step that was not taken, or not to its end, though the launch ended well.
struct Untaken<'c> {
    progress: &'c Progress<'c>,
    case: usize,
    step: &'c Step,
    begun: bool,
    ended: &'c LaunchEnd,
}

impl Untaken<'_> {
    fn tell(&self, assertions: &Assertions, grades: &mut Grades) {
        let text = &self.step.text;
        let written = &self.progress.brief.cases[self.case];
        if let Some(thrown) = self.progress.scenario_failed.get(&self.progress.turn_of(self.case)) {
            let thrown = self.progress.names.value(thrown);
            return grades.trouble(text, &format!("not reached: the scenario failed with {thrown}"));
        }
        if self.ended.lost > 0 {
            let lost = self.ended.lost;
            return grades.trouble(text, &format!("the trace was full and lacks {lost} records"));
        }
        let may_not_come = self.step.expect.as_ref().is_some_and(|e| e.when == Some(Condition::Comes));
        if !self.begun && self.step.plan.at == Trigger::Primordial {
            return grades.unmet("the JVM sent no event in its primordial phase".to_owned());
        }
        if let (false, true, Ok(awaited)) = (self.begun, may_not_come, self.awaited()) {
            return grades.unmet(format!("{awaited} did not come"));
        }
        let (expected, observed) = if self.begun {
            ("the call to return".to_owned(), "it had not returned when the JVM ended")
        } else {
            match self.awaited() {
                Ok(awaited) => (awaited, "it never came while the case waited for it"),
                Err(why) => return grades.trouble(text, &why),
            }
        };
        grades.asserted += 1;
        grades.violation(assertions, cites(written, self.step), text, expected, observed.to_owned());
    }

    /// What the step waited for, if its coming is the JVM's doing.
    fn awaited(&self) -> Result<String, String> {
        Ok(match &self.step.plan.at {
            Trigger::VmStart => "the VMStart event".to_owned(),
            Trigger::VmInit => "the VMInit event".to_owned(),
            Trigger::VmDeath => "the VMDeath event".to_owned(),
            Trigger::OnUnload => "the call of Agent_OnUnload".to_owned(),
            Trigger::Event { event, .. } => format!("the {} event", self.progress.names.event(*event)),
            Trigger::Callback { callback, of } => format!("{callback}, called by {of:?}"),
            Trigger::Checkpoint(name) => {
                return Err(format!("the scenario never reached checkpoint {name:?}"));
            }
            Trigger::OnLoad
            | Trigger::OnAttach
            | Trigger::Primordial
            | Trigger::TurnBegin
            | Trigger::TurnEnd => {
                return Err("the step was never taken".to_owned());
            }
        })
    }
}

/// One step's expectation being checked.
struct Checked<'c, 'g> {
    progress: &'c Progress<'c>,
    step: &'c Step,
    cites: &'c [String],
    assertions: &'c Assertions,
    scope: Scope<'c>,
    grades: &'g mut Grades,
}

impl Checked<'_, '_> {
    fn violation(&mut self, expected: String, observed: String) {
        self.grades.violation(self.assertions, self.cites, &self.step.text, expected, observed);
    }

    fn expectation(&mut self, expect: &Expect, taken: &StepTrace, end: &CallEnd) {
        if let Some(expected) = &expect.error {
            self.grades.asserted += 1;
            if !self.is_right(expected, end.code) {
                let observed = self.progress.names.error(end.code);
                // What else was expected of a call that came out otherwise says nothing.
                return self.violation(conditions::error(expected), observed);
            }
        } else if end.code != 0 && !expect.outputs.is_empty() {
            self.grades.asserted += 1;
            let observed = self.progress.names.error(end.code);
            return self.violation("NONE".to_owned(), observed);
        }
        for output in &expect.outputs {
            match output.matcher {
                Matcher::LocalReferences | Matcher::Deallocated => self.given(output, &taken.given),
                _ => self.value(output, end.output(output.param)),
            }
        }
        for i in 0..expect.callbacks.len() {
            self.callbacks(expect, i, taken);
        }
    }

    fn is_right(&self, expected: &ErrorExpectation, code: i32) -> bool {
        let name = self.progress.names.spec().error_by_number(code).map(|e| e.name.as_str());
        match expected {
            ErrorExpectation::OneOf(codes) => codes.iter().any(|c| Some(c.as_str()) == name),
            ErrorExpectation::NoneOf(codes) => !codes.iter().any(|c| Some(c.as_str()) == name),
        }
    }

    /// What became of the memory or references that an output handed over.
    fn given(&mut self, expected: &OutputExpectation, given: &Given) {
        self.grades.asserted += 1;
        let name = &expected.name;
        let (all, right, what) = match expected.matcher {
            Matcher::LocalReferences => (&given.references, LOCAL_REFERENCE, "reference"),
            _ => (&given.memory, 0, "block of memory"),
        };
        let Some(handed) = all.iter().find(|handed| handed.param == expected.param) else {
            return self.grades.trouble(&self.step.text, &format!("{name} handed no {what} over"));
        };
        if handed.code != right {
            let wanted = conditions::matcher(&expected.matcher, &|i| i.to_string());
            let observed = match expected.matcher {
                Matcher::LocalReferences => format!("one is {}", reference_kind(handed.code)),
                _ => format!("Deallocate answered {}", self.progress.names.error(handed.code)),
            };
            self.violation(format!("{name}: {wanted}"), format!("{name}: {observed}, of {}", handed.count));
        }
    }

    /// What was recorded of an output, or of the result of a JNI operation.
    fn value(&mut self, expected: &OutputExpectation, recorded: Option<&Value>) {
        self.grades.asserted += 1;
        let function = match self.step.plan.action {
            Action::Call { function, .. } => function,
            _ => 0,
        };
        let names = &self.progress.names;
        let Some(value) = recorded else {
            let why = format!("nothing was recorded of {}", expected.name);
            return self.grades.trouble(&self.step.text, &why);
        };
        match self.scope.check(&expected.matcher, value) {
            Outcome::Holds => {}
            Outcome::Unknown(cause) => {
                let why = format!("{} could not be judged: {cause}", expected.name);
                self.grades.trouble(&self.step.text, &why);
            }
            Outcome::Fails => {
                let shown = |value: &Value| names.parameter(function, expected.param, value);
                let wanted = conditions::matcher(&expected.matcher, &|i| shown(&Value::Int(i)));
                let mut observed = shown(value);
                if let Some(told) = self.scope.referred(&expected.matcher) {
                    observed += &format!(" (expected {})", shown(told));
                }
                if let Some(shortfall) = conditions::shortfall(&expected.matcher, value) {
                    observed += &format!(": {shortfall}");
                }
                let name = &expected.name;
                self.violation(format!("{name}: {wanted}"), format!("{name}: {observed}"));
            }
        }
    }

    fn callbacks(&mut self, expect: &Expect, i: usize, taken: &StepTrace) {
        self.grades.asserted += 1;
        let expected = &expect.callbacks[i];
        let Some(count) = taken.callbacks.get(i) else { return };
        let mut unknown = count.unknown.clone();
        let mut hits = count.hits;
        for args in &count.pending {
            match self.scope.check_params(&expected.params, args) {
                Outcome::Holds => hits += 1,
                Outcome::Fails => {}
                Outcome::Unknown(cause) => unknown = Some(cause),
            }
        }
        let total = taken.counted.get(&expected.callback).copied().unwrap_or(0).max(count.recorded);
        let unrecorded = total - count.recorded;
        if let Some(cause) = unknown {
            let why = format!("{} could not be judged: {cause}", expected.callback);
            return self.grades.trouble(&self.step.text, &why);
        }
        if unrecorded > 0 && !expected.params.is_empty() {
            let why = format!("{unrecorded} of {total} calls of {} were not recorded", expected.callback);
            return self.grades.trouble(&self.step.text, &why);
        }
        let n = if expected.params.is_empty() { total } else { hits };
        let outcome = self.scope.check(&expected.count, &Value::Int(i64::try_from(n).unwrap_or(i64::MAX)));
        match outcome {
            Outcome::Holds => {}
            Outcome::Unknown(cause) => self.grades.trouble(&self.step.text, &cause.to_string()),
            Outcome::Fails => {
                let conditions: Vec<String> = expected
                    .params
                    .iter()
                    .map(|(_, name, m)| format!("{name}: {}", conditions::matcher(m, &|i| i.to_string())))
                    .collect();
                let wanted = conditions::matcher(&expected.count, &|i| i.to_string());
                let what = format!("{}({})", expected.callback, conditions.join(", "));
                self.violation(format!("{what}, times: {wanted}"), format!("it came {n} times"));
            }
        }
    }
}
