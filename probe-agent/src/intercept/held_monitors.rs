//! The raw monitors that threads hold. A pair of counted calls that enter a monitor and exit it again leaves no record: it
//! matters to nobody, unless a trace has to tell meanwhile who holds what.
//!
//! Each thread notes which monitors it holds. What it has entered unseen is revealed, that is recorded as entered, before a
//! recorded call about a raw monitor on that thread, before it enters another one in an order that is new, when a call that
//! lasts is recorded, and at the end of the thread or the JVM.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use jvmti_wire::trace::{HotArg, HotBody};

use super::call_sites;
use crate::ffi::slot;
use crate::ffi::stub::Entered;
use crate::recording::{self, clock, guarded, next_call, record_of};

/// Threads that the probe watches at the same time.
const THREADS: usize = 1024;
/// Monitors that a thread holds at the same time; the same one several times counts as several. The probe records more.
const HELD: usize = 8;
/// Orders that a thread remembers to have recorded. A power of two.
const ORDERS: usize = 64;

/// The place is free.
const FREE: u32 = 0;
/// The thread holds the monitor, and the trace does not say so.
const UNSEEN: u32 = 1;
/// The probe records that at this moment.
const CLAIMED: u32 = 2;
/// The thread holds the monitor, and the trace says so.
const SEEN: u32 = 3;

/// A monitor that a thread holds.
struct Held {
    state: AtomicU32,
    environment: AtomicU32,
    monitor: AtomicU64,
    /// Where the call that entered it returns to.
    caller: AtomicU64,
}

/// What a thread holds.
struct Thread {
    /// The thread's number in the trace; 0: nobody has the place.
    number: AtomicU32,
    held: [Held; HELD],
}

static ALL: [Thread; THREADS] = [const { Thread::new() }; THREADS];

impl Thread {
    const fn new() -> Thread {
        Thread { number: AtomicU32::new(0), held: [const { Held::new() }; HELD] }
    }

    /// Records what the thread has entered unseen.
    fn reveal(&self) {
        self.held.iter().for_each(|held| held.reveal(&self.number));
    }

    /// The monitor is no more.
    fn forget(&self, monitor: u64) {
        self.held.iter().filter(|held| held.is_of(monitor)).for_each(|held| _ = held.give_up());
    }
}

impl Held {
    const fn new() -> Held {
        Held {
            state: AtomicU32::new(FREE),
            environment: AtomicU32::new(0),
            monitor: AtomicU64::new(0),
            caller: AtomicU64::new(0),
        }
    }

    fn is_of(&self, monitor: u64) -> bool {
        self.state.load(Ordering::Relaxed) != FREE && self.monitor.load(Ordering::Relaxed) == monitor
    }

    fn reveal(&self, thread: &AtomicU32) {
        if self.state.compare_exchange(UNSEEN, CLAIMED, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return;
        }
        guarded(|| {
            let brief = HotBody::CallBrief {
                call: next_call(),
                environment: self.environment.load(Ordering::Relaxed),
                function: slot::RAW_MONITOR_ENTER,
                site: call_sites::number(self.caller.load(Ordering::Relaxed)),
                about: HotArg::Pointer(self.monitor.load(Ordering::Relaxed)),
                blocks: &[],
            };
            // The thread keeps its place while this one is claimed.
            record_of(thread.load(Ordering::Acquire), clock::now(), &brief);
        });
        self.state.store(SEEN, Ordering::Release);
    }

    /// The thread gives the monitor up; the result is whether the trace says that it holds it.
    fn give_up(&self) -> bool {
        if self.state.compare_exchange(UNSEEN, FREE, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            return false;
        }
        while self.state.load(Ordering::Acquire) == CLAIMED {
            std::thread::yield_now();
        }
        self.state.store(FREE, Ordering::Release);
        true
    }
}

/// What the current thread knows of itself.
struct Own {
    place: Cell<Option<&'static Thread>>,
    /// Whether the thread has looked for a place.
    asked: Cell<bool>,
    /// Orders in which the thread has entered monitors, and which the trace tells.
    orders: [Cell<u64>; ORDERS],
}

thread_local! {
    static OWN: Own = const {
        Own { place: Cell::new(None), asked: Cell::new(false), orders: [const { Cell::new(0) }; ORDERS] }
    };
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(place) = self.place.get() {
            place.reveal();
            place.held.iter().for_each(|held| _ = held.give_up());
            place.number.store(0, Ordering::Release);
        }
    }
}

impl Own {
    fn place(&self) -> Option<&'static Thread> {
        if !self.asked.replace(true) {
            self.place.set(Own::take());
        }
        self.place.get()
    }

    /// Takes a place that nobody has.
    #[cold]
    fn take() -> Option<&'static Thread> {
        // Threads that the probe cannot tell apart have the number 0.
        let number = Some(recording::thread()).filter(|number| *number != 0)?;
        let is_free = |place: &&Thread| {
            place.number.compare_exchange(0, number, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        ALL.iter().find(is_free)
    }

    /// Whether the trace tells that this thread has entered the monitor while it held what it holds now.
    fn is_known(&self, place: &Thread, monitor: u64) -> bool {
        let mut key = 0;
        for held in place.held.iter().filter(|held| held.state.load(Ordering::Relaxed) != FREE) {
            let outer = held.monitor.load(Ordering::Relaxed);
            if outer == monitor {
                return true;
            }
            key = mix(key, outer);
        }
        if key == 0 {
            return true;
        }
        let key = mix(mix(key, monitor), u64::from(CREATED.load(Ordering::Relaxed))) | 1;
        let known = &self.orders[(key >> 32) as usize % ORDERS];
        known.replace(key) == key
    }
}

