//! An account of what callbacks and rounds of loops create, so that a rule can tell whether there is more of it with each one.

use std::collections::BTreeMap;
use std::hash::Hash;

use jvmti_wire::trace::Record;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{MANY_CALLBACKS, When};

/// Something that a round has created, and that has not ended.
struct Created<C> {
    creator: C,
    /// When the round began.
    began: u64,
    when: When,
}

/// What rounds have created, each with a handle, by what tells their creators apart.
pub(super) struct Growth<C> {
    alive: FxHashMap<u64, Created<C>>,
    all: FxHashMap<C, u64>,
}

/// A creator of which at least half is left, from at least [`MANY_CALLBACKS`] rounds.
pub(super) struct Growing<C> {
    pub creator: C,
    /// How many are left.
    pub kept: u64,
    /// How many there were.
    pub all: u64,
    /// How many rounds created those that are left.
    pub rounds: usize,
    /// When the first one of them was created.
    pub first: When,
}

impl<C> Default for Growth<C> {
    fn default() -> Growth<C> {
        Growth { alive: FxHashMap::default(), all: FxHashMap::default() }
    }
}

impl<C: Copy + Ord + Hash> Growth<C> {
    /// The round that began at that time has created it.
    pub fn created(&mut self, record: &Record, began: u64, creator: C, handle: u64) {
        *self.all.entry(creator).or_default() += 1;
        self.alive.insert(handle, Created { creator, began, when: record.into() });
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
            let (count, first, rounds) = left.entry(created.creator).or_insert_with(new);
            *count += 1;
            if created.when.at < first.at {
                *first = created.when;
            }
            rounds.insert(created.began);
        }
        let growing = left.into_iter().map(|(creator, (kept, first, rounds))| {
            let all = self.all.get(&creator).copied().unwrap_or(0);
            Growing { creator, kept, all, rounds: rounds.len(), first }
        });
        growing.filter(|growing| growing.rounds >= MANY_CALLBACKS && growing.kept * 2 >= growing.all)
    }
}
