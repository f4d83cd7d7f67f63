//! Records memory that the JVM allocated and that an agent frees by another allocator: by `free`, say, instead of
//! Deallocate. The other allocator never gets it, so that the process goes on whatever the JVM's own allocator is.

use std::sync::atomic::{AtomicBool, Ordering};

use jvmti_wire::trace::Body;

use super::settings;
use super::{call_sites, poison};
use crate::ffi::slot;
use crate::recording::{guarded, record};

/// Whether an agent may give memory back to the JVM without the probe's knowledge, so that anybody may own it afterwards.
static BLIND: AtomicBool = AtomicBool::new(false);

/// An environment has functions of its own, so that the probe does not see its calls of Deallocate.
pub fn blind() {
    BLIND.store(true, Ordering::Release);
}

/// An agent frees memory by that function. Gives its size, if the JVM gave it and the agent still has it.
pub fn freed(at: u64, function: &str) -> Option<usize> {
    let recorded = || {
        let size = poison::size(at).filter(|_| sees_all())?;
        record(&Body::FreedElsewhere { site: call_sites::outside(), function: function.to_owned(), at });
        Some(size)
    };
    guarded(recorded).flatten()
}

/// Whether the probe sees each call of Deallocate.
pub fn sees_all() -> bool {
    let all = settings::get().is_some_and(|wanted| {
        let is_listed = |functions: &Vec<u16>| functions.contains(&slot::DEALLOCATE);
        wanted.poison && wanted.functions.as_ref().is_none_or(is_listed) && wanted.libraries.is_none()
    });
    all && !BLIND.load(Ordering::Acquire)
}
