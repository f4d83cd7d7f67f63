//! The local references that native code holds, and how many it has been ensured room for.
//!
//! Where the specification leaves a choice, it is counted in favour of the agent: room that one frame has left is there
//! for the next, and what is asked for comes on top of what is held.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// How many a thread may make without asking for more.
const ENSURED: usize = 16;
/// How many are told apart; who holds more has been told of.
const MOST: usize = 1 << 16;
/// How many places are told of at once.
const PLACES: usize = 8;

/// Where a reference comes from: slot of the function, and the place that called it.
pub type Origin = (u16, u32);

/// More are held than there is room for.
#[derive(Debug, PartialEq, Eq)]
pub struct Excess {
    /// How many are held.
    pub held: u32,
    /// How many calls gave them.
    pub calls: u32,
    /// For how many there is room.
    pub room: u32,
    /// Where most come from, and how many: the most first.
    pub origins: Vec<(Origin, u32)>,
}

struct Reference {
    origin: Origin,
    call: u32,
    frame: usize,
}

/// What native code holds since it was entered.
pub struct Capacity {
    /// Room that each local frame adds; the first is that of the native code itself.
    frames: Vec<usize>,
    references: FxHashMap<u64, Reference>,
    /// How many of each call are left.
    calls: FxHashMap<u32, u32>,
    next_call: u32,
    /// References and calls that have been told of.
    told: (usize, usize),
}

impl Capacity {
    /// Native code is entered.
    pub fn new() -> Capacity {
        Capacity {
            frames: vec![ENSURED],
            references: FxHashMap::default(),
            calls: FxHashMap::default(),
            next_call: 0,
            told: (0, 0),
        }
    }

    fn room(&self) -> usize {
        self.frames.iter().sum()
    }

    /// Room is asked for.
    pub fn ensure(&mut self, wanted: usize) {
        let missing = (self.references.len() + wanted).saturating_sub(self.room());
        if let Some(frame) = self.frames.last_mut() {
            *frame += missing;
        }
    }

    /// A frame is pushed.
    pub fn push(&mut self, wanted: usize) {
        self.frames.push(wanted);
    }

    /// The last frame is popped, with what was made in it.
    pub fn pop(&mut self) {
        let frame = self.frames.len() - 1;
        if frame > 0 {
            self.frames.pop();
        }
        let calls = &mut self.calls;
        self.references.retain(|_, reference| {
            let stays = reference.frame < frame;
            if !stays {
                forget(calls, reference.call);
            }
            stays
        });
    }

    /// A reference is deleted.
    pub fn delete(&mut self, reference: u64) {
        if let Some(reference) = self.references.remove(&reference) {
            forget(&mut self.calls, reference.call);
        }
    }

    /// A call has given references. `false`: one of them is held already, so that a deletion was not seen.
    pub fn give(&mut self, origin: Origin, references: &[u64]) -> bool {
        let (call, frame) = (self.next_call, self.frames.len() - 1);
        let mut is_new = true;
        for reference in references.iter().take(MOST - self.references.len().min(MOST)) {
            match self.references.insert(*reference, Reference { origin, call, frame }) {
                None => *self.calls.entry(call).or_default() += 1,
                // An array may have the same one twice.
                Some(before) => is_new &= before.call == call,
            }
        }
        self.next_call += 1;
        is_new
    }

    /// What is to be told now: first when there are too many, then whenever they have doubled.
    pub fn grown(&mut self) -> Option<Excess> {
        let (held, calls, room) = (self.references.len(), self.calls.len(), self.room());
        let has_grown = held >= 2 * self.told.0 || (calls > room && calls >= 2 * self.told.1);
        if held > room && has_grown { Some(self.tell()) } else { None }
    }

    /// What is still to be told when the native code returns.
    pub fn left(&mut self) -> Option<Excess> {
        (self.references.len() > self.room().max(self.told.0)).then(|| self.tell())
    }

