//! Tells where a call comes from that returns into the probe: compilers let the last call of a function be a jump, so that it returns to
//! whoever called the function. For a callback, that is the probe.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::os::memory;

/// Where the probe's code begins and ends.
static BEGIN: AtomicU64 = AtomicU64::new(0);
static END: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The agent's function that the probe has called last on this thread, and that has not returned; 0: none.
    static CALLED: Cell<u64> = const { Cell::new(0) };
}

/// Interception begins.
pub fn install() {
    let here = (install as *const ()).addr();
    let code = memory::executable().unwrap_or_default();
    if let Some(own) = code.into_iter().find(|range| range.contains(&here)) {
        BEGIN.store(own.start as u64, Ordering::Release);
        END.store(own.end as u64, Ordering::Release);
    }
}

/// The probe calls a function of an agent as long as this exists.
pub struct Calling(u64);

/// The probe is about to call that function of an agent.
#[inline]
pub fn calling(function: *const c_void) -> Calling {
    Calling(CALLED.replace(function.expose_provenance() as u64))
}

impl Drop for Calling {
    fn drop(&mut self) {
        CALLED.set(self.0);
    }
}

/// Where a call comes from that returns to that address: there, or from the end of the agent's function.
#[inline]
pub fn origin(caller: u64) -> u64 {
    if caller < BEGIN.load(Ordering::Relaxed) || caller >= END.load(Ordering::Relaxed) {
        return caller;
    }
    match CALLED.get() {
        0 => caller,
        // Places in code are taken for those behind a call.
        function => function + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_returns_to_the_probe_comes_from_the_function_that_it_has_called() {
        install();
        let (here, elsewhere) =
            ((calling as *const ()).addr() as u64, (libc::free as *const ()).addr() as u64);
        assert_eq!((origin(here), origin(elsewhere)), (here, elsewhere));
        let outer = calling(std::ptr::without_provenance(0x5000));
        let inner = calling(std::ptr::without_provenance(0x6000));
        assert_eq!((origin(here), origin(elsewhere)), (0x6001, elsewhere));
        drop(inner);
        assert_eq!(origin(here), 0x5001);
        drop(outer);
        assert_eq!(origin(here), here);
    }
}
