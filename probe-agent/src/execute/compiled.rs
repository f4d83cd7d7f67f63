//! Whether the JVM has compiled a method: what it says when it is asked to generate CompiledMethodLoad for all that is compiled.
//!
//! The environment that asks is not one of the trace: its events are no part of what is judged.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use crate::ffi::{self, Env, error, event, slot};
use crate::vm::jni;

/// The version of the environment: the first one.
const VERSION: i32 = 0x3001_0000;
/// The number of the event whose callback is the first of the structure.
const FIRST: usize = 50;
const CALLBACKS: usize = event::COMPILED_METHOD_LOAD as usize - FIRST + 1;

/// The methods that the JVM has told of.
static COMPILED: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

/// Whether the JVM says that there is compiled code of this method; not if it cannot say.
pub fn is_compiled(method: u64) -> bool {
    compiled().contains(&method)
}

/// Whether the JVM says that there is compiled code of any method.
pub fn has_compiled() -> bool {
    !compiled().is_empty()
}

/// The methods of which the JVM says that there is compiled code; none if it cannot say.
fn compiled() -> BTreeSet<u64> {
    let (Some(bit), Ok(env)) =
        (ffi::capability_bit("can_generate_compiled_method_load_events"), jni::get_env(VERSION))
    else {
        return BTreeSet::new();
    };
    let env = Env(env);
    let capabilities = padded(&ffi::capabilities(&[bit]));
    let mut callbacks = [0u64; CALLBACKS];
    callbacks[CALLBACKS - 1] = (loaded as *const c_void).expose_provenance() as u64;
    let number = u64::from(event::COMPILED_METHOD_LOAD);
    COMPILED.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let asked = call(env, slot::ADD_CAPABILITIES, &[address(&capabilities)])
        && call(env, slot::SET_EVENT_CALLBACKS, &[address(&callbacks), size_of_val(&callbacks) as u64])
        && call(env, slot::SET_EVENT_NOTIFICATION_MODE, &[1, number, 0])
        && call(env, slot::GENERATE_EVENTS, &[number]);
    call(env, slot::DISPOSE_ENVIRONMENT, &[]);
    if asked { COMPILED.lock().unwrap_or_else(PoisonError::into_inner).clone() } else { BTreeSet::new() }
}

/// The callback for CompiledMethodLoad.
extern "C" fn loaded(
    _env: *mut c_void,
    method: u64,
    _size: i32,
    _code: *const c_void,
    _length: i32,
    _map: *const c_void,
    _info: *const c_void,
) {
    COMPILED.lock().unwrap_or_else(PoisonError::into_inner).insert(method);
}

/// Longer than the structure of any version.
fn padded(capabilities: &[u8]) -> [u8; 128] {
    let mut structure = [0; 128];
    let length = capabilities.len().min(structure.len());
    structure[..length].copy_from_slice(&capabilities[..length]);
    structure
}

fn address<T>(storage: &T) -> u64 {
    std::ptr::from_ref(storage).expose_provenance() as u64
}

fn call(env: Env, function: u16, args: &[u64]) -> bool {
    // SAFETY: the JVM has just given the environment, and it is disposed of last. The structures outlive their calls.
    let code = unsafe { ffi::call(env, function, args) };
    code == Ok(error::NONE)
}
