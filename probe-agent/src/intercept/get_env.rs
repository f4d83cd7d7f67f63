//! Replaces `GetEnv` of the `JavaVM`, from which agents get their environments.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

use jni_sys::{JNI_OK, JavaVM, jint};
use jvmti_wire::trace::Body;

use super::free_functions;
use super::{attachments, call_sites, environments, freed_elsewhere, function_table};
use crate::ffi::stub::{Entered, GET_ENV};
use crate::ffi::{self, Env, RawArg};
use crate::marshal;
use crate::recording::{guarded, record, trouble};
use crate::vm;

/// Entries of `JNIInvokeInterface`, the three reserved ones first.
const ENTRIES: usize = 8;
/// The index of `GetEnv`.
const GET_ENV_ENTRY: usize = 6;
/// The bits that mark a version as one of JVM TI, and their mask.
const INTERFACE: i32 = 0x3000_0000;
const INTERFACE_BITS: i32 = 0x7000_0000;

/// The JVM's `GetEnv`.
static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Replaces the JVM's `GetEnv`.
pub fn redirect(vm: *mut JavaVM) {
    let Some(stub) = ffi::stub_of(GET_ENV) else { return };
    // SAFETY: a `JavaVM` begins with the address of its functions, of which there are that many.
    let mut copy = unsafe { vm.cast::<*const [*mut c_void; ENTRIES]>().read().read() };
    ORIGINAL.store(copy[GET_ENV_ENTRY], Ordering::Release);
    copy[GET_ENV_ENTRY] = stub.0.cast_mut();
    attachments::replace(&mut copy);
    let copy: *mut [*mut c_void; ENTRIES] = Box::leak(Box::new(copy));
    // SAFETY: the VM and its word are there until the process ends; the copy is never freed.
    unsafe { AtomicPtr::from_ptr(vm.cast::<*mut c_void>()) }.store(copy.cast(), Ordering::Release);
}

/// An agent or another library calls `GetEnv(vm, void** env, jint version)`.
pub fn get_env(call: &Entered) -> jint {
    // SAFETY: the function is the VM's `GetEnv`, the arguments are the caller's.
    let code = unsafe { call.forward(ORIGINAL.load(Ordering::Acquire)) };
    // Libraries request JNI environments in signal handlers, too, so the probe does nothing else here.
    let version = call.words[2] as i32;
    if version & INTERFACE_BITS == INTERFACE {
        guarded(|| asked(call, version, code));
    }
    code
}

fn asked(call: &Entered, version: i32, code: jint) {
    let (site, library) = call_sites::of(call.caller);
    if !call_sites::is_wanted(&library) {
        return;
    }
    let number = vm::environments::next_number();
    record(&Body::EnvironmentMade { environment: number, case: None, index: 0, code });
    let pointer = match code {
        // SAFETY: the JVM has written the environment through the caller's pointer.
        JNI_OK => unsafe { marshal::load_pointer(call.words[1]) },
        _ => 0,
    };
    record(&Body::AgentEnvironment { environment: number, site, version, pointer });
    if pointer == 0 {
        return;
    }
    let env = Env(RawArg(pointer).pointer());
    if !function_table::redirect(env) {
        trouble(format!("environment {number} has functions of its own: calls of them are not recorded"));
        freed_elsewhere::blind();
    }
    environments::add_library(&library);
    free_functions::watch(call.caller);
    environments::add(number, env);
}
