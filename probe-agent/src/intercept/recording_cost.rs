//! Measures what recording takes, so that nobody takes it for time of the agent or of the JVM.
//!
//! Each thread sums up the time that it spends on recording calls and callbacks; what is recorded of a call or callback
//! contains how much of this fell into it. To count a call takes hardly longer than to read a clock, so the probe measures
//! one in many, and takes the others to be like these.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use jvmti_wire::trace::Body;
use rustix::time::{ClockId, clock_gettime};

use super::{lasting, sampling, watched_threads};
use crate::recording::{clock, guarded, record, record_at};

/// What a thread has spent on recording.
struct Own {
    /// Nanoseconds.
    spent: Cell<u64>,
    /// Nanoseconds that it computed.
    computed: Cell<u64>,
    /// Calls and callbacks that it has recorded, and their part of `computed`, that are not in [`RECORDED`] and [`TOOK`] yet.
    new: Cell<(u64, u64)>,
    /// A number that looks random.
    dice: Cell<u32>,
}

thread_local! {
    static OWN: Own =
        const { Own { spent: Cell::new(0), computed: Cell::new(0), new: Cell::new((0, 0)), dice: Cell::new(1) } };
}

/// Calls and callbacks that were recorded, and how long all threads computed for that.
static RECORDED: AtomicU64 = AtomicU64::new(0);
static TOOK: AtomicU64 = AtomicU64::new(0);
/// Counted calls that were measured, and how long it took to count them. Single measurements may come out below 0.
static MEASURED: AtomicU64 = AtomicU64::new(0);
static COUNTING: AtomicI64 = AtomicI64::new(0);

/// A thread adds what it has recorded to that of the others after so many calls and callbacks.
const MANY: u64 = 64;
/// If to record something takes longer, in nanoseconds, then because its thread lost the processor meanwhile.
const MOST_RECORDING: u64 = 100_000;
/// Likewise to count something, for which a debug build needs more.
const MOST_COUNTING: i64 = if cfg!(debug_assertions) { 2500 } else { 250 };
/// With fewer measurements the mean means nothing.
const ENOUGH: u64 = 8;
/// Of each call site and each event, so many are measured with the clock of the processor at first.
const FIRST: u32 = 32;

/// Measures a recorded call or callback.
pub struct Timer {
    cpu: Option<u64>,
    spent: u64,
    computed: u64,
    counted: u64,
    start: u64,
}

/// How long a call or callback took, in nanoseconds.
pub struct Took {
    /// From its beginning to its end.
    pub wall: u64,
    cpu: Option<u64>,
    recording: u64,
}

impl Timer {
    /// The call or callback begins; `before`: so many were recorded in detail before, if this one is. The processor's time is
    /// measured of the first ones, and of one in many of the others: to read that clock may take longer than all the rest.
    pub fn start(before: Option<u32>) -> Timer {
        OWN.with(|own| Timer {
            cpu: (before.is_some_and(|before| before < FIRST) || own.is_next()).then(|| {
                empty();
                cpu()
            }),
            spent: own.spent.get(),
            computed: own.computed.get(),
            counted: passed(),
            start: clock::now(),
        })
    }

    /// It has ended.
    pub fn stop(self) -> Took {
        let wall = clock::since(self.start);
        let cpu = self.cpu.map(|start| cpu().saturating_sub(start).saturating_sub(empty()));
        let counted = passed() - self.counted;
        let counting = if counted > 0 { counted * counting().unwrap_or(0) } else { 0 };
        OWN.with(|own| {
            let computed = own.computed.get() - self.computed + counting;
            Took {
                wall,
                cpu: cpu.map(|cpu| cpu.saturating_sub(computed).min(wall)),
                recording: own.spent.get() - self.spent + counting,
            }
        })
    }
}

impl Took {
    /// Records what is in the time, if there is anything to tell.
    pub fn record(&self, at: u64) {
        if self.recording > 0 || self.cpu.is_some() {
            record_at(at, &Body::TimeSpent { recording: self.recording, cpu: self.cpu });
        }
    }
}

impl Own {
    /// One in 256 times, at no fixed distances: agents repeat themselves.
    fn is_next(&self) -> bool {
        let next = self.dice.get().wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.dice.set(next);
        next >> 24 == 0
    }

    fn recorded(&self, cost: u64) {
        let computed = cost.min(MOST_RECORDING);
        self.spent.set(self.spent.get() + cost);
        self.computed.set(self.computed.get() + computed);
        let (count, took) = self.new.get();
        self.new.set((count + 1, took + computed));
        if count + 1 == MANY {
            self.tell();
        }
    }

    /// Adds what is new to that of the other threads.
    fn tell(&self) {
        let (count, took) = self.new.replace((0, 0));
        RECORDED.fetch_add(count, Ordering::Relaxed);
        TOOK.fetch_add(took, Ordering::Relaxed);
    }
}

/// What began at `began` has been recorded; `took` of the time until now is that of the call or callback itself.
pub fn recorded(began: u64, took: u64) {
    OWN.with(|own| own.recorded(clock::since(began).saturating_sub(took)));
}

/// What began at `began` was to count a call that took `took` itself, by two readings of the clock.
pub fn counted(began: u64, took: u64) {
    let now = clock::now();
    // Two readings of the clock are in it.
    let reading = clock::since(now);
    let [passed, took, reading] = [now.saturating_sub(began), took, reading].map(u64::cast_signed);
    let cost = passed - took - 2 * reading;
    if cost.abs() < MOST_COUNTING {
        COUNTING.fetch_add(cost, Ordering::Relaxed);
        MEASURED.fetch_add(1, Ordering::Relaxed);
    }
}

/// How many calls and callbacks on this thread were only counted.
fn passed() -> u64 {
    let own = || watched_threads::known().map_or(0, |thread| thread.calls.passed());
    if sampling::most().is_some() { lasting::passed() + own() } else { 0 }
}

/// Nanoseconds that it takes to count a call, if that is known.
fn counting() -> Option<u64> {
    let measured = MEASURED.load(Ordering::Relaxed);
    let sum = COUNTING.load(Ordering::Relaxed).max(0).cast_unsigned();
    (measured >= ENOUGH).then(|| (sum + measured / 2) / measured)
}

/// The thread or the JVM ends: adds what this thread has recorded.
pub fn thread_ends() {
    OWN.with(Own::tell);
}

/// The JVM is ending: records what recording has taken.
pub fn record_total() {
    thread_ends();
    let recorded = RECORDED.load(Ordering::Relaxed);
    if recorded > 0 {
        let took = TOOK.load(Ordering::Relaxed);
        guarded(|| record(&Body::RecordingCost { recorded, took, counting: counting() }));
    }
}

/// Nanoseconds that this thread has had the processor.
fn cpu() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// What two readings of [`cpu`] differ by if nothing comes in between.
fn empty() -> u64 {
    static EMPTY: OnceLock<u64> = OnceLock::new();
    *EMPTY.get_or_init(|| {
        let differences = (0..16).map(|_| {
            let start = cpu();
            cpu().saturating_sub(start)
        });
        differences.min().unwrap_or(0)
    })
}
