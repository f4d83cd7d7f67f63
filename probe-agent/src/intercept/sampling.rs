//! Samples hot call sites: the probe counts calls that come over and over from one site, and callbacks of one function, and
//! records only one in so many. Who holds memory or a raw monitor depends on each call: of a counted call that changes
//! this it writes a short record, unless another call soon undoes what it did.

use jvmti_wire::trace::Body;

use super::count::Count;
use super::environments::{self, AgentEnvironment};
use super::key_table::{KeyTable, key_table};
use super::settings;
use super::{allocations, call_sites, function_kinds, poison, watched_threads};
use crate::ffi::slot;
use crate::recording::record;

/// Counts of calls by function and call site: the slot in the high 16 bits of the key, the return address in the others. The
/// probe records all calls that do not fit in.
static CALLS: KeyTable<Count, { 1 << 12 }> = key_table!(Count::new());

/// A call site is hot after so many calls, of which the probe then records one in so many. A power of two. `None`: the probe
/// records all calls.
#[inline]
pub fn most() -> Option<u64> {
    settings::get()?.sample.map(|most| u64::from(most).next_power_of_two())
}

/// The count of calls of that function from that call site, if the probe samples them.
#[inline]
pub fn calls(slot: u16, caller: u64) -> Option<(&'static Count, u64)> {
    let most = most()?;
    let key = call_sites::key(slot, caller);
    let place = CALLS.find(key, || is_sampled(slot))?;
    Some((CALLS.value(place.index())?, most))
}

/// Whether the probe need not record each call of the function: the others change what calls mean, invoke callbacks, wait, or are
/// one of a pair that a rule watches. With poison, what they read from memory of an agent is a question, too.
fn is_sampled(slot: u16) -> bool {
    const ALWAYS_RECORDED: [u16; 14] = [
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
    ];
    let is_question = poison::is_on() && function_kinds::reads_memory(slot);
    let is_recorded =
        ALWAYS_RECORDED.contains(&slot) || function_kinds::changes_suspension(slot) || is_question;
    function_kinds::is_plain(slot) && !is_recorded
}

/// Records the number of calls from a call site that were only counted.
#[cold]
pub fn record_call_count(slot: u16, caller: u64, count: &Count, most: u64) {
    let left = watched_threads::leased(count);
    let count = count.counted(most).saturating_sub(left);
    if count > 0 {
        record(&Body::CallsCounted { site: call_sites::number(caller), function: slot, count });
    }
}

/// Records the number of callbacks of an event that were only counted.
#[cold]
pub fn record_callback_count(agent: &AgentEnvironment, event: u16, count: &Count, most: u64) {
    let count = count.counted(most);
    if count > 0 {
        record(&Body::EventsCounted { environment: agent.number, event, count });
    }
}

/// The JVM is ending: records all counts.
pub fn record_counts() {
    let Some(most) = most() else { return };
    for (key, count) in CALLS.iter() {
        record_call_count((key >> 48) as u16, key & 0xffff_ffff_ffff, count, most);
    }
    allocations::reveal_all();
    environments::each(|agent| {
        agent.counts().for_each(|(event, count)| record_callback_count(agent, event, count, most))
    });
}
