//! What is known of a step while it is carried out.

use jvmti_wire::trace::StepRef;

use super::cases::RunningCase;
use super::occurrence::Firing;

/// A step or handler while its action is carried out.
#[derive(Clone, Copy)]
pub struct RunningStep<'a> {
    /// The case.
    pub case: &'a RunningCase,
    /// Which step or handler it is.
    pub reference: StepRef,
    /// The name to save the outputs by.
    pub save: Option<&'a str>,
    /// The occurrence that it waited for.
    pub firing: &'a Firing<'a>,
}
