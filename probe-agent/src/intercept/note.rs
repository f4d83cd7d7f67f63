//! Notes that threads make of what they are in and what they hold. While a note stands, another thread may record what it
//! is about.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::recording::guarded;

/// There is no note.
pub const NONE: u64 = 0;
/// Somebody records it at this moment.
const CLAIMED: u64 = 1;
/// It is recorded.
const RECORDED: u64 = 3;
/// The low bits of a state. Above them is the turn of the note among those of its thread, from 1.
const MARKS: u64 = 3;

/// The state of a note. What it is about is written before the note is made, and stays until it is erased.
pub struct Note(AtomicU64);

impl Note {
    /// No note.
    pub const fn new() -> Note {
        Note(AtomicU64::new(NONE))
    }

    /// Its thread makes it.
    #[inline]
    pub fn make(&self, turn: u64) {
        self.0.store(turn << 2, Ordering::Release);
    }

    /// Its thread makes it of something that is recorded.
    #[inline]
    pub fn make_recorded(&self, turn: u64) {
        self.0.store(turn << 2 | RECORDED, Ordering::Release);
    }

    /// Its thread erases it. The result is whether it is recorded.
    #[inline]
    pub fn erase(&self) -> bool {
        let open = self.0.load(Ordering::Relaxed) & !MARKS;
        if self.0.compare_exchange(open, NONE, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            return false;
        }
        while self.0.load(Ordering::Acquire) & MARKS != RECORDED {
            std::thread::yield_now();
        }
        self.0.store(NONE, Ordering::Release);
        true
    }

    /// Its thread erases it, if nobody has begun to record it; the result is whether that is so. Nobody looks at it meanwhile
    /// (`inspection`).
    #[inline]
    pub fn erase_open(&self) -> bool {
        let is_open = is_open(self.0.load(Ordering::Relaxed));
        if is_open {
            self.0.store(NONE, Ordering::Release);
        }
        is_open
    }

    /// Whether its thread has made it and not erased it.
    #[inline]
    pub fn stands(&self) -> bool {
        self.0.load(Ordering::Relaxed) != NONE
    }

    /// Its state, which is another one for each note that its thread makes.
    #[inline]
    pub fn state(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Records it by `record`, if it is still in that state and nobody does or has done so.
    pub fn record(&self, state: u64, record: impl FnOnce()) -> bool {
        if !is_open(state)
            || self.0.compare_exchange(state, state | CLAIMED, Ordering::AcqRel, Ordering::Relaxed).is_err()
        {
            return false;
        }
        guarded(record);
        self.0.store(state | RECORDED, Ordering::Release);
        true
    }
}

/// Whether a note in that state stands, and nobody has begun to record it.
#[inline]
pub fn is_open(state: u64) -> bool {
    state != NONE && state & MARKS == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_recorded_once_and_only_while_it_stands() {
        let note = Note::new();
        let recorded = |state| {
            let mut times = 0;
            (note.record(state, || times += 1), times)
        };
        assert_eq!(recorded(note.state()), (false, 0));
        note.make(1);
        let first = note.state();
        assert_eq!(recorded(first), (true, 1));
        assert_eq!(recorded(first), (false, 0));
        assert_eq!(recorded(note.state()), (false, 0));
        assert!(note.stands() && note.erase() && !note.stands());
        note.make(2);
        assert_eq!(recorded(first), (false, 0), "another note");
        assert!(!note.erase());
        note.make_recorded(3);
        assert_eq!(recorded(note.state()), (false, 0));
        assert!(note.erase());
    }

    #[test]
    fn a_note_stands_until_it_is_recorded_by_who_has_begun() {
        let note = Note::new();
        let recorded = AtomicU64::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while recorded.load(Ordering::Relaxed) < 100 {
                    let state = note.state();
                    note.record(state, || _ = recorded.fetch_add(1, Ordering::Relaxed));
                }
            });
            let mut erased = 0;
            for turn in 1.. {
                note.make(turn);
                std::thread::yield_now();
                erased += u64::from(note.erase());
                assert_eq!(erased, recorded.load(Ordering::Relaxed));
                if erased >= 100 {
                    break;
                }
            }
        });
    }
}
