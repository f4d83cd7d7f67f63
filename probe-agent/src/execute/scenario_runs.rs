//! The scenario runs of the launch.

use jvmti_wire::plan::Made;
use jvmti_wire::trace::Body;

use crate::execute::bindings;
use crate::execute::cases;
use crate::execute::handover;
use crate::execute::occurrence::{Firing, Occurrence};
use crate::execute::setup;
use crate::recording::record;
use crate::vm::identity;
use crate::vm::jni::Jni;

/// The scenario run begins: its cases get the environments that live as long as it does, and take their first steps.
pub fn begin(jni: Jni, run: u32) {
    record(&Body::RunBegin { run });
    let Some(cases) = cases::get() else { return };
    cases.set_run(Some(run));
    for made in [Made::Inherited, Made::ScenarioRun] {
        cases.of_run(run).for_each(|case| setup::make(case, made));
    }
    Firing { occurrence: Occurrence::RunBegin, jni: Some(jni) }.fire_where(|case| case.plan.run == Some(run));
}

/// The scenario run ends: its cases take their last steps, and all that belonged to it is given back.
pub fn end(jni: Jni, run: u32) {
    if let Some(cases) = cases::get() {
        Firing { occurrence: Occurrence::RunEnd, jni: Some(jni) }
            .fire_where(|case| case.plan.run == Some(run));
        cases.of_run(run).filter(|case| !case.outlives_run()).for_each(|case| {
            handover::hand_on(case, jni);
            setup::dispose(case, None, Some(jni));
        });
        cases.set_run(None);
    }
    bindings::forget_all(jni);
    identity::next_run();
    record(&Body::RunEnd { run });
}
