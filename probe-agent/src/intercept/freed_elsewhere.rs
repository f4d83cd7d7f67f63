//! Memory that the JVM gave and that agents hand to another allocator: to `free`, say, instead of Deallocate. It is kept
//! from there, whatever the JVM's own allocator is, so that the process goes on.

use std::sync::atomic::{AtomicBool, Ordering};

use jvmti_wire::trace::Body;

use super::settings;
use super::{call_sites, poison};
use crate::ffi::slot;
use crate::recording::{guarded, record};

/// Whether memory may be given back to the JVM without the probe's knowledge, so that it may be anybody's afterwards.
static BLIND: AtomicBool = AtomicBool::new(false);

/// An environment has functions of its own, so that calls of Deallocate are not seen.
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

/// Whether each call of Deallocate comes by here.
pub fn sees_all() -> bool {
    let all = settings::get().is_some_and(|wanted| {
        let is_listed = |functions: &Vec<u16>| functions.contains(&slot::DEALLOCATE);
        wanted.poison && wanted.functions.as_ref().is_none_or(is_listed) && wanted.libraries.is_none()
    });
    all && !BLIND.load(Ordering::Acquire)
}
