//! A rule on threads that wait on a raw monitor while they hold another one, which those that notify need.

use std::collections::{BTreeMap, BTreeSet};

use super::{Info, Severity, When};

pub(super) static NESTED: Info = Info {
    id: "monitor/nested-wait",
    severity: Severity::Warning,
    anchor: "RawMonitorWait",
    says: "do not wait on a raw monitor while you hold another one that the notifying threads need: RawMonitorWait exits only \
           the monitor that it waits on",
};

/// A thread waited on a monitor while it held others.
pub(super) struct NestedWait {
    pub(super) monitor: u64,
    /// The others.
    pub(super) held: BTreeSet<u64>,
    pub(super) site: u32,
    pub(super) when: When,
}

/// A wait that nobody can end who follows the order of the other threads, and the monitor that keeps them out.
pub(super) struct Hopeless<'w> {
    pub(super) wait: &'w NestedWait,
    pub(super) kept: u64,
    /// A thread that waits for that monitor at the end; `None`: every notification came from a thread that held it.
    pub(super) stuck: Option<u32>,
}

/// Waits on monitors under others, and what was held when monitors were notified.
#[derive(Default)]
pub(super) struct NestedWaits {
    /// By monitor and call site.
    waits: BTreeMap<(u64, u32), NestedWait>,
    /// By monitor, what all threads held that notified it.
    notified: BTreeMap<u64, BTreeSet<u64>>,
}

impl NestedWaits {
    /// A thread begins to wait.
    pub(super) fn waits(&mut self, wait: NestedWait) {
        if !wait.held.is_empty() {
            self.waits.entry((wait.monitor, wait.site)).or_insert(wait);
        }
    }

    /// A thread that holds these monitors has notified one of them.
    pub(super) fn notified(&mut self, monitor: u64, held: BTreeSet<u64>) {
        match self.notified.get_mut(&monitor) {
            Some(all) => all.retain(|one| held.contains(one)),
            None => drop(self.notified.insert(monitor, held)),
        }
    }

    /// Those that no thread could have ended. `stuck` gives a thread that waits for a monitor at the end of the trace, while
    /// the thread given waits on the other one.
    pub(super) fn hopeless(
        &self,
        stuck: impl Fn(u64, &NestedWait) -> Option<u32>,
    ) -> impl Iterator<Item = Hopeless<'_>> {
        self.waits.values().filter_map(move |wait| {
            let hopeless = |kept: &u64, stuck| Hopeless { wait, kept: *kept, stuck };
            match self.notified.get(&wait.monitor) {
                Some(held) => {
                    let kept = wait.held.iter().find(|kept| held.contains(kept));
                    kept.map(|kept| hopeless(kept, None))
                }
                None => wait.held.iter().find_map(|kept| Some(hopeless(kept, Some(stuck(*kept, wait)?)))),
            }
        })
    }
}
