//! Counts the local references that native code holds, and the room that it has for them.
//!
//! The harness decides what the counts mean. Where the specification leaves a choice, the counts favour the agent: the
//! spare room of an outer frame counts for an inner one, and room that the agent asks for comes on top of what it holds.

use std::collections::BTreeMap;

use jvmti_wire::trace::JNI_FUNCTION;
use rustc_hash::FxHashMap;

/// The module tracks this many references at most.
const MOST: usize = 1 << 16;
/// So many references of JNI functions from one call site, beyond the room, come from a loop. Without optimisation, all calls of one
/// function in C++ come from one place in jni.h.
const LOOP: u32 = 32;
/// A record names this many origins at most.
const ORIGINS: usize = 8;

/// Where a reference comes from: slot of the function, or [`JNI_FUNCTION`] and index, and number of the call site.
pub type Origin = (u16, u32);

/// What native code holds at one moment.
#[derive(Debug, PartialEq, Eq)]
pub struct Counts {
    /// References held.
    pub held: u32,
    /// Calls that returned them. Those of JNI functions count if they come from a loop: native code without one, which finds a few
    /// classes, holds a few references for a while.
    pub calls: u32,
    /// References for which there is room: those ensured to all native code, and those that this code asked for.
    pub room: u32,
    /// The origins of most of them, with the number from each, the largest first.
    pub origins: Vec<(Origin, u32)>,
}

struct Reference {
    origin: Origin,
    call: u32,
    frame: usize,
}

/// The references that native code has got since it was entered, and still holds.
pub struct HeldReferences {
    /// The room that each local frame adds; the first is that of the native code itself.
    frames: Vec<usize>,
    references: FxHashMap<u64, Reference>,
    /// For each call the number of its references that are still held.
    calls: FxHashMap<u32, u32>,
    next_call: u32,
    /// Numbers of references and of calls in the last record.
    recorded: (usize, usize),
}

impl HeldReferences {
    /// The state of native code that has just been entered, and has room for this many references.
    pub fn new(ensured: usize) -> HeldReferences {
        HeldReferences {
            frames: vec![ensured],
            references: FxHashMap::default(),
            calls: FxHashMap::default(),
            next_call: 0,
            recorded: (0, 0),
        }
    }

    fn room(&self) -> usize {
        self.frames.iter().sum()
    }

    /// The native code asks for room with `EnsureLocalCapacity`.
    pub fn ensure(&mut self, wanted: usize) {
        let missing = (self.references.len() + wanted).saturating_sub(self.room());
        if let Some(frame) = self.frames.last_mut() {
            *frame += missing;
        }
    }

    /// The native code pushes a local frame with room for this many.
    pub fn push(&mut self, wanted: usize) {
        self.frames.push(wanted);
    }

    /// The native code pops the last local frame, which deletes the references made in it.
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

    /// The native code deletes a reference.
    pub fn delete(&mut self, reference: u64) {
        if let Some(reference) = self.references.remove(&reference) {
            forget(&mut self.calls, reference.call);
        }
    }

    /// A call has returned references. The result is `false` if one of them is held already: then the probe has missed
    /// its deletion.
    pub fn add(&mut self, origin: Origin, references: &[u64]) -> bool {
        let (call, frame) = (self.next_call, self.frames.len() - 1);
        let mut is_new = true;
        for reference in references.iter().take(MOST - self.references.len().min(MOST)) {
            match self.references.insert(*reference, Reference { origin, call, frame }) {
                None => *self.calls.entry(call).or_default() += 1,
                // An array may contain the same reference twice.
                Some(before) => is_new &= before.call == call,
            }
        }
        self.next_call += 1;
        is_new
    }

    /// The counts, if they are worth a record now. A record for every reference would slow the agent down, so there is
    /// one when the room is used up, and one each time that the numbers have doubled since.
    pub fn grown(&mut self) -> Option<Counts> {
        let (held, calls, room) = (self.references.len(), self.calls.len(), self.room());
        let has_grown = held >= 2 * self.recorded.0 || (calls > room && calls >= 2 * self.recorded.1);
        if held > room && has_grown { Some(self.counts()) } else { None }
    }

    /// The counts, if they are worth a record when the native code returns.
    pub fn at_return(&mut self) -> Option<Counts> {
        (self.references.len() > self.room().max(self.recorded.0)).then(|| self.counts())
    }

