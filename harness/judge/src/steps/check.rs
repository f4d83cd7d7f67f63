//! What came of one step, compared with its expectation.

use jvmti_cases::model::{ErrorExpectation, Expect, Matcher, OutputExpectation, Step};
use jvmti_spec::derived::{may_be_unable, may_be_unable_if_virtual};
use jvmti_spec::edition::Function;
use jvmti_wire::plan::Action;
use jvmti_wire::value::Value;

use super::reference_kind;
use crate::LaunchEnd;
use crate::basis::Expected;
use crate::case_trace::{CallEnd, StepTrace, Transferred};
use crate::conditions;
use crate::counted;
use crate::progress::JudgePass;
use crate::references::Scope;
use crate::thread_state::without_answers;
use crate::truth::Truth;
use crate::verdict_builder::VerdictBuilder;

/// `JNILocalRefType`
pub(crate) const LOCAL_REFERENCE: i32 = 1;

/// Whether a call may return that code.
pub(super) fn is_right(progress: &JudgePass<'_>, expected: &ErrorExpectation, code: i32) -> bool {
    let name = progress.names.spec().error_by_number(code).map(|e| e.name.as_str());
    match expected {
        ErrorExpectation::OneOf(codes) => codes.iter().any(|c| Some(c.as_str()) == name),
        ErrorExpectation::NoneOf(codes) => !codes.iter().any(|c| Some(c.as_str()) == name),
    }
}

/// One step's expectation being checked.
pub(super) struct StepCheck<'c, 'b, 'a> {
    pub(super) progress: &'c JudgePass<'c>,
    pub(super) step: &'c Step,
    pub(super) cites: &'c [String],
    pub(super) scope: Scope<'c>,
    pub(super) ended: &'c LaunchEnd,
    pub(super) builder: &'b mut VerdictBuilder<'a>,
}

