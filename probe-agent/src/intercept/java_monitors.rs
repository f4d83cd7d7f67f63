//! Records that threads enter monitors of Java objects by JNI, and exit them. What Java code does by `synchronized` is not seen.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use jvmti_wire::trace::{Body, MonitorChange};
use jvmti_wire::value::{ObjectId, Value};

use super::call_sites;
use super::replaced_jni::{self, MONITOR_ENTER};
use crate::recording::{guarded, record};
use crate::vm::identity;
use crate::vm::jni::{Jni, Ref};
use crate::vm::stage;

/// The probe records this many changes at most.
const MOST: u32 = 1 << 16;

static CHANGES: AtomicU32 = AtomicU32::new(0);

/// The object with that reference, as long as the probe follows monitors.
fn object(reference: u64) -> Option<ObjectId> {
    if CHANGES.load(Ordering::Relaxed) >= MOST || !stage::objects_allowed() {
        return None;
    }
    match identity::object(Jni::current(), Ref::from_word(reference)) {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

fn changed(object: ObjectId, change: MonitorChange, caller: u64) {
    match CHANGES.fetch_add(1, Ordering::Relaxed) + 1 {
        number if number < MOST => {
            record(&Body::JavaMonitor { object, change, site: call_sites::number(caller) });
        }
        MOST => {
            record(&Body::JavaMonitor { object: ObjectId(0), change: MonitorChange::Unfollowed, site: 0 })
        }
        _ => {}
    }
}

/// In place of MonitorEnter.
pub unsafe extern "C" fn enter(env: *mut c_void, reference: u64) -> u64 {
    let caller = replaced_jni::caller();
    let object = guarded(|| {
        let object = object(reference)?;
        changed(object, MonitorChange::Wanted, caller);
        Some(object)
    });
    // SAFETY: the caller calls MonitorEnter with these.
    let code = unsafe { replaced_jni::original(MONITOR_ENTER)(env, reference) };
    if let Some(object) = object.flatten() {
        let change = if code as i32 == 0 { MonitorChange::Entered } else { MonitorChange::Refused };
        guarded(|| changed(object, change, caller));
    }
    code
}

/// A thread is about to exit the monitor of the object with that reference.
pub fn exits(reference: u64, caller: u64) {
    if let Some(object) = object(reference) {
        changed(object, MonitorChange::Exited, caller);
    }
}
