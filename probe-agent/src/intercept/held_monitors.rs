//! The raw monitors that threads hold. A pair of counted calls that enter a monitor and exit it again leaves no record: it
//! matters to nobody, unless a trace has to tell meanwhile who holds what.
//!
//! Each thread notes which monitors it holds (`watched_threads`). What it has entered unseen is revealed, that is recorded as entered, before a
//! recorded call about a raw monitor on that thread, before it enters another one in an order that is new, when a call that
//! lasts is recorded, and at the end of the thread or the JVM.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use jvmti_wire::trace::{HotArg, HotBody};

use super::call_sites;
use super::note::{self, Note};
use crate::ffi::slot;
use crate::ffi::stub::Entered;
use crate::recording::{clock, next_call, record_of};

/// Monitors that a thread holds at the same time; the same one several times counts as several. The probe records more.
const HELD: usize = u8::BITS as usize;
/// Orders that a thread remembers to have recorded. A power of two.
const ORDERS: usize = 64;
/// To tell notes apart matters to nobody here: they are recorded whenever they stand.
const TURN: u64 = 1;

/// A monitor that a thread holds. The note is recorded if the trace says so.
struct Held {
    note: Note,
    environment: AtomicU32,
    monitor: AtomicU64,
    /// Where the call that entered it returns to.
    caller: AtomicU64,
    /// How many monitors the thread had entered before. Its place says nothing: it may be that of one that the thread has exited.
    before: AtomicU64,
}

/// What a thread holds.
pub struct HeldMonitors {
    /// The thread's number in the trace.
    thread: AtomicU32,
    /// Which of those that follow stand: a bit for each. Only the thread itself uses it.
    standing: AtomicU8,
    held: [Held; HELD],
    /// How many monitors the thread has entered.
    entered: AtomicU64,
    /// Orders in which the thread has entered monitors, and which the trace tells.
    orders: [AtomicU64; ORDERS],
}

/// Whether the trace tells each time that a monitor is entered, or that it is exited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    Yes,
    No,
}

impl Held {
    const fn new() -> Held {
        Held {
            note: Note::new(),
            environment: AtomicU32::new(0),
            monitor: AtomicU64::new(0),
            caller: AtomicU64::new(0),
            before: AtomicU64::new(0),
        }
    }

    fn is_of(&self, monitor: u64) -> bool {
        self.monitor.load(Ordering::Relaxed) == monitor
    }
}

impl HeldMonitors {
    /// What a thread holds that holds nothing.
    pub const fn new() -> HeldMonitors {
        HeldMonitors {
            thread: AtomicU32::new(0),
            standing: AtomicU8::new(0),
            held: [const { Held::new() }; HELD],
            entered: AtomicU64::new(0),
            orders: [const { AtomicU64::new(0) }; ORDERS],
        }
    }

    /// The thread with that number holds nothing yet.
    pub fn begin(&self, thread: u32) {
        self.held.iter().for_each(|held| _ = held.note.erase());
        self.standing.store(0, Ordering::Relaxed);
        self.orders.iter().for_each(|order| order.store(0, Ordering::Relaxed));
        self.thread.store(thread, Ordering::Release);
    }

    /// What the thread holds, with their bits.
    #[inline]
    fn standing(&self) -> impl Iterator<Item = (&Held, u8)> + Clone {
        let mut left = self.standing.load(Ordering::Relaxed);
        std::iter::from_fn(move || {
            let next = self.held.get(left.trailing_zeros() as usize)?;
            let rest = left & left.wrapping_sub(1);
            let bit = left ^ rest;
            left = rest;
            Some((next, bit))
        })
    }

    #[inline]
    fn erased(&self, bit: u8) {
        self.standing.store(self.standing.load(Ordering::Relaxed) & !bit, Ordering::Relaxed);
    }

    /// What the thread holds, and held, in the order in which it entered that.
    fn in_order(&self) -> [&Held; HELD] {
        let mut all = self.held.each_ref().map(|held| (held.before.load(Ordering::Relaxed), held));
        all.sort_unstable_by_key(|(before, _)| *before);
        all.map(|(_, held)| held)
    }

    /// Records what the thread has entered unseen.
    pub fn reveal(&self) {
        for held in self.in_order() {
            held.note.record(held.note.state(), || {
                let brief = HotBody::CallBrief {
                    call: next_call(),
                    environment: held.environment.load(Ordering::Relaxed),
                    function: slot::RAW_MONITOR_ENTER,
                    site: call_sites::number(held.caller.load(Ordering::Relaxed)),
                    about: HotArg::Pointer(held.monitor.load(Ordering::Relaxed)),
                    blocks: &[],
                };
                record_of(self.thread.load(Ordering::Acquire), clock::now(), &brief);
            });
        }
    }

    /// Whether the thread holds a monitor, as far as it has noted that.
    pub fn holds_any(&self) -> bool {
        self.held.iter().any(|held| held.note.stands())
    }

    /// Whether the trace need not tell that a counted call enters a monitor.
    #[inline]
    pub fn may_enter_unseen(&self, monitor: u64) -> bool {
        !is_destroyed(monitor)
            && self.order(monitor).is_none_or(|(known, key)| known.load(Ordering::Relaxed) == key)
    }

    /// A counted call is about to enter a monitor.
    #[inline]
    pub fn wants(&self, monitor: u64) -> Told {
        if is_destroyed(monitor) {
            return Told::Yes;
        }
        if self.order(monitor).is_none_or(|(known, key)| known.swap(key, Ordering::Relaxed) == key) {
            return Told::No;
        }
        self.reveal();
        Told::Yes
    }