/// Adds to a hash, which is not 0 from then on.
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

/// Whether the trace tells each time that a monitor is entered, or that it is exited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    Yes,
    No,
}

/// A counted call is about to enter a monitor.
#[inline]
pub fn wants(monitor: u64) -> Told {
    let told = OWN.try_with(|own| {
        let Some(place) = own.place().filter(|_| !is_destroyed(monitor)) else { return Told::Yes };
        if own.is_known(place, monitor) {
            return Told::No;
        }
        place.reveal();
        Told::Yes
    });
    told.unwrap_or(Told::Yes)
}

/// A call has entered a monitor, and the trace tells so or does not. The result is whether it has to.
#[inline]
pub fn entered(environment: u32, entered: &Entered, told: Told) -> Told {
    let noted = OWN.try_with(|own| {
        let is_free = |held: &&Held| held.state.load(Ordering::Relaxed) == FREE;
        let Some(held) = own.place().and_then(|place| place.held.iter().find(is_free)) else {
            return Told::Yes;
        };
        held.environment.store(environment, Ordering::Relaxed);
        held.monitor.store(entered.words[1], Ordering::Relaxed);
        held.caller.store(entered.caller, Ordering::Relaxed);
        held.state.store(if told == Told::Yes { SEEN } else { UNSEEN }, Ordering::Release);
        told
    });
    noted.unwrap_or(Told::Yes)
}

/// A counted call is about to exit a monitor. The result is whether the trace tells that the thread has entered it, and has
/// to tell this, too.
#[inline]
pub fn gives_up(monitor: u64) -> Told {
    let told = OWN.try_with(|own| {
        let Some(place) = own.place.get() else { return Told::Yes };
        let mut held = place.held.iter().filter(|held| held.is_of(monitor));
        // The last one that was entered unseen comes after those that were seen.
        let unseen = |held: &&Held| held.state.load(Ordering::Relaxed) == UNSEEN;
        let found = held.clone().find(unseen).or_else(|| held.next());
        match found.map(Held::give_up) {
            Some(false) => Told::No,
            Some(true) | None => Told::Yes,
        }
    });
    told.unwrap_or(Told::Yes)
}

/// Whether calls of the function change who holds raw monitors.
#[inline]
pub fn is_changed_by(function: u16) -> bool {
    use slot::{
        CREATE_RAW_MONITOR, DESTROY_RAW_MONITOR, RAW_MONITOR_ENTER, RAW_MONITOR_EXIT, RAW_MONITOR_WAIT,
    };
    [RAW_MONITOR_ENTER, RAW_MONITOR_EXIT, RAW_MONITOR_WAIT, CREATE_RAW_MONITOR, DESTROY_RAW_MONITOR]
        .contains(&function)
}

/// A recorded call has succeeded.
pub fn returned(environment: u32, call: &Entered) {
    let monitor = call.words[1];
    match call.slot {
        slot::RAW_MONITOR_ENTER => drop(entered(environment, call, Told::Yes)),
        slot::RAW_MONITOR_EXIT => drop(gives_up(monitor)),
        slot::DESTROY_RAW_MONITOR => {
            let _ = OWN.try_with(|own| own.place.get().map(|place| place.forget(monitor)));
            destroyed(monitor);
        }
        slot::CREATE_RAW_MONITOR => drop(CREATED.fetch_add(1, Ordering::Relaxed)),
        _ => {}
    }
}

/// Records what this thread has entered unseen.
pub fn reveal_own() {
    let _ = OWN.try_with(|own| own.place.get().map(Thread::reveal));
}

/// Records what the thread with that number has entered unseen.
pub fn reveal(thread: u32) {
    let is_its = |place: &&Thread| place.number.load(Ordering::Acquire) == thread;
    ALL.iter().filter(is_its).for_each(Thread::reveal);
}

/// Records what all threads have entered unseen.
pub fn reveal_all() {
    let is_taken = |place: &&Thread| place.number.load(Ordering::Acquire) != 0;
    ALL.iter().filter(is_taken).for_each(Thread::reveal);
}

/// The number of monitors that agents have created. A new one may be where a destroyed one was: orders are told again.
static CREATED: AtomicU32 = AtomicU32::new(0);

/// Monitors that agents have destroyed: each use of them is recorded, and of new ones in their places. 0: a free place.
static DESTROYED: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];
/// The number of monitors that agents have destroyed.
static DESTRUCTIONS: AtomicU32 = AtomicU32::new(0);

fn is_destroyed(monitor: u64) -> bool {
    DESTRUCTIONS.load(Ordering::Acquire) > 0
        && DESTROYED.iter().any(|destroyed| destroyed.load(Ordering::Relaxed) == monitor)
}

fn destroyed(monitor: u64) {
    let turn = DESTRUCTIONS.load(Ordering::Relaxed) as usize;
    DESTROYED[turn % DESTROYED.len()].store(monitor, Ordering::Relaxed);
    DESTRUCTIONS.fetch_add(1, Ordering::Release);
}