impl StepCheck<'_, '_, '_> {
    fn violation(&mut self, expected: String, observed: String) {
        self.builder.violation((Expected::Other, self.cites), &self.step.text, expected, observed);
    }

    /// Checks everything that is expected of a call.
    pub(super) fn expectation(&mut self, expect: &Expect, taken: &StepTrace, end: &CallEnd) {
        if let Some(expected) = &expect.error {
            self.builder.assert(1);
            if !is_right(self.progress, expected, end.code) {
                let observed = self.progress.names.error(end.code);
                if self.is_unable(taken, end.code) {
                    return self.builder.unable(format!("{} returned {observed}", self.step.text));
                }
                let edition = self.progress.names.spec();
                let about = match Expected::of_error(expected, edition) {
                    Expected::Other => self.success(end.code),
                    about => about,
                };
                let basis = (about, self.cites);
                let expected = conditions::error(expected);
                // What else was expected of a call that came out otherwise says nothing.
                self.builder.violation(basis, &self.step.text, expected, observed);
                if end.code == 0 {
                    self.builder.undetected();
                }
                return;
            }
        } else if end.code != 0 && !expect.outputs.is_empty() {
            self.builder.assert(1);
            let observed = self.progress.names.error(end.code);
            let basis = (self.success(end.code), self.cites);
            return self.builder.violation(basis, &self.step.text, "NONE".to_owned(), observed);
        }
        // Where the call may succeed or fail, the outputs are those of one that succeeds.
        if let Some(ErrorExpectation::OneOf(codes)) = &expect.error
            && end.code != 0
            && codes.iter().any(|code| code == "NONE")
        {
            return;
        }
        for output in &expect.outputs {
            match output.matcher {
                Matcher::LocalReferences | Matcher::Deallocated => {
                    self.transferred(output, &taken.transferred)
                }
                _ => {
                    self.value(output, end.output(output.param));
                    self.list(output, end);
                }
            }
        }
        for i in 0..expect.callbacks.len() {
            self.callbacks(expect, i, taken);
        }
    }

    /// What an expectation of success is about, if the call returned that code instead.
    fn success(&self, code: i32) -> Expected<'static> {
        self.called(code)
            .map_or(Expected::Other, |(function, error)| Expected::of_success(&function.name, error))
    }

    /// The function called, and the name of the error returned.
    fn called(&self, code: i32) -> Option<(&Function, &str)> {
        let Action::Call { function, .. } = self.step.plan.action else { return None };
        let names = &self.progress.names;
        Some((names.facts(function)?, &names.spec().error_by_number(code)?.name))
    }

    /// Whether the JVM says that it is unable to do what the call asks for, which the text allows, whatever else is the
    /// matter with the call.
    fn is_unable(&self, taken: &StepTrace, code: i32) -> bool {
        let is_virtual = || taken.thread.is_some_and(|thread| self.progress.names.is_virtual_thread(thread));
        self.called(code).is_some_and(|(function, error)| {
            may_be_unable(function, error) || may_be_unable_if_virtual(function, error) && is_virtual()
        })
    }

    /// What became of the memory or references that an output handed over.
    fn transferred(&mut self, expected: &OutputExpectation, transferred: &Transferred) {
        self.builder.assert(1);
        let name = &expected.name;
        let (all, right, what) = match expected.matcher {
            Matcher::LocalReferences => (&transferred.references, LOCAL_REFERENCE, "reference"),
            _ => (&transferred.memory, 0, "block of memory"),
        };
        let Some(handed) = all.iter().find(|handed| handed.param == expected.param) else {
            // An empty list is a null pointer.
            return self.builder.unmet(format!("{name} handed no {what} over"));
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
    pub(super) fn value(&mut self, expected: &OutputExpectation, recorded: Option<&Value>) {
        self.builder.assert(1);
        let function = match self.step.plan.action {
            Action::Call { function, .. } => function,
            _ => 0,
        };
        let names = &self.progress.names;
        let Some(value) = recorded else {
            let why = format!("nothing was recorded of {}", expected.name);
            return self.builder.trouble(&self.step.text, &why);
        };
        match self.scope.check(&expected.matcher, value) {
            Truth::Holds => {}
            Truth::Unknown(cause) => {
                let why = format!("{} could not be judged: {cause}", expected.name);
                self.builder.trouble(&self.step.text, &why);
            }
            Truth::Fails => {
                let shown = |value: &Value| names.parameter(function, expected.param, value);
                let wanted = conditions::matcher(&expected.matcher, &|i| shown(&Value::Int(i)));
                let differences = self.scope.differences(&expected.matcher, value);
                let mut observed = differences.unwrap_or_else(|| shown(value));
                if let Some(told) = self.scope.referred(&expected.matcher) {
                    observed += &format!(" (expected {})", shown(told));
                }
                if let Some(shortfall) = conditions::shortfall(&expected.matcher, value) {
                    observed += &format!(": {shortfall}");
                }
                let is_lawful = |weaker| matches!(self.scope.check(&weaker, value), Truth::Holds);
                let about = match without_answers(&expected.matcher).is_some_and(is_lawful) {
                    true => Expected::Answer,
                    false => Expected::Other,
                };
                let name = &expected.name;
                let (wanted, observed) = (format!("{name}: {wanted}"), format!("{name}: {observed}"));
                self.builder.violation((about, self.cites), &self.step.text, wanted, observed);
            }
        }
    }

    /// Only an empty list is a null pointer.
    fn list(&mut self, expected: &OutputExpectation, end: &CallEnd) {
        let Action::Call { function, .. } = self.step.plan.action else { return };
        let Some(function) = self.progress.names.facts(function) else { return };
        let Some(param) = function.params.get(usize::from(expected.param)) else { return };
        let elements = counted::elements(function, param, &end.outputs).unwrap_or(0);
        if elements > 0 && end.code == 0 && end.output(expected.param) == Some(&Value::Null) {
            let name = &expected.name;
            self.violation(format!("{name}: a list of {elements}"), format!("{name}: a null pointer"));
        }
    }

    fn callbacks(&mut self, expect: &Expect, i: usize, taken: &StepTrace) {
        self.builder.assert(1);
        let expected = &expect.callbacks[i];
        let Some(count) = taken.callbacks.get(i) else { return };
        let mut unknown = count.unknown.clone();
        let mut hits = count.hits;
        for args in &count.pending {
            match self.scope.check_params(&expected.params, args) {
                Truth::Holds => hits += 1,
                Truth::Fails => {}
                Truth::Unknown(cause) => unknown = Some(cause),
            }
        }
        let total = taken.counted.get(&expected.callback).copied().unwrap_or(0).max(count.recorded);
        let unrecorded = total - count.recorded;
        if self.builder.lacks(&self.step.text, self.ended) {
            return;
        }
        if let Some(cause) = unknown {
            let why = format!("{} could not be judged: {cause}", expected.callback);
            return self.builder.trouble(&self.step.text, &why);
        }
        if unrecorded > 0 && !expected.params.is_empty() {
            let why = format!("{unrecorded} of {total} calls of {} were not recorded", expected.callback);
            return self.builder.trouble(&self.step.text, &why);
        }
        let n = if expected.params.is_empty() { total } else { hits };
        let outcome = self.scope.check(&expected.count, &Value::Int(i64::try_from(n).unwrap_or(i64::MAX)));
        match outcome {
            Truth::Holds => {}
            Truth::Unknown(cause) => self.builder.trouble(&self.step.text, &cause.to_string()),
            Truth::Fails => {
                let conditions: Vec<String> = expected
                    .params
                    .iter()
                    .map(|(_, name, m)| format!("{name}: {}", conditions::matcher(m, &|i| i.to_string())))
                    .collect();
                let wanted = conditions::matcher(&expected.count, &|i| i.to_string());
                let what = format!("{}({})", expected.callback, conditions.join(", "));
                self.violation(format!("{what}, times: {wanted}"), conditions::came(n));
            }
        }
    }
}
