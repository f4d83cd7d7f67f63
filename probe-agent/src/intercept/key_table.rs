//! A hash table from numbers to values. Many threads add entries without a lock; nothing is ever removed.

use std::sync::atomic::{AtomicU64, Ordering};

/// The largest distance of a key from the position that its hash gives.
const NEAR: usize = 64;

/// A table of `N` entries. `N` is a power of two.
pub struct KeyTable<V, const N: usize>([Entry<V>; N]);

/// An entry: a key and its value.
pub struct Entry<V> {
    /// 0: the entry is free.
    key: AtomicU64,
    value: V,
}

/// The position of a key in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The key was in the table before.
    Known(usize),
    /// The key has just been added.
    New(usize),
}

impl Position {
    /// The index, from 0.
    pub fn index(self) -> usize {
        match self {
            Position::Known(index) | Position::New(index) => index,
        }
    }
}

/// The first `bits` bits of a key's hash.
#[inline]
pub fn hash(key: u64, bits: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
}

/// An empty table. `$value`, a constant expression, is the initial value of all entries.
macro_rules! key_table {
    ($value:expr) => {
        $crate::intercept::key_table::KeyTable::of([const { $crate::intercept::key_table::entry($value) }; _])
    };
}
pub(super) use key_table;

/// A free entry, for [`key_table`].
pub const fn entry<V>(value: V) -> Entry<V> {
    Entry { key: AtomicU64::new(0), value }
}

impl<V, const N: usize> KeyTable<V, N> {
    const BITS: u32 = N.trailing_zeros();

    /// A table of free entries, for [`key_table`].
    pub const fn of(entries: [Entry<V>; N]) -> Self {
        assert!(N.is_power_of_two());
        KeyTable(entries)
    }

    /// Finds a key. If it is not in the table, and `admit` returns `true`, adds it. `None`: it is not in the table, and `admit`
    /// refused it or there is no room.
    #[inline]
    pub fn find(&self, key: u64, admit: impl FnOnce() -> bool) -> Option<Position> {
        let start = hash(key, Self::BITS);
        let mut admit = Some(admit);
        for step in 0..NEAR {
            let index = (start + step) % N;
            let place = &self.0[index].key;
            let known = place.load(Ordering::Acquire);
            if known == key {
                return Some(Position::Known(index));
            }
            if known == 0 {
                if admit.take().is_some_and(|admit| !admit()) {
                    return None;
                }
                match place.compare_exchange(0, key, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => return Some(Position::New(index)),
                    Err(other) if other == key => return Some(Position::Known(index)),
                    Err(_) => {}
                }
            }
        }
        None
    }

    /// The value of that index.
    #[inline]
    pub fn value(&self, index: usize) -> Option<&V> {
        self.0.get(index).map(|entry| &entry.value)
    }

    /// All keys in the table, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &V)> {
        let key = |entry: &Entry<V>| entry.key.load(Ordering::Acquire);
        self.0.iter().map(move |entry| (key(entry), &entry.value)).filter(|(key, _)| *key != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_one_place_whoever_comes_first() {
        let table: KeyTable<AtomicU64, 1024> = key_table!(AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for key in 1..=500 {
                        let place = table.find(key, || true).unwrap();
                        table.value(place.index()).unwrap().fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert!(table.iter().all(|(_, count)| count.load(Ordering::Relaxed) == 4));
        assert_eq!(table.iter().count(), 500);
        assert!(matches!(table.find(7, || false), Some(Position::Known(_))));
    }

    #[test]
    fn what_is_not_admitted_or_has_no_room_is_nowhere() {
        let table: KeyTable<(), 64> = key_table!(());
        assert_eq!(table.find(1, || false), None);
        assert!((1..=64).all(|key| matches!(table.find(key, || true), Some(Position::New(_)))));
        assert_eq!(table.find(65, || true), None);
    }
}
