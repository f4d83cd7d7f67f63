//! Tracks allocations made by sampled, unrecorded calls. If the agent deallocates the memory in such a call too, the trace
//! has nothing of it. Otherwise, and when the JVM ends, the allocation is recorded after all.
//!
//! The table has no lock: an agent may call from a signal handler, and from many threads. A block of memory belongs to one
//! thread at a time from its allocation to its deallocation, so no thread looks for an entry that another one is adding.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use jvmti_wire::trace::{HotArg, HotBody};

use super::given_blocks;
use super::key_table::hash;
use crate::ffi::{self, FunctionDescriptor};
use crate::marshal::{MOST_PARAMS, Passed};
use crate::recording::clock;
use crate::recording::record_of;

/// A power of two.
const PLACES: usize = 1 << 12;
/// The number of blocks per bucket. The probe records allocations that find no room.
const ROOM: usize = 4;
/// Stands in place of an address while a thread changes the entry. No memory begins there.
const BUSY: u64 = 1;

/// A block of memory that an agent holds. The other fields are valid only while the address is set.
struct Held {
    at: AtomicU64,
    /// The thread, and the number of the call.
    who: AtomicU64,
    origin: AtomicU64,
    /// The first argument.
    about: AtomicU64,
}

static HELD: [[Held; ROOM]; PLACES] = [const { [const { Held::nothing() }; ROOM] }; PLACES];
/// The JVM is ending: from now on the probe records each allocation.
static OVER: AtomicBool = AtomicBool::new(false);

/// The call that allocated memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Number of the thread.
    pub thread: u32,
    /// Number of the call.
    pub call: u32,
    /// Number of the environment.
    pub environment: u32,
    /// Number of the call site.
    pub site: u32,
    /// Slot of the function.
    pub function: u16,
    /// Index of the output.
    pub param: u16,
    /// The first argument, as it was passed.
    pub about: u64,
}

impl Allocation {
    /// Environment, call site, function and output in one word; `None`: the numbers are too large.
    fn origin(&self) -> Option<u64> {
        let fits = self.environment >> 24 == 0
            && self.site >> 20 == 0
            && self.function >> 12 == 0
            && self.param < 256;
        let word = u64::from(self.environment) << 40
            | u64::from(self.site) << 20
            | u64::from(self.function) << 8
            | u64::from(self.param);
        fits.then_some(word)
    }

    fn of(who: u64, origin: u64, about: u64) -> Allocation {
        Allocation {
            thread: (who >> 32) as u32,
            call: who as u32,
            environment: (origin >> 40) as u32,
            site: (origin >> 20) as u32 & 0xf_ffff,
            function: (origin >> 8) as u16 & 0xfff,
            param: origin as u16 & 0xff,
            about,
        }
    }

    /// Records the allocation.
    pub fn record(&self, at: u64) {
        let Some(descriptor) = ffi::descriptor(self.function) else { return };
        let mut args = [HotArg::Null; MOST_PARAMS];
        let words = [self.about];
        // SAFETY: the first argument is none that lies in memory of the agent's ([`is_for`]); the others are not looked at.
        unsafe { Passed::new(descriptor, &words, 0) }.args(&mut args);
        let [about, ..] = args;
        let Allocation { call, environment, function, site, .. } = *self;
        let blocks = &[(self.param, at)];
        let body = HotBody::CallBrief { call, environment, function, site, about, blocks };
        record_of(self.thread, clock::now(), &body);
    }
}

impl Held {
    const fn nothing() -> Held {
        let [at, who, origin, about] = [const { AtomicU64::new(0) }; 4];
        Held { at, who, origin, about }
    }

    fn put(&self, at: u64, given: &Allocation, origin: u64) -> bool {
        // To try in vain costs as much as to succeed.
        if self.at.load(Ordering::Relaxed) != 0
            || self.at.compare_exchange(0, BUSY, Ordering::Acquire, Ordering::Relaxed).is_err()
        {
            return false;
        }
        self.who.store(u64::from(given.thread) << 32 | u64::from(given.call), Ordering::Relaxed);
        self.origin.store(origin, Ordering::Relaxed);
        self.about.store(given.about, Ordering::Relaxed);
        self.at.store(at, Ordering::Release);
        true
    }