    fn counts(&mut self) -> Counts {
        let (held, calls, room) = (self.references.len(), self.calls.len(), self.room());
        self.recorded = (held, if calls > room { calls } else { 0 });
        let mut counts: BTreeMap<Origin, u32> = BTreeMap::new();
        self.references.values().for_each(|held| *counts.entry(held.origin).or_default() += 1);
        let mut origins: Vec<(Origin, u32)> = counts.into_iter().collect();
        origins.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let few = |((function, _), count): &&(Origin, u32)| {
            function & JNI_FUNCTION != 0 && *count <= number(room) + LOOP
        };
        let alone: u32 = origins.iter().filter(few).map(|(_, count)| *count).sum();
        origins.truncate(ORIGINS);
        Counts { held: number(held), calls: number(calls).saturating_sub(alone), room: number(room), origins }
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

    /// Makes as many calls; each returns one reference, the first of them this one.
    fn give(references: &mut HeldReferences, from: u64, count: u64) -> Option<Counts> {
        let mut last = None;
        for reference in from..from + count {
            assert!(references.add(HERE, &[reference]));
            last = references.grown().or(last);
        }
        last
    }

    #[test]
    fn what_exceeds_the_room_is_recorded() {
        let mut references = HeldReferences::new(16);
        assert_eq!(give(&mut references, 1, 16), None);
        let counts = Counts { held: 17, calls: 17, room: 16, origins: vec![(HERE, 17)] };
        assert_eq!(give(&mut references, 100, 1), Some(counts));
        // There is another record when they have doubled, and one at the return.
        assert_eq!(give(&mut references, 200, 16), None);
        assert_eq!(give(&mut references, 300, 1).map(|counts| counts.held), Some(34));
        assert_eq!(references.at_return(), None);
        assert_eq!(give(&mut references, 400, 1), None);
        assert_eq!(references.at_return().map(|counts| counts.held), Some(35));
    }

    #[test]
    fn what_is_deleted_is_not_held() {
        let mut references = HeldReferences::new(16);
        for reference in 0..100 {
            assert!(references.add(HERE, &[reference]));
            references.delete(reference);
            assert_eq!(references.grown(), None);
        }
        assert_eq!(give(&mut references, 0, 16), None);
        assert_eq!(references.at_return(), None);
    }

    #[test]
    fn frames_have_room_and_take_what_was_made_in_them() {
        let mut references = HeldReferences::new(16);
        assert_eq!(give(&mut references, 0, 16), None);
        for _ in 0..100 {
            references.push(10);
            assert_eq!(give(&mut references, 100, 10), None);
            references.pop();
        }
        // Popping a frame too many is the agent's own affair.
        references.pop();
        assert_eq!(give(&mut references, 0, 16), None);
        references.push(0);
        assert_eq!(give(&mut references, 100, 1).map(|counts| counts.room), Some(16));
    }

    #[test]
    fn room_that_is_asked_for_is_beyond_what_is_held() {
        let mut references = HeldReferences::new(16);
        assert_eq!(give(&mut references, 0, 10), None);
        references.ensure(20);
        assert_eq!(give(&mut references, 100, 20), None);
        assert_eq!(give(&mut references, 200, 1).map(|counts| (counts.held, counts.room)), Some((31, 30)));
    }

    #[test]
    fn one_call_may_give_many() {
        let mut references = HeldReferences::new(16);
        assert!(references.add((7, 3), &(0..40).collect::<Vec<_>>()));
        let counts = references.grown().map(|counts| (counts.held, counts.calls, counts.origins));
        assert_eq!(counts, Some((40, 1, vec![((7, 3), 40)])));
        // So many calls are worth a record, although the number of references has not doubled.
        assert_eq!(give(&mut references, 100, 17).map(|counts| counts.calls), Some(17));
        assert_eq!(give(&mut references, 200, 10), None);
    }

    #[test]
    fn what_jni_functions_give_counts_where_it_is_a_loop() {
        let mut references = HeldReferences::new(16);
        for site in 0..20 {
            assert!(references.add((JNI_FUNCTION | 6, site), &[u64::from(site)]));
        }
        assert_eq!(references.grown().map(|counts| (counts.held, counts.calls)), Some((20, 0)));
        for reference in 100..149 {
            assert!(references.add((JNI_FUNCTION | 31, 7), &[reference]));
        }
        let counts = references.grown().map(|counts| (counts.held, counts.calls, counts.origins[0]));
        assert_eq!(counts, Some((69, 49, ((JNI_FUNCTION | 31, 7), 49))));
    }

    #[test]
    fn one_that_is_given_twice_has_been_deleted_unseen() {
        let mut references = HeldReferences::new(16);
        assert!(references.add(HERE, &[1, 2, 1]));
        assert!(!references.add(HERE, &[2]));
    }
}
