//! The probe as a statically linked agent of the name `probe`: an executable that these functions are linked into and
//! that exports them has the agent built in. Another one, `quiet`, has no shutdown function.

use std::ffi::{c_char, c_void};

use jni_sys::{JavaVM, jint};
use jvmti_wire::trace::EntryPoint;

use crate::lifecycle::entry;

/// The addresses of the functions: who mentions them has the linker keep them.
pub const FUNCTIONS: [*const c_void; 4] = [
    Agent_OnLoad_probe as *const c_void,
    Agent_OnAttach_probe as *const c_void,
    Agent_OnUnload_probe as *const c_void,
    Agent_OnLoad_quiet as *const c_void,
];

/// Called by the VM in place of `Agent_OnLoad`.
#[unsafe(no_mangle)]
pub extern "system" fn Agent_OnLoad_probe(
    vm: *mut JavaVM,
    options: *mut c_char,
    _reserved: *mut c_void,
) -> jint {
    entry::start_up(EntryPoint::OnLoad, "Agent_OnLoad_probe", vm, options)
}

/// Called by the VM in place of `Agent_OnAttach`.
#[unsafe(no_mangle)]
pub extern "system" fn Agent_OnAttach_probe(
    vm: *mut JavaVM,
    options: *mut c_char,
    _reserved: *mut c_void,
) -> jint {
    entry::start_up(EntryPoint::OnAttach, "Agent_OnAttach_probe", vm, options)
}

/// Called by the VM in place of `Agent_OnUnload`.
#[unsafe(no_mangle)]
pub extern "system" fn Agent_OnUnload_probe(_vm: *mut JavaVM) {
    entry::unload("Agent_OnUnload_probe");
}

/// Called by the VM for the agent that need not be told of the end.
#[unsafe(no_mangle)]
pub extern "system" fn Agent_OnLoad_quiet(
    vm: *mut JavaVM,
    options: *mut c_char,
    _reserved: *mut c_void,
) -> jint {
    entry::start_up(EntryPoint::OnLoad, "Agent_OnLoad_quiet", vm, options)
}
