//! Sampling of hot places: what comes over and over from one place, or to one function, is counted, and recorded as a
//! whole only now and then. Of calls that are counted those that matter one by one, to who holds memory and raw monitors,
//! are recorded in brief.

use std::sync::atomic::{AtomicU64, Ordering};

use jvmti_wire::trace::Body;

use super::count::Count;
use super::environments::{self, AgentEnvironment};
use super::settings;
use super::{allocations, call_sites};
use crate::ffi::slot;
use crate::recording::record;

/// How many places are told apart, a power of two. Beyond that everything is recorded.
const PLACES: usize = 1 << 12;
/// Where a place may be, beginning at the index by its hash.
const NEAR: usize = 16;

/// Calls of a function from a place.
struct Place {
    /// The function's slot in the high 16 bits, the address that calls return to in the others; 0: free.
    key: AtomicU64,
    count: Count,
}

static CALLS: [Place; PLACES] = [const { Place { key: AtomicU64::new(0), count: Count::new() } }; PLACES];

/// After how many a place is hot, and which of them is recorded then: one in so many. A power of two. `None`: all are
/// recorded.
#[inline]
pub fn most() -> Option<u64> {
    settings::get()?.sample.map(|most| u64::from(most).next_power_of_two())
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
        && super::function_kinds::is_plain(slot)
}

/// Records how many calls from a place were not recorded.
#[cold]
pub fn record_call_count(slot: u16, caller: u64, count: &Count, most: u64) {
    let count = count.counted(most);
    if count > 0 {
        record(&Body::CallsCounted { site: call_sites::number(caller), function: slot, count });
    }
}

/// Records how many callbacks of an event were not recorded.
#[cold]
pub fn record_callback_count(agent: &AgentEnvironment, event: u16, count: &Count, most: u64) {
    let count = count.counted(most);
    if count > 0 {
        record(&Body::EventsCounted { environment: agent.number, event, count });
    }
}

/// Records all that was counted: the JVM ends.
pub fn record_counts() {
    let Some(most) = most() else { return };
    for place in &CALLS {
        let key = place.key.load(Ordering::Relaxed);
        record_call_count((key >> 48) as u16, key & 0xffff_ffff_ffff, &place.count, most);
    }
    allocations::reveal_all();
    environments::each(|agent| {
        agent.counts().for_each(|(event, count)| record_callback_count(agent, event, count, most))
    });
}
