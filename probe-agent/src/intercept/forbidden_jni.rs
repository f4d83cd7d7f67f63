//! JNI used where it must not be used: while the heap is walked, and in callbacks of that kind.
//!
//! For as long as that lasts, and for no other thread, the functions of the thread's `JNIEnv` are those of a table of the
//! probe's. A thread that is in the JVM does not use JNI itself: who does is a callback, on whatever thread, with a
//! `JNIEnv*` that the agent has kept.

use jvmti_wire::trace::Body;

use super::call_sites;
use super::jni_table::{Cover, Purpose};
use crate::recording::{guarded, record};
use crate::vm::stage::{self, Restricted};

/// While it lives, this thread is where nothing but callback-safe functions of JVM TI are allowed.
pub struct Forbidden {
    _restricted: Restricted,
    _cover: Option<Cover>,
}

impl Forbidden {
    /// Begins.
    pub fn enter() -> Forbidden {
        let cover =
            stage::is_running().then(|| guarded(|| Cover::new(Purpose::Forbidden)).flatten()).flatten();
        Forbidden { _restricted: Restricted::enter(), _cover: cover }
    }
}

/// A function was used meanwhile.
pub fn used(index: usize, caller: u64) {
    record(&Body::JniUsed { function: index as u16, site: call_sites::number(caller) });
}
