//! Tells that a thread uses the `JNIEnv` of another one.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

use jni_sys::{JNI_EDETACHED, JNI_VERSION_1_6};
use jvmti_wire::trace::{Body, JniMisuse};

use super::call_sites;
use super::count::take;
use crate::recording::{guarded, record};
use crate::vm::jni;

/// The probe records this many uses at most.
const MOST: u32 = 1024;

thread_local! {
    /// The thread's own, as it was last asked for.
    static OWN: Cell<*mut c_void> = const { Cell::new(null_mut()) };
}

/// Whether that `JNIEnv` is not that of the current thread.
#[inline]
fn is_of_another(env: *mut c_void) -> bool {
    env != OWN.get() && is_of_another_now(env)
}

#[cold]
fn is_of_another_now(env: *mut c_void) -> bool {
    match jni::get_env(JNI_VERSION_1_6) {
        Ok(own) => {
            OWN.set(own);
            own != env
        }
        // A thread that has none, such as one that collects garbage.
        Err(code) => code == JNI_EDETACHED,
    }
}

/// A thread uses the JNI function of that index with that `JNIEnv`.
#[inline]
pub fn judge(env: *mut c_void, index: usize, caller: u64) {
    static RECORDED: AtomicU32 = AtomicU32::new(0);
    if is_of_another(env) && RECORDED.load(Ordering::Relaxed) < MOST {
        guarded(|| {
            if take(&RECORDED, u32::MAX, MOST).is_some() {
                let (function, site) = (index as u16, call_sites::number(caller));
                call_sites::record_misuse(caller);
                record(&Body::JniMisused { function, site, misuse: JniMisuse::OtherThread });
            }
        });
    }
}
