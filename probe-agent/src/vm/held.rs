//! Environments in the probe's own hands: what it undoes in one that passes from case to case, and what it asks through one
//! that no case knows.

use std::ffi::c_void;

use crate::ffi::{self, Env, error, event, slot};
use crate::vm::jni::{self, Ref};

/// The version of an environment that asks for the probe: the first one.
const VERSION: i32 = 0x3001_0000;
/// The number of the event whose callback is the first of the structure.
const FIRST: usize = 50;
const CALLBACKS: usize = event::COMPILED_METHOD_LOAD as usize - FIRST + 1;
const DISABLE: u64 = 0;
const ENABLE: u64 = 1;

/// The callback for CompiledMethodLoad: environment, method, code with its size, map with its length, information.
pub type CompiledMethodLoad =
    extern "C" fn(*mut c_void, u64, i32, *const c_void, i32, *const c_void, *const c_void);

/// An environment that nobody disposes of while this is used.
#[derive(Clone, Copy, Debug)]
pub struct Held(Env);

impl Held {
    /// An environment of the JVM that the trace does not know, if the JVM gives one.
    pub fn unknown() -> Option<Held> {
        jni::get_env(VERSION).ok().map(|env| Held(Env(env)))
    }

    /// The environment.
    ///
    /// # Safety
    /// The JVM has to have given it, and nobody may dispose of it while this is used.
    pub unsafe fn new(env: Env) -> Held {
        Held(env)
    }

    /// Disposes of it.
    pub fn dispose(self) {
        self.call(slot::DISPOSE_ENVIRONMENT, &[]);
    }

    /// Adds capabilities, given by bit; whether that worked.
    pub fn add(self, bits: &[u16]) -> bool {
        self.call(slot::ADD_CAPABILITIES, &[address(&structure(bits))])
    }

    /// Relinquishes capabilities, given by bit.
    pub fn relinquish(self, bits: &[u16]) {
        self.call(slot::RELINQUISH_CAPABILITIES, &[address(&structure(bits))]);
    }

    /// Disables an event for a thread, or with null for all threads; whether that worked.
    pub fn disable(self, event: u16, thread: Ref) -> bool {
        self.call(slot::SET_EVENT_NOTIFICATION_MODE, &[DISABLE, event.into(), thread.word()])
    }

    /// Has the JVM call this for each method of which it has compiled code; whether that worked.
    pub fn generate_compiled_method_load(self, callback: CompiledMethodLoad) -> bool {
        let mut callbacks = [0u64; CALLBACKS];
        callbacks[CALLBACKS - 1] = (callback as *const c_void).expose_provenance() as u64;
        let number = u64::from(event::COMPILED_METHOD_LOAD);
        self.call(slot::SET_EVENT_CALLBACKS, &[address(&callbacks), size_of_val(&callbacks) as u64])
            && self.call(slot::SET_EVENT_NOTIFICATION_MODE, &[ENABLE, number, 0])
            && self.call(slot::GENERATE_EVENTS, &[number])
    }

    /// Clears a breakpoint or a watch.
    ///
    /// # Safety
    /// The function is one of those that do that, and the arguments are such as the environment has taken when it was set.
    pub unsafe fn clear(self, function: u16, args: [u64; 2]) {
        self.call(function, &args);
    }

    /// Sets the storage of the environment for a thread to null.
    pub fn clear_thread_storage(self, thread: Ref) {
        self.call(slot::SET_THREAD_LOCAL_STORAGE, &[thread.word(), 0]);
    }

    /// Sets the storage of the environment to null.
    pub fn clear_storage(self) {
        self.call(slot::SET_ENVIRONMENT_LOCAL_STORAGE, &[0]);
    }

    /// Calls a function; whether that worked.
    fn call(self, function: u16, args: &[u64]) -> bool {
        // SAFETY: the environment is not disposed of. The functions above pass what the function takes: numbers, what the JVM
        // has given, structures that outlive the call, and storage of their own for what the JVM writes.
        let code = unsafe { ffi::call(self.0, function, args) };
        code == Ok(error::NONE)
    }
}

/// The content of a `jvmtiCapabilities`, longer than the structure of any version.
pub(super) fn structure(bits: &[u16]) -> [u8; 128] {
    let capabilities = ffi::capabilities(bits);
    let mut structure = [0; 128];
    let length = capabilities.len().min(structure.len());
    structure[..length].copy_from_slice(&capabilities[..length]);
    structure
}

fn address<T>(storage: &T) -> u64 {
    std::ptr::from_ref(storage).expose_provenance() as u64
}
