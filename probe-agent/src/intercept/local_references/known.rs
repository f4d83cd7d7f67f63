//! Whether the trace has all local references that native code has got since some of them ended, whose values later ones may have.

use std::sync::atomic::{AtomicBool, Ordering};

use jvmti_wire::trace::Body;

use super::{NATIVE, Native};
use crate::recording::record;

/// Whether the probe follows all native methods of agents.
static ALL_FOLLOWED: AtomicBool = AtomicBool::new(true);

/// There is a native method of an agent that the probe does not follow.
pub fn unfollowed() {
    ALL_FOLLOWED.store(false, Ordering::Relaxed);
}

/// Whether the probe follows all native methods of agents.
pub(super) fn are_all_followed() -> bool {
    ALL_FOLLOWED.load(Ordering::Relaxed)
}

/// Applies `act` to the native code that the thread is in, outermost first.
fn each(mut act: impl FnMut(&mut Native)) {
    let _ = NATIVE.try_with(|natives| {
        if let Ok(mut natives) = natives.try_borrow_mut() {
            natives.iter_mut().for_each(&mut act);
        }
    });
}

/// The innermost native code gets local references that the trace does not have. It may be one that the trace does not have either.
pub fn unknown() {
    let mut was_known = false;
    each(|native| was_known |= std::mem::take(&mut native.known));
    if was_known {
        record(&Body::LocalsKnown { known: false });
    }
}

/// That native code has ended, with its references: what the thread gets unseen from now on may have their values.
pub(super) fn ended(ended: &Native) {
    if ended.watched {
        each(|native| native.known = native.watched);
    }
}
