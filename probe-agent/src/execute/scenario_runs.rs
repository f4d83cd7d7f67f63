//! The turns of the launch: one run of a scenario each.

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

/// The turn begins: its cases get the environments that live for a turn, and take their first steps.
pub fn begin(jni: Jni, turn: u32) {
    record(&Body::TurnBegin { turn });
    let Some(cases) = cases::get() else { return };
    cases.set_turn(Some(turn));
    for made in [Made::Inherited, Made::Turn] {
        cases.of_turn(turn).for_each(|case| setup::make(case, made));
    }
    Firing { occurrence: Occurrence::TurnBegin, jni: Some(jni) }
        .fire_where(|case| case.plan.turn == Some(turn));
}

/// The turn ends: its cases take their last steps, and all that belonged to it is given back.
pub fn end(jni: Jni, turn: u32) {
    if let Some(cases) = cases::get() {
        Firing { occurrence: Occurrence::TurnEnd, jni: Some(jni) }
            .fire_where(|case| case.plan.turn == Some(turn));
        cases.of_turn(turn).filter(|case| !case.outlives_turn()).for_each(|case| {
            handover::hand_on(case, jni);
            setup::dispose(case, None, Some(jni));
        });
        cases.set_turn(None);
    }
    bindings::forget_all(jni);
    identity::next_turn();
    record(&Body::TurnEnd { turn });
}
