//! What has been reached: functions, with the codes that they returned, in states of the model.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::chance::Chance;

/// A function, a code that it returned, and the state of the model in which it did so.
pub type Triple = (u16, i32, u32);

/// What has been reached.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    reached: FxHashMap<Triple, u64>,
    /// How often each function was called.
    calls: FxHashMap<u16, u64>,
    /// How often a call of each function has reached something new of late.
    news: FxHashMap<u16, u64>,
}

impl Reached {
    /// Counts a call; whether that is new.
    pub fn count(&mut self, triple: Triple) -> bool {
        *self.calls.entry(triple.0).or_default() += 1;
        let times = self.reached.entry(triple).or_default();
        *times += 1;
        let new = *times == 1;
        if new {
            *self.news.entry(triple.0).or_default() += 1;
        }
        new
    }

    /// How many different triples have been reached.
    pub fn len(&self) -> usize {
        self.reached.len()
    }

    /// Whether nothing has been reached.
    pub fn is_empty(&self) -> bool {
        self.reached.is_empty()
    }

    /// Of a few functions chosen at random, the one that most often reaches something new.
    pub fn rarest(&self, chance: &mut Chance, functions: &[u16]) -> u16 {
        let promise = |slot: u16| {
            let calls = self.calls.get(&slot).copied().unwrap_or(0) + 1;
            let news = self.news.get(&slot).copied().unwrap_or(0) + 1;
            // In thousandths.
            news * 1000 / calls
        };
        let first = *chance.pick(functions);
        let second = *chance.pick(functions);
        if promise(second) > promise(first) { second } else { first }
    }

    /// Of these functions, one of those that were called least often.
    pub fn least_called(&self, chance: &mut Chance, functions: &[u16]) -> Option<u16> {
        let calls = |slot: &u16| self.calls.get(slot).copied().unwrap_or(0);
        let least = functions.iter().map(calls).min()?;
        let mut of_them: Vec<u16> = functions.iter().copied().filter(|slot| calls(slot) == least).collect();
        of_them.dedup();
        Some(*chance.pick(&of_them))
    }

    /// The functions that were called, and the codes that each returned.
    pub fn codes(&self) -> FxHashMap<u16, FxHashSet<i32>> {
        let mut codes: FxHashMap<u16, FxHashSet<i32>> = FxHashMap::default();
        for (function, code, _) in self.reached.keys() {
            codes.entry(*function).or_default().insert(*code);
        }
        codes
    }

    /// Adds what another has reached.
    pub fn add(&mut self, other: &Reached) {
        for (triple, times) in &other.reached {
            *self.reached.entry(*triple).or_default() += times;
        }
        for (function, times) in &other.calls {
            *self.calls.entry(*function).or_default() += times;
        }
        for (function, times) in &other.news {
            *self.news.entry(*function).or_default() += times;
        }
    }
}
