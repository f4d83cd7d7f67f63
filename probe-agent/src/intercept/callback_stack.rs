//! Tells that a call passes an address in the frames of the callback or of the `Agent_OnLoad` that makes it, which are gone when it
//! returns; or that it passes a buffer in the data of a library, whose size the library's symbols tell, or one that the agent has
//! allocated.

use std::cell::Cell;

use jvmti_wire::trace::{Body, NativeCode};

use super::key_table::{KeyTable, Position, key_table};
use super::{call_sites, freed_elsewhere, own_blocks};
use crate::ffi::slot;
use crate::ffi::stub::Entered;
use crate::recording::record;
use crate::vm::stage;

/// The frames of the probe's own `Agent_OnLoad`, and what lies between them and those of an agent's, take no more than this.
const BETWEEN: usize = 4096;

thread_local! {
    /// The end of the frames of any `Agent_OnLoad` on this thread; 0: none has run here.
    static LOADING: Cell<usize> = const { Cell::new(0) };
    /// The end of the frames of the innermost callback that is recorded; 0: there is none.
    static END: Cell<usize> = const { Cell::new(0) };
}

/// The probe's own `Agent_OnLoad` runs on this thread: the JVM calls those of agents from the same frame.
#[inline(never)]
pub fn loading() {
    let here = 0u8;
    LOADING.set(std::ptr::from_ref(&here).addr() + BETWEEN);
}

/// The thread is in a callback.
pub struct Within(usize);

/// The current thread is about to enter a callback from this frame.
#[inline(always)]
pub fn enter() -> Within {
    let here = 0u8;
    // The stack grows down: the frames of the callback are below this one.
    Within(END.replace(std::ptr::from_ref(&here).addr()))
}

/// Whether the thread is in a callback that is recorded.
pub fn is_within() -> bool {
    END.get() != 0
}

impl Drop for Within {
    fn drop(&mut self) {
        END.set(self.0);
    }
}

/// The argument of a function that a JVM keeps, or writes an array to: its index.
fn argument(slot: u16) -> Option<usize> {
    match slot {
        slot::SET_ENVIRONMENT_LOCAL_STORAGE => Some(1),
        slot::SET_THREAD_LOCAL_STORAGE | slot::SET_TAG => Some(2),
        slot::RUN_AGENT_THREAD => Some(3),
        slot::GET_STACK_TRACE => Some(4),
        _ => None,
    }
}

/// An agent is about to make a call from that place.
pub fn record_address(entered: &Entered, site: u32) {
    let Some(index) = argument(entered.slot) else { return };
    let end = match END.get() {
        // Only in `Agent_OnLoad` does an agent call without a callback before the JVM has started.
        0 if !stage::is_running() => LOADING.get(),
        end => end,
    };
    let address = entered.words[index] as usize;
    // What the call itself has put on the stack is below the frames of the callback.
    if address >= std::ptr::from_ref(entered).addr() && address < end {
        let room = (end - address) as u64;
        record(&Body::Native(NativeCode::StackAddress { function: entered.slot, site, room }));
    } else if entered.slot == slot::GET_STACK_TRACE {
        match freed_elsewhere::sees_all().then(|| own_blocks::size(address as u64)).flatten() {
            Some(room) => {
                record(&Body::Native(NativeCode::AllocatedAddress { function: entered.slot, site, room }));
            }
            None => record_static(entered, site, address),
        }
    }
}

/// Records, once for each call site and address, that the address is in the data of a library.
fn record_static(entered: &Entered, site: u32, address: usize) {
    static SEEN: KeyTable<(), { 1 << 10 }> = key_table!(());
    let key = u64::from(site) << 48 ^ address as u64;
    if !matches!(SEEN.find(key, || true), Some(Position::New(_))) {
        return;
    }
    let place = call_sites::place(address as u64);
    if !place.library.is_empty() {
        record(&Body::Native(NativeCode::StaticAddress { function: entered.slot, site, place }));
    }
}
