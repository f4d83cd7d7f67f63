//! Time since the agent was loaded.
//!
//! It is read from the processor's counter where the kernel itself keeps time by that: the clock costs as much as all
//! the rest of a record. How fast the counter counts is found out in passing, from a first reading of both and one a
//! little later; until then it is the clock that is read. Nothing is waited for, as calibration by a library would.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::arch::counter;

/// The first reading of the clock and of the counter.
static START: OnceLock<Both> = OnceLock::new();
/// The counter at the start.
static FIRST: AtomicU64 = AtomicU64::new(0);
/// Nanoseconds to a tick of the counter, times 2³²; 0: not known yet, or never.
static RATE: AtomicU64 = AtomicU64::new(0);

/// How long the counter is watched. Two readings of both can be told apart to some tens of nanoseconds.
const WATCHED: Duration = Duration::from_millis(20);

/// Clock and counter, read at the same time.
struct Both {
    clock: Instant,
    /// `None`: there is no counter that could be relied on.
    counter: Option<u64>,
}

/// Starts the clock, unless it runs.
pub fn start() {
    START.get_or_init(|| {
        let both = if counter::keeps_time() { Both::read() } else { None };
        both.unwrap_or_else(|| Both { clock: Instant::now(), counter: None })
    });
}

/// Nanoseconds since [`start`]; 0 before.
#[inline]
pub fn now() -> u64 {
    match RATE.load(Ordering::Acquire) {
        0 => by_clock(),
        rate => scaled(counter::read().wrapping_sub(FIRST.load(Ordering::Relaxed)), rate),
    }
}

/// Nanoseconds since a reading of [`now`]. Where the clock gives way to the counter, or between two processors' counters,
/// the second reading may be some nanoseconds the earlier one: that is none.
#[inline]
pub fn since(reading: u64) -> u64 {
    now().saturating_sub(reading)
}

#[inline]
fn scaled(ticks: u64, rate: u64) -> u64 {
    ((u128::from(ticks) * u128::from(rate)) >> 32) as u64
}

#[cold]
fn by_clock() -> u64 {
    let Some(start) = START.get() else { return 0 };
    let passed = start.clock.elapsed();
    if let Some(first) = start.counter.filter(|_| passed >= WATCHED) {
        learn(start.clock, first);
    }
    nanoseconds(passed)
}

/// Finds out how fast the counter counts. From then on it tells the time, which goes on where the clock left it.
fn learn(start: Instant, first: u64) {
    let Some(Both { clock, counter: Some(counter) }) = Both::read() else { return };
    let (passed, ticks) = (nanoseconds(clock - start), counter.wrapping_sub(first));
    let rate = (u128::from(passed) << 32).checked_div(ticks.into()).and_then(|rate| u64::try_from(rate).ok());
    // Of several threads the first one decides.
    if let Some(rate) = rate.filter(|rate| *rate != 0) {
        FIRST.store(first, Ordering::Relaxed);
        let _ = RATE.compare_exchange(0, rate, Ordering::Release, Ordering::Relaxed);
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Both {
    /// Reads the clock between two readings of the counter, until nothing came in between. `None`: something always
    /// does.
    fn read() -> Option<Both> {
        // Some microseconds on the fastest counter, and less than one tick of the slowest is no reason to give up.
        const NEAR: u64 = 2000;
        (0..100).find_map(|_| {
            let before = counter::read();
            let clock = Instant::now();
            let apart = counter::read().wrapping_sub(before);
            (apart < NEAR).then_some(Both { clock, counter: Some(before + apart / 2) })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_tells_the_same_time_as_the_clock() {
        start();
        let start = START.get().unwrap();
        let (mut last, mut by_counter) = (0, 0);
        while start.clock.elapsed() < 10 * WATCHED {
            let before = nanoseconds(start.clock.elapsed());
            let now = now();
            let after = nanoseconds(start.clock.elapsed());
            // Both are read to some tens of nanoseconds, the rate to some parts in a million.
            let off = 2_000 + after / 10_000;
            assert!(before <= now + off && now <= after + off, "{before} {now} {after}");
            assert!(last <= now + 200, "{last} {now}");
            last = now;
            by_counter += u64::from(RATE.load(Ordering::Relaxed) != 0);
        }
        assert!(start.counter.is_none() || by_counter > 0);
    }
}
