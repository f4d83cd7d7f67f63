//! What the JVM has to keep: rules that follow what calls set, and judge what later calls say of it.
//!
//! Threads race. A call is judged by what is known only if no other call that may have changed it was under way at the same
//! time; what two such calls have left is not known.

mod breakpoints;
mod capabilities;
mod lasting;
mod raw_monitors;
mod storage;
mod suspension;

use std::hash::Hash;

use jvmti_spec::Edition;
use rustc_hash::FxHashMap;

pub(super) use self::breakpoints::Breakpoints;
pub(super) use self::capabilities::Possessed;
pub(super) use self::lasting::Lasting;
pub(super) use self::raw_monitors::RawMonitors;
pub(super) use self::storage::Storage;
pub(super) use self::suspension::Suspension;

/// What functions do, by slot, of those that the edition has.
fn by_slot<R>(spec: &Edition, roles: impl IntoIterator<Item = (&'static str, R)>) -> FxHashMap<u16, R> {
    roles.into_iter().filter_map(|(name, role)| Some((spec.function(name)?.slot, role))).collect()
}

/// What is known of things that calls set, by key.
struct Kept<K, V> {
    entries: FxHashMap<K, Entry<V>>,
    begun: FxHashMap<u32, Begun<K>>,
    /// Counts what begins and ends.
    moment: u64,
    /// The number of calls under way that may change anything.
    sweeping: u32,
    /// When the last of these began or ended.
    swept: u64,
}

struct Entry<V> {
    value: Option<V>,
    /// The number of calls under way that may change it.
    changing: u32,
    /// When the last of these began or ended.
    changed: u64,
}

enum Begun<K> {
    /// A call that is about one key.
    About { key: K, changes: bool, alone: bool, moment: u64 },
    /// A call that may change all.
    Sweep,
}

/// A call about one key that has returned.
struct Ended<K, V> {
    key: K,
    /// Whether nothing else may have changed it meanwhile.
    undisturbed: bool,
    /// What was known during the whole call.
    known: Option<V>,
}

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        let (entries, begun) = (FxHashMap::default(), FxHashMap::default());
        Kept { entries, begun, moment: 0, sweeping: 0, swept: 0 }
    }
}

impl<K: Clone + Eq + Hash, V: Clone> Kept<K, V> {
    fn entry(&mut self, key: K) -> &mut Entry<V> {
        self.entries.entry(key).or_insert(Entry { value: None, changing: 0, changed: 0 })
    }

    /// A call begins that tells what is kept under the key, or changes it.
    fn begin(&mut self, call: u32, key: K, changes: bool) {
        self.moment += 1;
        let (moment, sweeping) = (self.moment, self.sweeping);
        let entry = self.entry(key.clone());
        let alone = entry.changing == 0 && sweeping == 0;
        if changes {
            entry.changing += 1;
            entry.changed = moment;
        }
        self.begun.insert(call, Begun::About { key, changes, alone, moment });
    }

    /// A call begins that may change what is kept under these keys.
    fn begin_sweep(&mut self, call: u32, which: impl Fn(&K) -> bool) {
        self.sweeping += 1;
        self.begun.insert(call, Begun::Sweep);
        self.sweep(which);
    }

    /// What is kept under these keys may have changed.
    fn sweep(&mut self, which: impl Fn(&K) -> bool) {
        self.moment += 1;
        self.swept = self.moment;
        self.entries.iter_mut().filter(|(key, _)| which(key)).for_each(|(_, entry)| entry.value = None);
    }

    /// A call has returned. `None`: it is not about one key.
    fn end(&mut self, call: u32, swept: impl Fn(&K) -> bool) -> Option<Ended<K, V>> {
        match self.begun.remove(&call)? {
            Begun::Sweep => {
                self.sweeping = self.sweeping.saturating_sub(1);
                self.sweep(swept);
                None
            }
            Begun::About { key, changes, alone, moment } => {
                self.moment += 1;
                let (now, swept) = (self.moment, self.swept);
                let entry = self.entry(key.clone());
                let undisturbed = alone && entry.changed <= moment && swept <= moment;
                if changes {
                    entry.changing = entry.changing.saturating_sub(1);
                    entry.changed = now;
                }
                let known = entry.value.clone().filter(|_| undisturbed);
                Some(Ended { key, undisturbed, known })
            }
        }
    }

    /// This is kept under the key now. `None`: that is not known.
    fn set(&mut self, key: K, value: Option<V>) {
        self.entry(key).value = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(_: &u8) -> bool {
        true
    }

    #[test]
    fn what_was_set_is_known() {
        let mut kept = Kept::default();
        kept.begin(1, 7u8, true);
        assert!(kept.end(1, all).is_some_and(|ended| ended.undisturbed && ended.known.is_none()));
        kept.set(7, Some("a"));
        kept.begin(2, 7, false);
        kept.begin(3, 7, false);
        assert_eq!(kept.end(2, all).and_then(|ended| ended.known), Some("a"));
        assert_eq!(kept.end(3, all).and_then(|ended| ended.known), Some("a"), "readers do not disturb");
    }

    #[test]
    fn what_overlaps_with_a_change_is_not_known() {
        for (change, read) in [(1, 2), (2, 1)] {
            let mut kept = Kept::default();
            kept.set(7u8, Some("a"));
            for call in [1, 2] {
                kept.begin(call, 7, call == change);
            }
            assert!(kept.end(read, all).is_some_and(|ended| !ended.undisturbed && ended.known.is_none()));
            assert!(kept.end(change, all).is_some_and(|ended| ended.undisturbed), "a reader changes nothing");
        }
        let mut kept = Kept::default();
        kept.set(7u8, Some("a"));
        kept.begin(1, 7, false);
        kept.begin(2, 7, true);
        kept.end(2, all);
        assert!(kept.end(1, all).is_some_and(|ended| !ended.undisturbed), "it came and went meanwhile");
        kept.begin(3, 8, true);
        kept.begin(4, 7, false);
        assert!(kept.end(4, all).is_some_and(|ended| ended.undisturbed), "the change of another key");
    }

    #[test]
    fn sweeps_make_all_unknown() {
        let mut kept = Kept::default();
        kept.set(7u8, Some("a"));
        kept.set(8, Some("b"));
        kept.begin_sweep(1, |key| *key == 7);
        kept.begin(2, 8, false);
        assert!(kept.end(2, all).is_some_and(|ended| !ended.undisturbed), "one is under way");
        assert!(kept.end(1, |key| *key == 7).is_none());
        let mut known = |call, key| {
            kept.begin(call, key, false);
            kept.end(call, all).and_then(|ended| ended.known)
        };
        assert_eq!((known(3, 7), known(4, 8)), (None, Some("b")));
    }
}
