//! Records the use of JNI in the dead phase, on the thread that calls `Agent_OnUnload`: the probe's comes first, and those of the agents
//! follow. Other threads that still use JNI are held up by the JVM, sooner or later.

use std::mem;
use std::sync::atomic::AtomicU32;

use jvmti_wire::trace::{Body, JniMisuse};

use super::call_sites;
use super::count::take;
use super::jni_table::{Cover, Purpose};
use crate::recording::record;
use crate::vm::stage;

/// The probe records this many uses at most.
const MOST: u32 = 1024;

/// The probe's `Agent_OnUnload` is about to return: replaces the JNI function table of this thread for good.
pub fn begins() {
    mem::forget(Cover::new(Purpose::Dead));
}

/// Native code uses the JNI function of that index on this thread.
pub fn used(index: usize, caller: u64) {
    static RECORDED: AtomicU32 = AtomicU32::new(0);
    if !stage::is_running() && take(&RECORDED, u32::MAX, MOST).is_some() {
        let site = call_sites::number(caller);
        call_sites::record_misuse(caller);
        record(&Body::JniMisused { function: index as u16, site, misuse: JniMisuse::DeadPhase });
    }
}
