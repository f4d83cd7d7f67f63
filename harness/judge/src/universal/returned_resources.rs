//! What calls return to their caller: JNI references, and memory to deallocate.

use jvmti_traces::Names;
use jvmti_wire::trace::{Body, EntryPoint, Handed, Record};
use rustc_hash::FxHashMap;

use super::{Observed, Returned, UniversalRule};
use crate::steps::{LOCAL_REFERENCE, reference_kind};

/// What is looked at of what calls gave.
#[derive(Clone, Copy)]
enum What {
    References,
    Memory,
}

/// Everything of one sort is as it must be.
pub(super) struct ReturnedResources {
    what: What,
    /// Slot of the function that each thread has called last: what was given is told right after the call.
    last: FxHashMap<u32, u16>,
    /// Whether the dead phase has come, in which Deallocate need not work.
    dead: bool,
    observed: Observed,
}

impl ReturnedResources {
    /// References are JNI local references.
    pub(super) fn references() -> Self {
        ReturnedResources::new(What::References)
    }

    /// Memory can be deallocated.
    pub(super) fn memory() -> Self {
        ReturnedResources::new(What::Memory)
    }

    fn new(what: What) -> Self {
        ReturnedResources { what, last: FxHashMap::default(), dead: false, observed: Observed::default() }
    }
}

impl UniversalRule for ReturnedResources {
    fn assertion(&self) -> &'static str {
        match self.what {
            What::References => "universal/returned-references-local",
            What::Memory => "memory/deallocate-returned",
        }
    }

    fn returned(&mut self, call: &Returned<'_>) {
        self.last.insert(call.record.thread, call.function.slot);
    }

    fn other(&mut self, record: &Record, names: &Names<'_>) {
        self.dead |= matches!(record.body, Body::Entry(EntryPoint::OnUnload));
        let Body::Given { memory, references, .. } = &record.body else { return };
        let (all, right, expected): (&[Handed], _, _) = match self.what {
            What::References => (references, LOCAL_REFERENCE, "JNI local references"),
            What::Memory => (memory, 0, "memory that Deallocate accepts"),
        };
        let wrong_phase = names.spec().error("WRONG_PHASE").map(|error| error.number);
        let may_refuse = self.dead && matches!(self.what, What::Memory);
        for handed in all {
            if may_refuse && Some(handed.code) == wrong_phase {
                continue;
            }
            self.observed.occasions += 1;
            if handed.code != right {
                let place = || match self.last.get(&record.thread) {
                    Some(slot) => names.output_of(*slot, handed.param),
                    None => format!("output {}", handed.param),
                };
                let observed = || match self.what {
                    What::References => reference_kind(handed.code),
                    What::Memory => format!("Deallocate returns {}", names.error(handed.code)),
                };
                self.observed.broken(place, expected, observed);
            }
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
