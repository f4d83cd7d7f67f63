//! Tells the rounds apart in which code of agents does the same work again: a callback, or on a thread that is in none, what follows
//! a call by which a loop waits for work or looks for it, or looks at something again.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::agent_state::{AgentState, Call};

/// Functions by which a loop begins a round: nobody calls them for one thread or class after the other.
const BEGINNINGS: [&str; 5] =
    ["RawMonitorWait", "GetAllThreads", "GetAllStackTraces", "GetTopThreadGroups", "GetLoadedClasses"];

/// Functions by which a loop looks at the same thing in each round, such as a profiler at the stack of a thread.
const LOOKS: [&str; 6] = [
    "GetStackTrace",
    "GetThreadState",
    "GetFrameCount",
    "GetThreadCpuTime",
    "GetThreadGroupChildren",
    "GetObjectsWithTags",
];

/// The number of things that a thread looks at in a round, of which it is known that it did.
const MOST_LOOKS: usize = 1 << 10;

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
pub(crate) struct Rounds {
    of: FxHashMap<u32, Round>,
    /// By thread, at what it has looked in this round: function, call site and arguments.
    looks: FxHashMap<u32, FxHashSet<(u16, u32, String)>>,
    /// How many rounds began with a look, by function and call site.
    begun: FxHashMap<(u16, u32), usize>,
}

impl Rounds {
    /// A thread that is in no callback calls the function of that name.
    pub fn called(&mut self, name: &str, call: &Call) {
        // Threads that the probe cannot tell apart have the number 0.
        if call.thread == 0 {
            return;
        }
        let after = (call.function, call.site);
        if BEGINNINGS.contains(&name) {
            self.looks.remove(&call.thread);
        } else if LOOKS.contains(&name) && self.looks_again(call) {
            *self.begun.entry(after).or_default() += 1;
        } else {
            return;
        }
        self.of.insert(call.thread, Round { at: call.at, after: Some(after) });
    }

    /// Whether the thread has looked at the same thing in this round, so that this is another one.
    fn looks_again(&mut self, call: &Call) -> bool {
        let looks = self.looks.entry(call.thread).or_default();
        let look = (call.function, call.site, format!("{:?}", call.args));
        let is_again = looks.contains(&look);
        if is_again {
            looks.clear();
        }
        if looks.len() < MOST_LOOKS {
            looks.insert(look);
        }
        is_again
    }

    /// The thread has ended.
    pub fn ended(&mut self, thread: u32) {
        self.of.remove(&thread);
        self.looks.remove(&thread);
    }

    /// The round that the thread is in, if it is in no callback.
    pub fn of(&self, thread: u32) -> Option<Round> {
        self.of.get(&thread).copied()
    }

    /// Whether so many rounds that keep something are enough to tell that all do. A loop that looks at the same thing again may
    /// remember what it has not seen before, such as the methods on a stack, but not each other time.
    pub fn are_enough(&self, after: Option<(u16, u32)>, keeping: usize) -> bool {
        after.and_then(|after| self.begun.get(&after)).is_none_or(|begun| keeping * 2 >= *begun)
    }
}
