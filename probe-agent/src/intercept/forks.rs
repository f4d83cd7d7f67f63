//! Tells that an agent calls JVM TI in a process that `fork` has made: it has the memory of the JVM, and none of its other threads.

use std::sync::atomic::{AtomicBool, Ordering};

use jvmti_wire::trace::{Body, NativeCode};

use super::call_sites;
use crate::ffi::stub::Entered;
use crate::os::process;
use crate::recording::{self, guarded, record};

/// This process is one that `fork` has made, and it has made no call yet.
static CHILD: AtomicBool = AtomicBool::new(false);

/// Watches for such processes from now on. The first call is all that is recorded of them.
pub(super) fn install() {
    process::in_forked(begins);
}

extern "C" fn begins() {
    CHILD.store(true, Ordering::Relaxed);
    recording::set_silent(true);
}

/// An agent makes a call.
#[inline]
pub(super) fn called(entered: &Entered) {
    if CHILD.load(Ordering::Relaxed) {
        told(entered);
    }
}

#[cold]
fn told(entered: &Entered) {
    CHILD.store(false, Ordering::Relaxed);
    recording::set_silent(false);
    guarded(|| {
        let site = call_sites::number(entered.caller);
        record(&Body::Native(NativeCode::CalledInFork { function: entered.slot, site }));
    });
    recording::set_silent(true);
}