    fn tell(&mut self) -> Excess {
        let (held, calls, room) = (self.references.len(), self.calls.len(), self.room());
        self.told = (held, if calls > room { calls } else { 0 });
        let mut counts: BTreeMap<Origin, u32> = BTreeMap::new();
        self.references.values().for_each(|held| *counts.entry(held.origin).or_default() += 1);
        let mut origins: Vec<(Origin, u32)> = counts.into_iter().collect();
        origins.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        origins.truncate(PLACES);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Excess { held: number(held), calls: number(calls), room: number(room), origins }
    }
}

fn forget(calls: &mut FxHashMap<u32, u32>, call: u32) {
    if let Some(left) = calls.get_mut(&call) {
        *left -= 1;
        if *left == 0 {
            calls.remove(&call);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Origin = (1, 1);

    /// As many calls, each of which gives one reference, from that address on.
    fn give(capacity: &mut Capacity, from: u64, count: u64) -> Option<Excess> {
        let mut told = None;
        for reference in from..from + count {
            assert!(capacity.give(HERE, &[reference]));
            told = capacity.grown().or(told);
        }
        told
    }

    #[test]
    fn sixteen_are_ensured() {
        let mut capacity = Capacity::new();
        assert_eq!(give(&mut capacity, 1, 16), None);
        let excess = Excess { held: 17, calls: 17, room: 16, origins: vec![(HERE, 17)] };
        assert_eq!(give(&mut capacity, 100, 1), Some(excess));
        // Told again when they have doubled, and at last.
        assert_eq!(give(&mut capacity, 200, 16), None);
        assert_eq!(give(&mut capacity, 300, 1).map(|excess| excess.held), Some(34));
        assert_eq!(capacity.left(), None);
        assert_eq!(give(&mut capacity, 400, 1), None);
        assert_eq!(capacity.left().map(|excess| excess.held), Some(35));
    }

    #[test]
    fn what_is_deleted_is_not_held() {
        let mut capacity = Capacity::new();
        for reference in 0..100 {
            assert!(capacity.give(HERE, &[reference]));
            capacity.delete(reference);
            assert_eq!(capacity.grown(), None);
        }
        assert_eq!(give(&mut capacity, 0, 16), None);
        assert_eq!(capacity.left(), None);
    }

    #[test]
    fn frames_have_room_and_take_what_was_made_in_them() {
        let mut capacity = Capacity::new();
        assert_eq!(give(&mut capacity, 0, 16), None);
        for _ in 0..100 {
            capacity.push(10);
            assert_eq!(give(&mut capacity, 100, 10), None);
            capacity.pop();
        }
        // A frame too many is the agent's own affair.
        capacity.pop();
        assert_eq!(give(&mut capacity, 0, 16), None);
        capacity.push(0);
        assert_eq!(give(&mut capacity, 100, 1).map(|excess| excess.room), Some(16));
    }

    #[test]
    fn room_that_is_asked_for_is_beyond_what_is_held() {
        let mut capacity = Capacity::new();
        assert_eq!(give(&mut capacity, 0, 10), None);
        capacity.ensure(20);
        assert_eq!(give(&mut capacity, 100, 20), None);
        assert_eq!(give(&mut capacity, 200, 1).map(|excess| (excess.held, excess.room)), Some((31, 30)));
    }

    #[test]
    fn one_call_may_give_many() {
        let mut capacity = Capacity::new();
        assert!(capacity.give((7, 3), &(0..40).collect::<Vec<_>>()));
        let excess = capacity.grown().map(|excess| (excess.held, excess.calls, excess.origins));
        assert_eq!(excess, Some((40, 1, vec![((7, 3), 40)])));
        // That many calls are another matter, and told although the references have not doubled.
        assert_eq!(give(&mut capacity, 100, 17).map(|excess| excess.calls), Some(17));
        assert_eq!(give(&mut capacity, 200, 10), None);
    }

    #[test]
    fn one_that_is_given_twice_has_been_deleted_unseen() {
        let mut capacity = Capacity::new();
        assert!(capacity.give(HERE, &[1, 2, 1]));
        assert!(!capacity.give(HERE, &[2]));
    }
}
