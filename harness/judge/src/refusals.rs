//! Calls that a JVM refused because a class or module is not modifiable, and what it said when the probe asked it.
//!
//! Which classes, and which modules with a name, are modifiable is up to the JVM. One that says the same of them whenever it is
//! asked may refuse to change them, whatever else is the matter with the call. One that says two things is to blame.

use jvmti_spec::Edition;
use jvmti_wire::value::Value;
use rustc_hash::FxHashMap;

/// Errors by which a JVM refuses, and functions that tell whether it has to.
const ERRORS: [&str; 2] = ["UNMODIFIABLE_CLASS", "UNMODIFIABLE_MODULE"];
const QUESTIONS: [&str; 2] = ["IsModifiableClass", "IsModifiableModule"];

/// The last refusal on each thread.
pub(super) struct Refusals {
    codes: Vec<i32>,
    questions: Vec<u16>,
    /// Case and step, by thread.
    last: FxHashMap<u32, (usize, usize)>,
}

impl Refusals {
    pub(super) fn new(spec: &Edition) -> Refusals {
        Refusals {
            codes: ERRORS.iter().filter_map(|name| spec.error(name)).map(|error| error.number).collect(),
            questions: QUESTIONS.iter().filter_map(|name| spec.function(name)).map(|f| f.slot).collect(),
            last: FxHashMap::default(),
        }
    }

    /// A step's call on that thread has come to that.
    pub(super) fn ended(&mut self, thread: u32, case: usize, step: usize, code: i32) {
        if self.codes.contains(&code) {
            self.last.insert(thread, (case, step));
        } else {
            self.last.remove(&thread);
        }
    }

    /// The probe itself has called a function on that thread. If the JVM said that what it refused before is not modifiable,
    /// the case and the step that it refused.
    pub(super) fn asked(
        &self,
        thread: u32,
        function: u16,
        code: i32,
        outputs: &[(u16, Value)],
    ) -> Option<(usize, usize)> {
        let says_no = code == 0 && outputs.first().is_some_and(|(_, answer)| answer.as_int() == Some(0));
        (says_no && self.questions.contains(&function)).then(|| self.last.get(&thread).copied())?
    }
}

#[cfg(test)]
mod tests {
    use jvmti_results::Status;
    use jvmti_wire::trace::StepRef;

    use super::*;
    use crate::tests::bench::{Bench, call, case, code, error, function, object};

    /// RedefineClasses, refused by that error, and what IsModifiableClass answered afterwards; then a step that fails.
    fn refused(expected: &str, answer: &str, modifiable: Option<i64>) -> Status {
        let mut case = case("one");
        case.steps =
            vec![call("RedefineClasses", error(&[expected])), call("GetThreadState", error(&["NONE"]))];
        let mut bench = Bench::new(vec![case]);
        bench.step(0, 0, code(answer), vec![]);
        if let Some(modifiable) = modifiable {
            let call = bench.begin(StepRef::None, function("IsModifiableClass"), vec![object(3)]);
            bench.end(call, 0, vec![(1, Value::Int(modifiable))]);
        }
        bench.step(0, 1, code("INTERNAL"), vec![]).status()
    }

    #[test]
    fn a_jvm_need_not_let_classes_be_modified_if_it_says_so_when_it_is_asked() {
        for expected in ["NONE", "FAILS_VERIFICATION"] {
            assert_eq!(refused(expected, "UNMODIFIABLE_CLASS", Some(0)), Status::Inapplicable);
            assert_ne!(refused(expected, "UNMODIFIABLE_CLASS", Some(1)), Status::Inapplicable);
            assert_ne!(refused(expected, "UNMODIFIABLE_CLASS", None), Status::Inapplicable);
            assert_ne!(refused(expected, "INTERNAL", Some(0)), Status::Inapplicable);
        }
    }
}
