//! Steps that only prepare what a case is about, or tidy up after it.
//!
//! If such a step fails, the case could not be carried out. That says nothing about the statements that the case cites.

use jvmti_cases::model::{Case, Step};
use jvmti_spec::Assertions;
use jvmti_traces::Names;
use jvmti_wire::plan::{Action, Arg, Invalid};

/// Errors by which a JVM says that it is unable to do what was asked.
const UNABLE: [&str; 6] = [
    "ABSENT_INFORMATION",
    "NOT_AVAILABLE",
    "MUST_POSSESS_CAPABILITY",
    "OPAQUE_FRAME",
    "UNSUPPORTED_OPERATION",
    "CLASS_LOADER_UNSUPPORTED",
];

/// Whether the step is a helper: the case does not say what it expects of it, and cites nothing about its function.
pub(super) fn is_helper(case: &Case, step: &Step, names: &Names<'_>, assertions: &Assertions) -> bool {
    let Action::Call { function, .. } = step.plan.action else { return step.helper };
    let called = names.facts(function).map(|facts| facts.name.as_str());
    let subjects = case.cites.iter().filter_map(|id| assertions.get(id)?.subject.as_deref());
    step.helper && !subjects.into_iter().any(|subject| Some(subject) == called)
}

/// Whether a call that returned this says that the JVM is unable to do it.
pub(super) fn is_unable(names: &Names<'_>, code: i32) -> bool {
    names.spec().error_by_number(code).is_some_and(|error| UNABLE.contains(&error.name.as_str()))
}

/// Whether a step needs a reference to an object that the JVM has collected: no JVM has to collect any.
pub(super) fn needs_a_collection(step: &Step) -> bool {
    fn is_of_collected(arg: &Arg) -> bool {
        match arg {
            Arg::Invalid(kind) => *kind == Invalid::ClearedWeakRef,
            Arg::List(args) => args.iter().any(is_of_collected),
            Arg::Struct(fields) => fields.iter().any(|(_, arg)| is_of_collected(arg)),
            _ => false,
        }
    }
    match &step.plan.action {
        Action::Call { args, .. } | Action::Jni { args, .. } => args.iter().any(is_of_collected),
        _ => false,
    }
}
