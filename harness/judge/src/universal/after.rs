//! No event comes after an environment was disposed of, and none after VMDeath.

use jvmti_traces::Names;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Kind, Observed, Sent, UniversalRule};

/// A disposed environment gets no further event; callbacks that were running go on.
#[derive(Default)]
pub(super) struct AfterDispose {
    /// Environments gone, by the thread that disposed of them.
    gone: FxHashMap<u32, u32>,
    /// Threads that may have been on their way into a callback, and have got there since.
    late: FxHashSet<(u32, u32)>,
    observed: Observed,
}

impl UniversalRule for AfterDispose {
    fn assertion(&self) -> &'static str {
        "universal/nothing-after-dispose"
    }

    fn sent(&mut self, event: &Sent<'_>) {
        if self.gone.is_empty() {
            return;
        }
        let Some(disposer) = self.gone.get(&event.environment) else { return };
        let here = event.record.thread;
        if *disposer != here && self.late.insert((event.environment, here)) {
            return;
        }
        let place = || event.names.event_with(event.event.number, event.args);
        let expected = format!("no event in environment {}, which is disposed of", event.environment);
        self.observed.broken(place, &expected, || "it came".to_owned());
    }

    fn other(&mut self, record: &Record, _names: &Names<'_>) {
        if let Body::EnvironmentGone { environment } = record.body {
            self.observed.occasions += 1;
            self.gone.insert(environment, record.thread);
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}

/// No event comes after VMDeath: after its last callback has returned.
#[derive(Default)]
pub(super) struct AfterVmDeath {
    number: Option<u16>,
    /// Whether a VMDeath callback is running.
    running: bool,
    /// The thread on which the last one returned.
    dead_on: Option<u32>,
    late: FxHashSet<(u32, u32)>,
    observed: Observed,
}

impl UniversalRule for AfterVmDeath {
    fn assertion(&self) -> &'static str {
        "universal/nothing-after-vm-death"
    }

    fn sent(&mut self, event: &Sent<'_>) {
        if event.kind == Kind::VmDeath {
            // Environments get it one after the other: what came in between was not after all of them.
            *self = AfterVmDeath { number: Some(event.event.number), running: true, ..Default::default() };
            self.observed.occasions = 1;
            return;
        }
        let here = event.record.thread;
        let Some(thread) = self.dead_on.filter(|_| !self.running) else { return };
        if thread != here && self.late.insert((event.environment, here)) {
            return;
        }
        let place = || event.names.event_with(event.event.number, event.args);
        self.observed.broken(place, "no event after VMDeath", || {
            format!("it came on thread {here}, after the last VMDeath callback had returned")
        });
    }

    fn other(&mut self, record: &Record, _names: &Names<'_>) {
        if let Body::EventEnd { event } = record.body
            && Some(event) == self.number
        {
            self.running = false;
            self.dead_on = Some(record.thread);
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
