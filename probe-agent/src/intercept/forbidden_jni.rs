//! Records the use of JNI where the specification forbids it: during a heap walk, and in callbacks that may call only
//! callback-safe functions.
//!
//! Meanwhile the probe replaces the JNI function table of that thread, and of no other. A thread inside the JVM does not use
//! JNI itself. If its table is used, a callback does so, on whatever thread, with a `JNIEnv*` that the agent has kept.

use jvmti_wire::trace::Body;

use super::call_sites;
use super::jni_table::{Cover, Purpose};
use crate::recording::{guarded, record};
use crate::vm::stage::{self, Restricted};

/// This thread may call only callback-safe functions of JVM TI as long as this exists.
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

/// A callback has used a JNI function.
pub fn used(index: usize, caller: u64) {
    record(&Body::JniUsed { function: index as u16, site: call_sites::number(caller) });
}
