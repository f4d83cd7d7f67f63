//! Records memory that the JVM allocated and that an agent passes to another allocator, for example to `free` instead of
//! Deallocate. In recordings that poison, the other allocator never gets it, so that the process survives whichever allocator the JVM
//! uses.

use std::sync::atomic::{AtomicBool, Ordering};

use jvmti_wire::trace::Body;

use super::settings;
use super::{allocations, call_sites, given_blocks, poison};
use crate::ffi::slot;
use crate::recording::{guarded, record};

/// Whether an agent may deallocate memory without the probe's knowledge, so that it may have another owner afterwards.
static BLIND: AtomicBool = AtomicBool::new(false);

/// An environment has its own function table, so that the probe does not see its calls of Deallocate.
pub fn blind() {
    BLIND.store(true, Ordering::Release);
}

/// An agent frees memory with that function. Returns the size, if the JVM allocated the memory, the agent still holds it, and the function
/// must not get it.
#[inline]
pub fn freed(at: u64, function: &str) -> Option<usize> {
    if !poison::is_on() {
        if given_blocks::ended(at) {
            guarded(|| sees_deallocations().then(|| record_freed(at, function)));
        }
        return None;
    }
    let recorded = || {
        let size = poison::size(at).filter(|_| sees_all())?;
        record_freed(at, function);
        Some(size)
    };
    guarded(recorded).flatten()
}

#[cold]
fn record_freed(at: u64, function: &str) {
    allocations::reveal(at);
    record(&Body::FreedElsewhere { site: call_sites::outside(), function: function.to_owned(), at });
}

/// Whether the probe sees each call of Deallocate, and keeps the memory.
pub fn sees_all() -> bool {
    poison::is_on() && sees_deallocations()
}

/// Whether the probe sees each call of Deallocate.
pub fn sees_deallocations() -> bool {
    let all = settings::get().is_some_and(|wanted| {
        let is_listed = |functions: &Vec<u16>| functions.contains(&slot::DEALLOCATE);
        wanted.functions.as_ref().is_none_or(is_listed) && wanted.libraries.is_none()
    });
    all && !BLIND.load(Ordering::Acquire)
}
