//! What every call keeps to: the codes that it may return, and the exception that may be pending.

use jvmti_spec::Edition;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Observed, Returned, Rule, Sent};

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

impl Rule for ListedErrors {
    fn assertion(&self) -> &'static str {
        "universal/returned-error-is-listed"
    }

    fn returned(&mut self, call: &Returned<'_>) {
        self.observed.occasions += 1;
        if call.code != 0 && self.listed.get(&call.function.slot).is_some_and(|l| !l.contains(&call.code)) {
            let place = || call.names.call(call.function.slot, &call.call.args);
            let expected = "an error that the function's table lists, or a universal one";
            self.observed.broken(place, expected, || call.names.error(call.code));
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}

/// Calls in which something else ran on the thread: a callback may throw, or clear what was thrown.
#[derive(Default)]
struct Nested {
    /// Place of the last record on a thread that may have changed the pending exception.
    last: FxHashMap<u32, u64>,
}

impl Nested {
    fn note(&mut self, record: &Record) {
        self.last.insert(record.thread, record.seq);
    }

    fn is(&self, call: &Returned<'_>) -> bool {
        self.last.get(&call.record.thread).is_some_and(|seq| *seq > call.call.seq)
    }
}

/// An exception that is pending before a call is pending after it.
#[derive(Default)]
pub(super) struct ExceptionKept {
    nested: Nested,
    observed: Observed,
}

impl Rule for ExceptionKept {
    fn assertion(&self) -> &'static str {
        "universal/pending-exception-kept"
    }

    fn returned(&mut self, call: &Returned<'_>) {
        // A call made on another thread than the one that recorded it says nothing.
        if !call.exception.0 || call.record.thread != call.call.thread || self.nested.is(call) {
            return;
        }
        self.observed.occasions += 1;
        if !call.exception.1 {
            let place = || call.names.call(call.function.slot, &call.call.args);
            let expected = "the exception that was pending to be pending still";
            self.observed.broken(place, expected, || "it is gone".to_owned());
        }
    }

    fn sent(&mut self, event: &Sent<'_>) {
        if event.in_call {
            self.nested.note(event.record);
        }
    }

    fn other(&mut self, record: &Record) {
        if matches!(record.body, Body::Jni { .. } | Body::Callback { .. }) {
            self.nested.note(record);
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}

/// No call leaves an exception pending that was not pending before.
#[derive(Default)]
pub(super) struct NoExceptionThrown {
    nested: Nested,
    /// Whether StopThread was called: an exception may then come at any time, on any thread.
    stopped: bool,
    observed: Observed,
}

impl Rule for NoExceptionThrown {
    fn assertion(&self) -> &'static str {
        "universal/no-exception-thrown"
    }

    fn begun(&mut self, call: &super::Begun<'_>) {
        self.stopped |= call.function.name == "StopThread";
    }

    fn returned(&mut self, call: &Returned<'_>) {
        let told = !call.exception.0 && call.record.thread == call.call.thread;
        if !told || self.stopped || self.nested.is(call) {
            return;
        }
        self.observed.occasions += 1;
        if call.exception.1 {
            let place = || call.names.call(call.function.slot, &call.call.args);
            let observed = || "an exception is pending that was not before the call".to_owned();
            self.observed.broken(place, "no exception", observed);
        }
    }

    fn sent(&mut self, event: &Sent<'_>) {
        if event.in_call {
            self.nested.note(event.record);
        }
    }

    fn other(&mut self, record: &Record) {
        if matches!(record.body, Body::Jni { .. } | Body::Callback { .. }) {
            self.nested.note(record);
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
