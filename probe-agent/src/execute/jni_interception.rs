//! A JNI function that an interception puts in the place of the VM's.

use jni_sys::{JNIEnv, JNINativeInterface_, jint};
use jvmti_wire::plan::INTERCEPTED_VERSION;

use crate::marshal::Reason;

/// Puts the probe's `GetVersion` into a function table that the VM has given to the agent.
///
/// # Safety
/// There has to be such a table at the address, if it is not 0.
pub unsafe fn into_table(table: u64) -> Result<(), Reason> {
    let table: *mut JNINativeInterface_ = std::ptr::with_exposed_provenance_mut(table as usize);
    if table.is_null() {
        return Err(Reason::new("there is no function table"));
    }
    // SAFETY: the table is a copy that GetJNIFunctionTable allocated for the agent, at least as long as the oldest
    // version's.
    unsafe { (*table).v1_1.GetVersion = version };
    Ok(())
}

unsafe extern "system" fn version(_env: *mut JNIEnv) -> jint {
    INTERCEPTED_VERSION
}
