//! References from records to the steps and agents that caused them.

use serde::{Deserialize, Serialize};

/// The step or handler on whose behalf something was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StepRef {
    /// Making ready or clearing up an environment of the case.
    Setup {
        /// Case index in the plan.
        case: u32,
    },
    /// A step of the sequence.
    Step {
        /// Case index in the plan.
        case: u32,
        /// Step index.
        step: u32,
    },
    /// An action of a handler.
    Handler {
        /// Case index in the plan.
        case: u32,
        /// Handler index.
        handler: u32,
        /// Action index.
        action: u32,
    },
    /// The probe itself.
    None,
    /// An agent that nobody here wrote.
    Site {
        /// The place that the call comes from ([`Body::SiteSeen`]).
        site: u32,
    },
}

impl StepRef {
    /// The case it belongs to.
    pub fn case(self) -> Option<u32> {
        match self {
            StepRef::Setup { case } | StepRef::Step { case, .. } | StepRef::Handler { case, .. } => {
                Some(case)
            }
            StepRef::None | StepRef::Site { .. } => None,
        }
    }
}