    fn take(&self, at: u64) -> Option<Allocation> {
        self.at.compare_exchange(at, BUSY, Ordering::Acquire, Ordering::Relaxed).ok()?;
        let [who, origin, about] =
            [&self.who, &self.origin, &self.about].map(|word| word.load(Ordering::Relaxed));
        self.at.store(0, Ordering::Release);
        Some(Allocation::of(who, origin, about))
    }
}

fn place(at: u64) -> &'static [Held; ROOM] {
    &HELD[hash(at, PLACES.trailing_zeros()) % PLACES]
}

/// Whether the probe can record the first argument later: it must not point to memory of the agent.
pub fn is_for(function: &FunctionDescriptor) -> bool {
    let first = function.params.first();
    first.is_some_and(|first| first.dir.is_output() || first.ty.pointee().is_none())
}

/// Adds an allocation; `false`: its bucket is full.
pub fn hold(at: u64, given: &Allocation) -> bool {
    // If there is an earlier allocation, the probe has missed its deallocation.
    release(at);
    let origin = given.origin().filter(|_| at > BUSY && !OVER.load(Ordering::Relaxed));
    given_blocks::given(at);
    origin.is_some_and(|origin| place(at).iter().any(|held| held.put(at, given, origin)))
}

/// Removes the allocation of memory that the agent is about to deallocate.
pub fn release(at: u64) -> Option<Allocation> {
    given_blocks::ended(at);
    let held = place(at).iter().find(|held| held.at.load(Ordering::Relaxed) == at && at > BUSY)?;
    held.take(at)
}

/// Records the allocation of memory that the next record is about.
pub fn reveal(at: u64) {
    if let Some(given) = release(at) {
        given.record(at);
    }
}

/// The JVM is ending: records what agents still hold.
pub fn reveal_all() {
    OVER.store(true, Ordering::Relaxed);
    for held in HELD.iter().flatten() {
        reveal(held.at.load(Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn who_gave_memory_comes_back(
            thread: u32, call: u32, environment in 0u32..1 << 24, site in 0u32..1 << 20, function in 0u16..1 << 12,
            param in 0u16..256, about: u64,
        ) {
            let given = Allocation { thread, call, environment, site, function, param, about };
            let who = u64::from(thread) << 32 | u64::from(call);
            prop_assert_eq!(given.origin().map(|origin| Allocation::of(who, origin, about)), Some(given));
        }
    }

    #[test]
    fn memory_is_held_until_it_is_released_by_many_threads_at_once() {
        let threads: Vec<_> = (0u32..4)
            .map(|thread| {
                std::thread::spawn(move || {
                    let mut refused = 0;
                    for call in 0u32..50_000 {
                        // Addresses of this thread's own, all over the places.
                        let at = (u64::from(call % 64) << 6 | u64::from(thread) << 4) + 0x1000;
                        let (environment, site, function) = (1, 2, 3);
                        let given =
                            Allocation { thread, call, environment, site, function, param: 1, about: at };
                        if hold(at, &given) {
                            assert_eq!(release(at), Some(given));
                        } else {
                            refused += 1;
                        }
                        assert_eq!(release(at), None);
                    }
                    refused
                })
            })
            .collect();
        let refused: u32 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert!(refused < 1000, "{refused}");
    }

    #[test]
    fn memory_that_is_given_again_has_one_holder() {
        let given =
            |call| Allocation { thread: 9, call, environment: 1, site: 1, function: 2, param: 0, about: 0 };
        assert!(hold(0x60_0000, &given(1)) && hold(0x60_0000, &given(2)));
        assert_eq!(release(0x60_0000), Some(given(2)));
        assert_eq!(release(0x60_0000), None);
    }

    #[test]
    fn more_than_there_is_room_for_is_refused() {
        let given =
            Allocation { thread: 9, call: 1, environment: 1, site: 1, function: 2, param: 0, about: 0 };
        let together = place(0x50_0000);
        let same = (0x50_0000u64..).step_by(16).filter(|at| std::ptr::eq(place(*at), together));
        let addresses: Vec<u64> = same.take(ROOM + 1).collect();
        let held: Vec<bool> = addresses.iter().map(|at| hold(*at, &given)).collect();
        assert_eq!(held, [true, true, true, true, false]);
        let released: Vec<_> = addresses.iter().map(|at| release(*at).is_some()).collect();
        assert_eq!(released, held);
    }
}
