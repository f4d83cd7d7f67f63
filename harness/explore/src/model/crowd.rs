//! Several threads that act at the same time: only what holds in every order of their calls is known.

use super::conditions::Calling;
use super::state::Tri;
use super::{Breach, CallEnd, INTERNAL, Model};
use crate::cast;
use crate::sequence::EventHandler;

impl Model<'_> {
    /// Whether threads of the agent act while the sequence goes on.
    pub(crate) fn is_crowd(&self) -> bool {
        self.handlers.iter().any(EventHandler::is_on_agent_thread)
    }

    /// Forgets what any of the threads may have changed.
    pub(super) fn blur_all(&mut self) {
        for thread in &mut self.state.threads {
            thread.suspended = Tri::Maybe;
            thread.interrupted = Tri::Maybe;
            thread.alive = Tri::Maybe;
            thread.undisturbed = false;
            thread.frames = None;
        }
        for environment in &mut self.state.environments {
            environment.blurred = true;
            environment.potential = None;
        }
        self.state.interrupted = Tri::Maybe;
        self.state.main_frames = None;
        self.state.locals = cast::VARIABLES.iter().map(|(slot, _)| (*slot, None)).collect();
    }

    /// Judges the error of a call by what its arguments alone decide, whichever thread makes it and whatever the others do.
    pub(super) fn judge_in_crowd(&mut self, calling: Calling<'_>, ended: &CallEnd<'_>) -> Vec<Breach> {
        self.blur_all();
        let name = calling.function.name.as_str();
        // Who owns a monitor and what is disposed of is for the generator to know.
        if name.contains("RawMonitor") || matches!(name, "RunAgentThread" | "DisposeEnvironment") {
            return vec![];
        }
        // Until the thread is resumed, the state of a stack from which a frame was popped is undefined.
        let leaves = name == "PopFrame" || name.starts_with("ForceEarlyReturn");
        if leaves && self.tables.error(ended.code) == INTERNAL {
            return vec![];
        }
        let allowed = self.allowed(calling.call);
        if ended.code == 0 && allowed.is_open() {
            self.state.lost = true;
        }
        self.judge_error(calling, &allowed, ended.code).into_iter().collect()
    }
}
