//! Sampling of hot places: what comes over and over from one place, or to one function, is counted, and recorded as a
//! whole only now and then. Of calls that are counted those that matter one by one, to who holds memory and raw monitors,
//! are recorded in brief.

use std::sync::atomic::{AtomicU64, Ordering};

use jvmti_wire::trace::Body;

use super::agents::{self, Agent};
use super::{balance, sites, wanted};
use crate::ffi::slot;
use crate::recorder::record;

/// How many places are told apart, a power of two. Beyond that everything is recorded.
const PLACES: usize = 1 << 12;
/// Where a place may be, beginning at the index by its hash.
const NEAR: usize = 16;

/// How often something has come.
#[derive(Debug)]
pub struct Count {
    seen: AtomicU64,
    /// Those that were recorded although it was not their turn.
    extra: AtomicU64,
}

/// Calls of a function from a place.
struct Place {
    /// The function's slot in the high 16 bits, the address that calls return to in the others; 0: free.
    key: AtomicU64,
    count: Count,
}

static CALLS: [Place; PLACES] = [const { Place { key: AtomicU64::new(0), count: Count::new() } }; PLACES];

/// What becomes of a thing that is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It is recorded.
    Recorded,
    /// It is recorded, and then how many were not.
    Told,
    /// It is counted.
    Counted,
}

impl Count {
    /// Nothing has come.
    pub const fn new() -> Count {
        Count { seen: AtomicU64::new(0), extra: AtomicU64::new(0) }
    }

    /// One more has come. `most`: a power of two.
    #[inline]
    pub fn next(&self, most: u64) -> Turn {
        let before = self.seen.fetch_add(1, Ordering::Relaxed);
        match before {
            _ if before < most => Turn::Recorded,
            _ if before & (most - 1) == 0 => Turn::Told,
            _ => Turn::Counted,
        }
    }

    /// One that was counted has been recorded nevertheless.
    pub fn recorded(&self) {
        self.extra.fetch_add(1, Ordering::Relaxed);
    }

    /// How many have come by now that were not recorded.
    fn counted(&self, most: u64) -> u64 {
        let later = self.seen.load(Ordering::Relaxed).saturating_sub(most);
        (later - later.div_ceil(most)).saturating_sub(self.extra.load(Ordering::Relaxed))
    }
}

/// After how many a place is hot, and which of them is recorded then: one in so many. A power of two. `None`: all are
/// recorded.
#[inline]
pub fn most() -> Option<u64> {
    wanted()?.sample.map(|most| u64::from(most).next_power_of_two())
}

/// The count of calls of that function from that place, if they are sampled.
#[inline]
pub fn calls(slot: u16, caller: u64) -> Option<(&'static Count, u64)> {
    let most = most()?;
    let key = u64::from(slot) << 48 | caller & 0xffff_ffff_ffff;
    let start = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize;
    for step in 0..NEAR {
        let place = &CALLS[(start + step) % PLACES];
        let known = place.key.load(Ordering::Relaxed);
        if known == key {
            return Some((&place.count, most));
        }
        if known == 0 {
            return (is_sampled(slot) && place.take(key)).then_some((&place.count, most));
        }
    }
    None
}

impl Place {
    #[cold]
    fn take(&self, key: u64) -> bool {
        let taken = self.key.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed);
        taken.is_ok() || taken == Err(key)
    }
}

/// Functions that change what others mean, that call back, in which a thread waits, or whose pairs are watched are
/// recorded each time.
fn is_sampled(slot: u16) -> bool {
    ![
        slot::SET_EVENT_NOTIFICATION_MODE,
        slot::DISPOSE_ENVIRONMENT,
        slot::ADD_CAPABILITIES,
        slot::RELINQUISH_CAPABILITIES,
        slot::GET_EXTENSION_FUNCTIONS,
        slot::CREATE_RAW_MONITOR,
        slot::DESTROY_RAW_MONITOR,
        slot::RAW_MONITOR_WAIT,
        slot::SET_BREAKPOINT,
        slot::CLEAR_BREAKPOINT,
        slot::SET_FIELD_ACCESS_WATCH,
        slot::CLEAR_FIELD_ACCESS_WATCH,
        slot::SET_FIELD_MODIFICATION_WATCH,
        slot::CLEAR_FIELD_MODIFICATION_WATCH,
    ]
    .contains(&slot)
        && super::calls::is_plain(slot)
}

/// Records how many calls from a place were not recorded.
#[cold]
pub fn tell_calls(slot: u16, caller: u64, count: &Count, most: u64) {
    let count = count.counted(most);
    if count > 0 {
        record(&Body::CallsCounted { site: sites::number(caller), function: slot, count });
    }
}

/// Records how many callbacks of an event were not recorded.
#[cold]
pub fn tell_callbacks(agent: &Agent, event: u16, count: &Count, most: u64) {
    let count = count.counted(most);
    if count > 0 {
        record(&Body::EventsCounted { environment: agent.number, event, count });
    }
}

/// Records all that was counted: the JVM ends.
pub fn tell_all() {
    let Some(most) = most() else { return };
    for place in &CALLS {
        let key = place.key.load(Ordering::Relaxed);
        tell_calls((key >> 48) as u16, key & 0xffff_ffff_ffff, &place.count, most);
    }
    balance::reveal_all();
    agents::each(|agent| agent.counts().for_each(|(event, count)| tell_callbacks(agent, event, count, most)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_recorded_is_counted() {
        for most in [1, 2, 8, 64] {
            let count = Count::new();
            let mut counted = 0;
            for _ in 0..1000 {
                counted += u64::from(count.next(most) == Turn::Counted);
                assert_eq!(count.counted(most), counted);
            }
            count.recorded();
            assert_eq!(count.counted(most), counted.saturating_sub(1));
        }
    }

    #[test]
    fn the_first_ones_and_one_in_so_many_are_recorded() {
        let count = Count::new();
        let turns: Vec<Turn> = (0..13).map(|_| count.next(4)).collect();
        assert!(turns[..4].iter().all(|turn| *turn == Turn::Recorded));
        let told: Vec<usize> = (0..13).filter(|i| turns[*i] == Turn::Told).collect();
        assert_eq!(told, [4, 8, 12]);
    }
}
