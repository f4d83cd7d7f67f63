//! An account of what callbacks create, so that a rule can tell whether there is more of it with each callback.

use std::collections::BTreeMap;
use std::hash::Hash;

use jvmti_wire::trace::Record;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{MANY_CALLBACKS, When};
use crate::agent_state::Delivery;

/// Something that a callback has created, and that has not ended.
struct Created<C> {
    creator: C,
    /// When the callback began.
    began: u64,
    when: When,
}

/// What callbacks have created, each with a handle, by what tells their creators apart.
pub(super) struct Growth<C> {
    alive: FxHashMap<u64, Created<C>>,
    all: FxHashMap<C, u64>,
}

/// A creator of which at least half is left, from at least [`MANY_CALLBACKS`] callbacks.
pub(super) struct Growing<C> {
    pub creator: C,
    /// How many are left.
    pub kept: u64,
    /// How many there were.
    pub all: u64,
    /// How many callbacks created those that are left.
    pub callbacks: usize,
    /// When the first one of them was created.
    pub first: When,
}

impl<C> Default for Growth<C> {
    fn default() -> Growth<C> {
        Growth { alive: FxHashMap::default(), all: FxHashMap::default() }
    }
}

impl<C: Copy + Ord + Hash> Growth<C> {
    /// The callback has created it.
    pub fn created(&mut self, record: &Record, delivery: &Delivery, creator: C, handle: u64) {
        *self.all.entry(creator).or_default() += 1;
        self.alive.insert(handle, Created { creator, began: delivery.at, when: record.into() });
    }

    /// It has ended, or its handle is that of something else.
    pub fn ended(&mut self, handle: u64) {
        self.alive.remove(&handle);
    }

    /// The creators of which more and more is left, in order.
    pub fn growing(&self) -> impl Iterator<Item = Growing<C>> {
        let mut left: BTreeMap<C, (u64, When, FxHashSet<u64>)> = BTreeMap::new();
        for created in self.alive.values() {
            let new = || (0, created.when, FxHashSet::default());
            let (count, first, callbacks) = left.entry(created.creator).or_insert_with(new);
            *count += 1;
            if created.when.at < first.at {
                *first = created.when;
            }
            callbacks.insert(created.began);
        }
        let growing = left.into_iter().map(|(creator, (kept, first, callbacks))| {
            let all = self.all.get(&creator).copied().unwrap_or(0);
            Growing { creator, kept, all, callbacks: callbacks.len(), first }
        });
        growing.filter(|growing| growing.callbacks >= MANY_CALLBACKS && growing.kept * 2 >= growing.all)
    }
}
