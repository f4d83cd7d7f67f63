//! Tells the rounds apart in which code of agents does the same work again: a callback, or on a thread that is in none, what follows
//! a call by which a loop waits for work or looks for it.

use rustc_hash::FxHashMap;

use crate::agent_state::{AgentState, Call};

/// Functions by which a loop begins a round: nobody calls them for one thread or class after the other.
const BEGINNINGS: [&str; 5] =
    ["RawMonitorWait", "GetAllThreads", "GetAllStackTraces", "GetTopThreadGroups", "GetLoadedClasses"];

/// A round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Round {
    /// When it began.
    pub at: u64,
    /// The function and the call site with which it began; `None`: it is a callback.
    pub after: Option<(u16, u32)>,
}

impl Round {
    /// So many rounds in words, of which this is one.
    pub fn in_words(self, state: &AgentState<'_>, count: usize) -> String {
        match self.after {
            Some((function, _)) => {
                format!("{count} rounds of a loop, each after a call of {}", state.names.function(function))
            }
            None => format!("{count} callbacks"),
        }
    }
}

/// The rounds of loops that threads are in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds(FxHashMap<u32, Round>);

impl Rounds {
    /// A thread that is in no callback calls the function of that name.
    pub fn called(&mut self, name: &str, call: &Call) {
        // Threads that the probe cannot tell apart have the number 0.
        if call.thread != 0 && BEGINNINGS.contains(&name) {
            let after = Some((call.function, call.site));
            self.0.insert(call.thread, Round { at: call.at, after });
        }
    }

    /// The thread has ended.
    pub fn ended(&mut self, thread: u32) {
        self.0.remove(&thread);
    }

    /// The round that the thread is in, if it is in no callback.
    pub fn of(&self, thread: u32) -> Option<Round> {
        self.0.get(&thread).copied()
    }
}
