//! Values that mean nothing and are recognised: poison (see [`super::poison`]) consists of them.

use std::sync::atomic::{AtomicU32, Ordering};

use jvmti_wire::trace::COUNTED_DEALLOCATION;

/// Begins the marks in outputs.
pub(super) const OUTPUT: u64 = 0xbad0;
/// Begins the marks in memory.
const MEMORY: u64 = 0xbadf;

/// The mark in memory that this call of Deallocate has returned.
pub fn deallocated_by(call: u32) -> u64 {
    MEMORY << 48 | u64::from(call)
}

/// The mark in memory that a counted call of Deallocate from this call site has returned.
pub fn deallocated_at(site: u32) -> u64 {
    COUNTED_DEALLOCATION | u64::from(site)
}

/// Whether a word is a mark.
pub fn is_mark(word: u64) -> bool {
    matches!(word >> 48, OUTPUT | MEMORY)
}

/// Whether a word may be a mark, or have one of 32 bits in its lower half. One in 4096 other words may, too.
#[inline]
pub fn may_be_mark(word: u64) -> bool {
    word as u32 >> 20 == SHORT_MARKS >> 20 || is_mark(word)
}

/// Begins the marks of 32 bits.
const SHORT_MARKS: u32 = 0xbad0_0000;
/// How many marks of 32 bits there are.
const SHORT: u32 = 1 << 20;

/// Gives out marks for outputs of 32 bits: negative numbers, another one each time.
pub(super) struct ShortMarks(AtomicU32);

impl ShortMarks {
    /// None has been given out.
    pub(super) const fn new() -> ShortMarks {
        ShortMarks(AtomicU32::new(0))
    }

    /// A mark. `None`: all have been given out, and to give one again would be to name the wrong call.
    pub(super) fn next(&self) -> Option<i32> {
        let next = |next| (next < SHORT).then_some(next + 1);
        let number = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        number.ok().map(|number| (SHORT_MARKS | number).cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn marks_in_memory_tell_calls_from_call_sites() {
        for number in [0, 1, u32::MAX] {
            let [by, at] = [deallocated_by(number), deallocated_at(number)];
            assert!(is_mark(by) && is_mark(at) && by != at);
            assert_eq!([by as u32, at as u32], [number; 2]);
            assert_eq!(at >> 32 << 32, COUNTED_DEALLOCATION);
        }
    }

    #[test]
    fn no_short_mark_is_given_twice() {
        let marks = ShortMarks::new();
        let given: BTreeSet<i32> = std::iter::from_fn(|| marks.next()).collect();
        assert_eq!(given.len(), SHORT as usize);
        assert!(given.iter().all(|mark| *mark < 0 && may_be_mark(u64::from(mark.cast_unsigned()))));
        assert_eq!(marks.next(), None);
    }
}
