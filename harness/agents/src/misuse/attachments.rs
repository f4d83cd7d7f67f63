//! A rule on threads that agents attach to the JVM, and one on environments that they get.

use jvmti_wire::trace::{Body, NativeCode, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::errors::is_death;
use super::{End, Info, MANY_CALLBACKS, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static ATTACHED: Info = Info {
    id: "thread/left-attached",
    severity: Severity::Error,
    anchor: "",
    says: "detach each thread that you attach before it ends: for the JVM it would go on for good",
};
pub(super) static DETACHED: Info = Info {
    id: "thread/detached",
    severity: Severity::Error,
    anchor: "",
    says: "detach only threads that you have attached: ask GetEnv first whether the thread is attached already",
};
pub(super) static EARLY: Info = Info {
    id: "thread/attached-early",
    severity: Severity::Error,
    anchor: "VMStart",
    says: "attach threads only when the JVM has started: before that, it cannot have any",
};
pub(super) static USER: Info = Info {
    id: "thread/user",
    severity: Severity::Warning,
    anchor: "",
    says: "attach threads that go on for good by AttachCurrentThreadAsDaemon: the JVM waits for the others before it ends",
};
pub(super) static GROWING: Info = Info {
    id: "environment/growing",
    severity: Severity::Warning,
    anchor: "environments",
    says: "ask for an environment once and keep it: GetEnv creates another one each time",
};

/// Callbacks, or others, that asked for an environment at the same call site.
struct Asked {
    first: When,
    callbacks: FxHashSet<(u32, u64)>,
    environments: Vec<u32>,
}

#[derive(Default)]
pub(super) struct Attachments {
    /// The threads that are attached as user threads, and where.
    users: FxHashMap<u32, (u32, When)>,
    /// Whether the JVM has begun to end: what detaches threads then comes too late.
    ending: bool,
    asked: FxHashMap<u32, Asked>,
}

impl MisuseRule for Attachments {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        self.ending |= is_death(state, trace_event, &record.body);
        let TraceEvent::Other = trace_event else { return };
        match &record.body {
            Body::LeftAttached { site } if state.is_agents(*site) => {
                found.add(&ATTACHED, (state, record), (*site, "AttachCurrentThread"), || {
                    let thread = state.names.thread(record.thread);
                    format!("thread {thread} was attached here, and ended without DetachCurrentThread")
                });
            }
            Body::Native(NativeCode::Detached { site }) if state.is_agents(*site) => {
                found.add(&DETACHED, (state, record), (*site, "DetachCurrentThread"), || {
                    let thread = state.names.thread(record.thread);
                    let within = state.delivery(record.thread);
                    let within =
                        within.map_or_else(String::new, |own| format!(", in the callback of {}", own.name));
                    format!("thread {thread} was detached here{within}, although nobody had attached it")
                });
            }
            Body::Native(NativeCode::AttachedEarly { site }) if state.is_agents(*site) => {
                found.add(&EARLY, (state, record), (*site, "AttachCurrentThread"), || {
                    "a thread was attached here before VMStart".to_owned()
                });
            }
            Body::Native(NativeCode::UserThread { attached: true, site }) if state.is_agents(*site) => {
                self.users.insert(record.thread, (*site, record.into()));
            }
            Body::Native(NativeCode::UserThread { attached: false, .. }) | Body::ThreadEnds
                if !self.ending =>
            {
                self.users.remove(&record.thread);
            }
            Body::AgentEnvironment { environment, site, pointer, .. } if *pointer != 0 => {
                // Outside callbacks each one counts.
                let began = state.delivery(record.thread).map_or(record.at, |delivery| delivery.at);
                let asked = self.asked.entry(*site).or_insert_with(|| Asked {
                    first: record.into(),
                    callbacks: FxHashSet::default(),
                    environments: Vec::new(),
                });
                asked.callbacks.insert((record.thread, began));
                asked.environments.push(*environment);
            }
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
        // The JVM may have waited for it.
        let waited = |(_, (_, when)): &(&u32, &(u32, When))| end.is_cut_short() && when.is_long_before(last);
        for (thread, (site, when)) in self.users.iter().filter(waited) {
            found.add(&USER, (state, *when), (*site, "AttachCurrentThread"), || {
                let thread = state.names.thread(*thread);
                format!("thread {thread} was attached here as a user thread, and still was when the program was killed")
            });
        }
        for (site, asked) in &self.asked {
            let is_there = |number: &&u32| state.environments.get(number).is_some_and(|own| !own.gone);
            let left = asked.environments.iter().filter(is_there).count();
            let (callbacks, all) = (asked.callbacks.len(), asked.environments.len());
            if callbacks < MANY_CALLBACKS || left * 2 < all {
                continue;
            }
            found.add(&GROWING, (state, asked.first), (*site, "GetEnv"), || {
                format!("{all} environments were got here, {callbacks} times, of which {left} were never disposed of")
            });
        }
    }
}
