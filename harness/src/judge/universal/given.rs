//! What calls give to their caller: references, and memory to be deallocated.

use jvmti_wire::trace::{Body, Handed, Record};

use super::{Observed, Rule};
use crate::judge::steps::LOCAL_REFERENCE;

/// What is looked at of what calls gave.
#[derive(Clone, Copy)]
enum What {
    References,
    Memory,
}

/// Everything of one sort is as it must be.
pub(super) struct Given {
    what: What,
    observed: Observed,
}

impl Given {
    /// References are JNI local references.
    pub(super) fn references() -> Self {
        Given { what: What::References, observed: Observed::default() }
    }

    /// Memory can be deallocated.
    pub(super) fn memory() -> Self {
        Given { what: What::Memory, observed: Observed::default() }
    }
}

impl Rule for Given {
    fn assertion(&self) -> &'static str {
        match self.what {
            What::References => "universal/returned-references-local",
            What::Memory => "memory/deallocate-returned",
        }
    }

    fn other(&mut self, record: &Record) {
        let Body::Given { call, memory, references, .. } = &record.body else { return };
        let (all, right, expected): (&[Handed], _, _) = match self.what {
            What::References => (references, LOCAL_REFERENCE, "JNI local references"),
            What::Memory => (memory, 0, "memory that Deallocate takes back"),
        };
        for handed in all {
            self.observed.occasions += 1;
            if handed.code != right {
                let place = || format!("output {} of call {call}", handed.param);
                self.observed.broken(place, expected, || format!("code {}", handed.code));
            }
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
