//! Rules on every call: it returns only error codes that its function may return, and leaves pending exceptions alone.

use jvmti_spec::Edition;
use jvmti_traces::Names;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Begun, Observed, Returned, Sent, UniversalRule};

/// A function returns a universal error (`NONE` is one) or an error of its own table.
pub(super) struct ListedErrors {
    listed: FxHashMap<u16, FxHashSet<i32>>,
    observed: Observed,
}

impl ListedErrors {
    pub(super) fn new(spec: &Edition) -> Self {
        let listed = |f: &jvmti_spec::edition::Function| {
            let own = f.errors.iter().filter_map(|row| spec.error(&row.error));
            own.chain(spec.universal_errors()).map(|e| e.number).chain([0]).collect()
        };
        ListedErrors {
            listed: spec.functions.iter().map(|f| (f.slot, listed(f))).collect(),
            observed: Observed::default(),
        }
    }
}

impl UniversalRule for ListedErrors {
    fn assertion(&self) -> &'static str {
        "universal/returned-error-is-listed"
    }

    fn returned(&mut self, call: &Returned<'_>) {
        self.observed.occasions += 1;
        if call.code != 0 && self.listed.get(&call.function.slot).is_some_and(|l| !l.contains(&call.code)) {
            let place = || call.place();
            let expected = "an error that the function's table lists, or a universal one";
            self.observed.broken(place, expected, || call.names.error(call.code));
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}

/// What a call may do to the exception that is pending on its thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Law {
    /// One that is pending before the call is pending after it.
    Kept,
    /// None is pending after the call that was not pending before.
    NotThrown,
}

/// Calls keep to a law on pending exceptions.
pub(super) struct PendingException {
    law: Law,
    /// Place of the last record on a thread, inside a call, that may have changed the pending exception: a callback may
    /// throw, or clear what was thrown.
    nested: FxHashMap<u32, u64>,
    /// Whether StopThread was called: an exception may then come at any time, on any thread.
    stopped: bool,
    observed: Observed,
}

impl PendingException {
    pub(super) fn kept() -> Self {
        PendingException::new(Law::Kept)
    }

    pub(super) fn not_thrown() -> Self {
        PendingException::new(Law::NotThrown)
    }

    fn new(law: Law) -> Self {
        PendingException { law, nested: FxHashMap::default(), stopped: false, observed: Observed::default() }
    }

    fn note(&mut self, record: &Record) {
        self.nested.insert(record.thread, record.seq);
    }
}

impl UniversalRule for PendingException {
    fn assertion(&self) -> &'static str {
        match self.law {
            Law::Kept => "universal/pending-exception-kept",
            Law::NotThrown => "universal/no-exception-thrown",
        }
    }

    fn begun(&mut self, call: &Begun<'_>) {
        self.stopped |= call.function.name == "StopThread";
    }

    fn returned(&mut self, call: &Returned<'_>) {
        let (before, after) = call.exception;
        let applies = match self.law {
            Law::Kept => before,
            Law::NotThrown => !before && !self.stopped,
        };
        let nested = self.nested.get(&call.record.thread).is_some_and(|seq| *seq > call.call.seq);
        // A call made on another thread than the one that recorded it says nothing.
        if !applies || nested || call.record.thread != call.call.thread {
            return;
        }
        self.observed.occasions += 1;
        if before != after {
            let place = || call.place();
            let (expected, observed) = match self.law {
                Law::Kept => ("the pending exception to stay pending", "it is no longer pending"),
                Law::NotThrown => ("no exception", "an exception is pending that was not before the call"),
            };
            self.observed.broken(place, expected, || observed.to_owned());
        }
    }

    fn sent(&mut self, event: &Sent<'_>) {
        if event.in_call {
            self.note(event.record);
        }
    }

    fn other(&mut self, record: &Record, _names: &Names<'_>) {
        if matches!(record.body, Body::Jni { .. } | Body::Callback { .. }) {
            self.note(record);
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
