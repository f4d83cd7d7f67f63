//! Calls in the callbacks of events: who makes them, and what may follow from them at any time.

use jvmti_traces::Names;
use jvmti_wire::plan::{Arg, OnThread};

use super::conditions::Calling;
use super::state::Tri;
use super::{Breach, CallEnd, Model};
use crate::sequence::{Call, EventHandler, Move};

/// Whether a function changes nothing that the model knows of.
pub fn is_quiet(name: &str) -> bool {
    name.starts_with("Get") || name.starts_with("Is")
}

impl Model<'_> {
    /// Judges how a call of the handler ended, and follows it.
    pub fn judge_inside(
        &mut self,
        call: &Call,
        ended: &CallEnd<'_>,
        names: &Names<'_>,
        handler: &EventHandler,
    ) -> Vec<Breach> {
        let on_main = handler.is_on_main();
        self.state.inside = Some(on_main);
        let breaches = self.judge(call, ended, names);
        self.state.inside = None;
        let is_quiet = self.tables.function(call.function).is_none_or(|function| is_quiet(&function.name));
        // The main thread waits for a heap function to return.
        if !on_main && !handler.is_on_heap() && ended.code == 0 && !is_quiet && !self.is_crowd() {
            // It is not known before which call of the main thread it has changed something.
            self.state.lost = true;
        }
        breaches
    }

    /// What of the state matters to coverage, for a call in a callback.
    pub fn digest_inside(&mut self, call: &Call, on_main: bool) -> u32 {
        self.state.inside = Some(on_main);
        let digest = self.digest(call);
        self.state.inside = None;
        digest
    }

    /// Whether the first argument is another object each time: one that an event is about, or a thread that only makes the call.
    pub(super) fn is_another_each_time(&self, calling: Calling<'_>) -> bool {
        match calling.arg(0) {
            Arg::EventParam(_) => true,
            Arg::CurrentThread => calling.call.on != OnThread::Current || self.state.inside == Some(false),
            _ => false,
        }
    }

    /// What handlers may have done to threads meanwhile.
    pub(crate) fn foresee_handlers(&mut self) {
        if self.handlers.is_empty() {
            return;
        }
        let mut then = self.clone();
        for step in then.handlers.split_off(0).iter().flat_map(|handler| &handler.moves) {
            let Move::Call(call) = step else { continue };
            then.foresee(step);
            if self.tables.function(call.function).is_some_and(|f| f.name.starts_with("SetLocal")) {
                self.forget_locals();
            }
        }
        for (thread, after) in self.state.threads.iter_mut().zip(then.state.threads) {
            if thread.suspended != after.suspended {
                thread.suspended = Tri::Maybe;
            }
            if thread.alive != after.alive {
                thread.alive = Tri::Maybe;
            }
            thread.undisturbed &= after.undisturbed;
            thread.asked |= after.asked;
            thread.frames = None;
        }
        for (environment, after) in self.state.environments.iter_mut().zip(then.state.environments) {
            environment.disposed |= after.disposed;
            environment.blurred = true;
        }
    }
}
