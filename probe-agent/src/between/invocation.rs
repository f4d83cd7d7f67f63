//! The functions of the `JavaVM`: `GetEnv` is where environments come from.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

use jni_sys::{JNI_OK, JavaVM, jint};
use jvmti_wire::trace::Body;

use super::{agents, foreign, guarded, sites, table};
use crate::environments;
use crate::ffi::Env;
use crate::ffi::stub::{self, Entered, GET_ENV};
use crate::recorder::{record, trouble};

/// Entries of `JNIInvokeInterface`, the three reserved ones first.
const ENTRIES: usize = 8;
/// The one of `GetEnv`.
const GET_ENV_ENTRY: usize = 6;
/// What all versions of JVM TI have in common, and the bits that they have it in.
const INTERFACE: i32 = 0x3000_0000;
const INTERFACE_BITS: i32 = 0x7000_0000;

/// The JVM's `GetEnv`.
static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Leads the VM's `GetEnv` through the probe's.
pub fn redirect(vm: *mut JavaVM) {
    let Some(stub) = stub::stub_of(GET_ENV) else { return };
    // SAFETY: a `JavaVM` begins with the address of its functions, of which there are that many.
    let mut copy = unsafe { vm.cast::<*const [*mut c_void; ENTRIES]>().read().read() };
    ORIGINAL.store(copy[GET_ENV_ENTRY], Ordering::Release);
    copy[GET_ENV_ENTRY] = stub.0.cast_mut();
    let copy: *mut [*mut c_void; ENTRIES] = Box::leak(Box::new(copy));
    // SAFETY: the VM and its word are there until the process ends; the copy is never freed.
    unsafe { AtomicPtr::from_ptr(vm.cast::<*mut c_void>()) }.store(copy.cast(), Ordering::Release);
}

/// Somebody calls `GetEnv(vm, void** env, jint version)`.
pub fn get_env(call: &Entered) -> jint {
    // SAFETY: the function is the VM's `GetEnv`, the arguments are the caller's.
    let code = unsafe { call.forward(ORIGINAL.load(Ordering::Acquire)) };
    // JNI environments are asked for from signal handlers, too: nothing more is done there.
    let version = call.words[2] as i32;
    if version & INTERFACE_BITS == INTERFACE {
        guarded(|| asked(call, version, code));
    }
    code
}

fn asked(call: &Entered, version: i32, code: jint) {
    let (site, library) = sites::of(call.caller);
    if !sites::is_wanted(&library) {
        return;
    }
    let number = environments::next_number();
    record(&Body::EnvironmentMade { environment: number, case: None, index: 0, code });
    // SAFETY: after success the VM has written the environment through the caller's pointer.
    let env = unsafe { RawPointer(call.words[1]).read() };
    let pointer = if code == JNI_OK { env.expose_provenance() as u64 } else { 0 };
    record(&Body::AgentEnvironment { environment: number, site, version, pointer });
    if code == JNI_OK && !env.is_null() && !table::redirect(Env(env)) {
        trouble(format!("environment {number} has functions of its own: calls of them are not recorded"));
        foreign::blind();
    }
    if code == JNI_OK {
        foreign::watch(call.caller);
        agents::add(number, Env(env));
    }
}

/// The address of a pointer.
struct RawPointer(u64);

impl RawPointer {
    /// # Safety
    /// A pointer has to be readable there, if it is not null.
    unsafe fn read(&self) -> *mut c_void {
        let at: *const *mut c_void = std::ptr::with_exposed_provenance(self.0 as usize);
        // SAFETY: the caller vouches for it.
        if at.is_null() { std::ptr::null_mut() } else { unsafe { at.read() } }
    }
}
