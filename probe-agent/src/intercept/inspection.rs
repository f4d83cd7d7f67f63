//! Keeps a thread that changes its notes and one that looks at them apart, at no cost to the former.
//!
//! A thread says that it changes them, and asks whether somebody looks at them. On most processors these two may pass each
//! other, unless a barrier that takes longer than all the rest stands between them. So only who looks has the barrier,
//! for all threads of the process, by the system. Where there is none, threads change their notes step by step (`note`).

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, compiler_fence};
use std::time::{Duration, Instant};

use crate::os::process;

/// Whether the system has such barriers, and threads may do without their own.
static POSSIBLE: AtomicBool = AtomicBool::new(false);

/// How long one waits for a thread that changes its notes. It may have lost the processor.
const PATIENCE: Duration = Duration::from_millis(500);

/// Says who is at the notes of a thread.
pub struct Inspection {
    /// The thread changes them.
    changing: AtomicBool,
    /// The number of those who look at them.
    looking: AtomicU32,
}

/// Asks the system for barriers. Takes a while.
pub fn prepare() {
    POSSIBLE.store(process::prepare_barriers(), Ordering::Release);
}

/// Whether threads may change their notes without a barrier.
#[inline]
pub fn is_possible() -> bool {
    POSSIBLE.load(Ordering::Acquire)
}

impl Inspection {
    /// Nobody is at them.
    pub const fn new() -> Inspection {
        Inspection { changing: AtomicBool::new(false), looking: AtomicU32::new(0) }
    }

    /// The thread itself is about to change its notes. `false`: somebody looks at them, or it does so already, and has
    /// been interrupted by a signal.
    #[inline]
    pub fn change(&self) -> bool {
        if self.changing.load(Ordering::Relaxed) {
            return false;
        }
        self.changing.store(true, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        if self.looking.load(Ordering::Acquire) != 0 {
            self.changed();
            return false;
        }
        true
    }

    /// The thread has changed its notes.
    #[inline]
    pub fn changed(&self) {
        self.changing.store(false, Ordering::Release);
    }

    /// Looks at the notes of the thread while it does not change them. `None`: it does so for too long.
    pub fn look<T>(&self, look: impl FnOnce() -> T) -> Option<T> {
        if !is_possible() {
            return Some(look());
        }
        self.looking.fetch_add(1, Ordering::SeqCst);
        let found = (process::barrier() && self.is_unchanging()).then(look);
        self.looking.fetch_sub(1, Ordering::Release);
        found
    }

    fn is_unchanging(&self) -> bool {
        let begun = Instant::now();
        while self.changing.load(Ordering::Acquire) {
            if begun.elapsed() > PATIENCE {
                return false;
            }
            std::thread::yield_now();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::cell::UnsafeCell;

    use super::*;

    /// Two numbers that are equal whenever nobody changes them.
    struct Pair(Inspection, UnsafeCell<[u64; 2]>);

    // SAFETY: that is what the test is about.
    unsafe impl Sync for Pair {}

    #[test]
    fn nobody_looks_while_the_thread_changes_something() {
        prepare();
        if !is_possible() {
            return;
        }
        let pair = Pair(Inspection::new(), UnsafeCell::new([0; 2]));
        let pair = &pair;
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    if pair.0.change() {
                        // SAFETY: nobody looks.
                        unsafe {
                            let numbers = pair.1.get().cast::<u64>();
                            numbers.write_volatile(numbers.read_volatile() + 1);
                            numbers.add(1).write_volatile(numbers.add(1).read_volatile() + 1);
                        }
                        pair.0.changed();
                    }
                }
            });
            for _ in 0..2000 {
                // SAFETY: nobody changes them.
                let numbers = pair.0.look(|| unsafe { pair.1.get().read_volatile() });
                assert!(numbers.is_none_or(|[one, other]| one == other));
            }
            over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn a_thread_that_is_interrupted_while_it_changes_something_does_not_begin_again() {
        let inspection = Inspection::new();
        assert!(inspection.change() && !inspection.change());
        inspection.changed();
        assert!(inspection.change());
    }
}