    /// The order in which the thread would enter the monitor, and the place that has it once the trace tells that. `None`: it
    /// holds no monitor, or this one.
    #[inline]
    fn order(&self, monitor: u64) -> Option<(&AtomicU64, u64)> {
        let mut key = 0;
        for (held, _) in self.standing() {
            let outer = held.monitor.load(Ordering::Relaxed);
            if outer == monitor {
                return None;
            }
            key = mix(key, outer);
        }
        if key == 0 {
            return None;
        }
        let key = mix(mix(key, monitor), u64::from(CREATED.load(Ordering::Relaxed)));
        Some((&self.orders[(key >> 32) as usize % ORDERS], key))
    }

    /// A call has entered a monitor, and the trace tells so or does not. The result is whether it has to.
    #[inline]
    pub fn entered(&self, environment: u32, entered: &Entered, told: Told) -> Told {
        let standing = self.standing.load(Ordering::Relaxed);
        let Some(held) = self.held.get(standing.trailing_ones() as usize) else { return Told::Yes };
        self.standing.store(standing | standing.wrapping_add(1), Ordering::Relaxed);
        held.environment.store(environment, Ordering::Relaxed);
        held.monitor.store(entered.words[1], Ordering::Relaxed);
        held.caller.store(entered.caller, Ordering::Relaxed);
        let before = self.entered.load(Ordering::Relaxed);
        held.before.store(before, Ordering::Relaxed);
        self.entered.store(before + 1, Ordering::Relaxed);
        match told {
            Told::Yes => held.note.make_recorded(TURN),
            Told::No => held.note.make(TURN),
        }
        told
    }

    /// A call is about to exit a monitor that the thread has entered unseen. `false`: it has not. Nobody looks at the notes
    /// meanwhile.
    #[inline]
    pub fn exits_unseen(&self, monitor: u64) -> bool {
        // The last one that was entered unseen comes after those that were seen.
        let found = self.standing().find(|(held, _)| held.is_of(monitor) && held.note.erase_open());
        found.inspect(|(_, bit)| self.erased(*bit)).is_some()
    }

    /// A call is about to exit a monitor. The result is whether the trace tells that the thread has entered it, and has to
    /// tell this, too.
    #[inline]
    pub fn gives_up(&self, monitor: u64) -> Told {
        let mut held = self.standing().filter(|(held, _)| held.is_of(monitor));
        // The last one that was entered unseen comes after those that were seen.
        let unseen = |(held, _): &(&Held, u8)| note::is_open(held.note.state());
        let Some((held, bit)) = held.clone().find(unseen).or_else(|| held.next()) else { return Told::Yes };
        self.erased(bit);
        if held.note.erase() { Told::Yes } else { Told::No }
    }

    /// The monitor is no more.
    fn forget(&self, monitor: u64) {
        for (held, bit) in self.standing().filter(|(held, _)| held.is_of(monitor)) {
            held.note.erase();
            self.erased(bit);
        }
    }
}

/// A recorded call has succeeded, on the thread that holds these, if it is watched.
pub fn returned(own: Option<&HeldMonitors>, environment: u32, call: &Entered) {
    let monitor = call.words[1];
    match (call.slot, own) {
        (slot::RAW_MONITOR_ENTER, Some(own)) => _ = own.entered(environment, call, Told::Yes),
        (slot::RAW_MONITOR_EXIT, Some(own)) => _ = own.gives_up(monitor),
        (slot::DESTROY_RAW_MONITOR, own) => {
            own.inspect(|own| own.forget(monitor));
            destroyed(monitor);
        }
        (slot::CREATE_RAW_MONITOR, _) => _ = CREATED.fetch_add(1, Ordering::Relaxed),
        _ => {}
    }
}

/// Adds to a hash, which is not 0 from then on.
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
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

/// The number of monitors that agents have created. A new one may be where a destroyed one was: orders are told again.
static CREATED: AtomicU32 = AtomicU32::new(0);

/// Monitors that agents have destroyed: each use of them is recorded, and of new ones in their places. 0: a free place.
static DESTROYED: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];
/// The number of monitors that agents have destroyed.
static DESTRUCTIONS: AtomicU32 = AtomicU32::new(0);

#[inline]
fn is_destroyed(monitor: u64) -> bool {
    let destructions = DESTRUCTIONS.load(Ordering::Acquire) as usize;
    let all = DESTROYED.iter().take(destructions);
    destructions > 0 && all.map(|destroyed| destroyed.load(Ordering::Relaxed)).any(|other| other == monitor)
}

fn destroyed(monitor: u64) {
    let turn = DESTRUCTIONS.load(Ordering::Relaxed) as usize;
    DESTROYED[turn % DESTROYED.len()].store(monitor, Ordering::Relaxed);
    DESTRUCTIONS.fetch_add(1, Ordering::Release);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monitors_are_told_in_the_order_in_which_they_were_entered() {
        let own = HeldMonitors::new();
        let enter = |monitor| {
            let words = [0, monitor, 0, 0, 0, 0];
            let call = Entered { slot: slot::RAW_MONITOR_ENTER, words, float: 0, caller: 0 };
            assert_eq!(own.entered(1, &call, Told::No), Told::No);
        };
        enter(0x10);
        enter(0x20);
        assert!(own.exits_unseen(0x10));
        // It takes the place of the first one.
        enter(0x30);
        let told = own.in_order().into_iter().filter(|held| held.note.stands());
        let monitors: Vec<u64> = told.map(|held| held.monitor.load(Ordering::Relaxed)).collect();
        assert_eq!(monitors, [0x20, 0x30]);
    }
}
