//! Tells the rounds apart in which code of agents does the same work again: a callback, or on a thread that is in none, what follows
//! a call by which a loop waits for work or looks for it.

use jvmti_wire::trace::{Body, Record};
use rustc_hash::FxHashMap;

use crate::agent_state::{AgentState, TraceEvent};

/// Functions by which a loop begins a round: nobody calls them for one thread or class after the other.
const BEGINNINGS: [&str; 5] =
    ["RawMonitorWait", "GetAllThreads", "GetAllStackTraces", "GetTopThreadGroups", "GetLoadedClasses"];

/// A round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Round {
    /// When it began.
    pub at: u64,
    /// The function and the call site with which it began; `None`: it is a callback.
    pub after: Option<(u16, u32)>,
}

/// The rounds that threads are in outside of callbacks.
#[derive(Default)]
pub(super) struct Rounds(FxHashMap<u32, Round>);

impl Rounds {
    /// Takes the next trace event.
    pub(super) fn take(&mut self, state: &AgentState<'_>, record: &Record, trace_event: &TraceEvent<'_>) {
        // Threads that the probe cannot tell apart have the number 0.
        let is_outside = || record.thread != 0 && state.delivery(record.thread).is_none();
        let begins = |function: u16| BEGINNINGS.contains(&state.names.function(function).as_ref());
        match trace_event {
            TraceEvent::Begun(call) if is_outside() && begins(call.function) => {
                let after = Some((call.function, call.site));
                self.0.insert(record.thread, Round { at: record.at, after });
            }
            TraceEvent::Other if record.body == Body::ThreadEnds => drop(self.0.remove(&record.thread)),
            _ => {}
        }
    }

    /// The round that the thread is in.
    pub(super) fn of(&self, state: &AgentState<'_>, thread: u32) -> Option<Round> {
        let within = state.delivery(thread).map(|delivery| Round { at: delivery.at, after: None });
        within.or_else(|| self.0.get(&thread).copied())
    }
}

/// So many rounds in words, of which one is given.
pub(super) fn in_words(state: &AgentState<'_>, count: usize, one: Option<Round>) -> String {
    match one.and_then(|round| round.after) {
        Some((function, _)) => {
            format!("{count} rounds of a loop, each after a call of {}", state.names.function(function))
        }
        None => format!("{count} callbacks"),
    }
}
