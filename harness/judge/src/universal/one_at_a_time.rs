//! The JVM invokes the heap callbacks of a call one after the other, whatever threads it uses.

use std::collections::BTreeSet;

use jvmti_spec::Edition;
use jvmti_traces::Names;
use jvmti_wire::trace::{Body, Record};

use super::{Observed, UniversalRule};

pub(super) struct OneAtATime {
    /// C type names of the heap callbacks.
    callbacks: BTreeSet<String>,
    observed: Observed,
}

impl OneAtATime {
    pub(super) fn new(spec: &Edition) -> Self {
        let heap = spec.callbacks.iter().filter(|callback| callback.heap_callback);
        OneAtATime {
            callbacks: heap.map(|callback| callback.name.clone()).collect(),
            observed: Observed::default(),
        }
    }
}

impl UniversalRule for OneAtATime {
    fn assertion(&self) -> &'static str {
        "heap/callbacks-one-at-a-time"
    }

    fn other(&mut self, record: &Record, _names: &Names<'_>) {
        match &record.body {
            Body::Callback { callback, .. } if self.callbacks.contains(callback) => {
                self.observed.occasions += 1
            }
            Body::CallbacksOverlap { callback, .. } if self.callbacks.contains(callback) => {
                self.observed.broken(
                    || callback.clone(),
                    "one invocation at a time",
                    || "invoked before another invocation for the same call had returned".to_owned(),
                );
            }
            _ => {}
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
