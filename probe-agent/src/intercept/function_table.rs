//! The function table that agents call through: a copy of the JVM's, with the probe's stubs in it.
//!
//! All environments share one table, as in the JVM. So an agent that changes entries in place changes them for the same
//! environments as without the probe.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::settings;
use crate::ffi::{self, Env, slot};
use crate::os::memory;

/// The number of slots that the probe copies beyond the last known one, if there is memory: newer JVMs may have more.
const BEYOND: usize = 64;

struct Tables {
    /// The JVM's.
    original: *const c_void,
    /// The table that agents get.
    copy: *mut c_void,
    /// The number of known slots.
    known: usize,
}

// SAFETY: both are read and written through atomics only, and live as long as the process.
unsafe impl Send for Tables {}
// SAFETY: as above.
unsafe impl Sync for Tables {}

static TABLES: OnceLock<Tables> = OnceLock::new();

/// Gives the environment the probe's table. `false`: its table is not the one that all others share.
pub fn redirect(env: Env) -> bool {
    // SAFETY: an environment begins with the address of its function table; others may read it meanwhile.
    let head = unsafe { AtomicPtr::from_ptr(env.0.cast::<*mut c_void>()) };
    let found = head.load(Ordering::Acquire);
    let tables = TABLES.get_or_init(|| Tables::of(found));
    if found == tables.copy {
        return true;
    }
    if found.cast_const() != tables.original {
        return false;
    }
    head.store(tables.copy, Ordering::Release);
    true
}

/// The JVM's function of that slot.
pub fn original(slot: u16) -> Option<*const c_void> {
    // SAFETY: it is an entry of the table.
    let function = unsafe { place(slot)?.read() };
    (!function.is_null()).then_some(function)
}

/// Where the JVM's table has the function of that slot.
pub fn place(slot: u16) -> Option<*mut *const c_void> {
    let tables = TABLES.get()?;
    let index = usize::from(slot).checked_sub(1).filter(|index| *index < tables.known)?;
    // SAFETY: the table has that many entries.
    Some(unsafe { tables.original.cast::<*const c_void>().cast_mut().add(index) })
}

impl Tables {
    fn of(original: *mut c_void) -> Tables {
        let known = usize::from(ffi::known_table_length());
        let mut words = vec![0usize; known + BEYOND];
        for (index, word) in words.iter_mut().enumerate().take(known) {
            // SAFETY: the table of this JVM has that many entries.
            *word = unsafe { original.cast::<usize>().add(index).read() };
        }
        // There may be none after the known part of the table, or not even memory.
        memory::read_words(original.addr() + known * size_of::<usize>(), &mut words[known..]);
        for slot in 1..=ffi::known_table_length() {
            let word = &mut words[usize::from(slot) - 1];
            if let Some(stub) = ffi::stub_of(slot).filter(|_| *word != 0 && is_wanted(slot)) {
                *word = stub.0.expose_provenance();
            }
        }
        Tables { original, copy: Vec::leak(words).as_mut_ptr().cast(), known }
    }
}

/// Whether the probe has to record the function in any case, since other records depend on it.
fn is_wanted(slot: u16) -> bool {
    let needed = [slot::SET_EVENT_CALLBACKS, slot::DISPOSE_ENVIRONMENT, slot::SET_EXTENSION_EVENT_CALLBACK];
    let listed = settings::get().and_then(|wanted| wanted.functions.as_ref());
    needed.contains(&slot) || listed.is_none_or(|listed| listed.contains(&slot))
}
