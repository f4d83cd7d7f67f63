//! Intercepts threads that agents start: a function of the probe calls the agent's function.

use std::ffi::c_void;

use jni_sys::{JNIEnv, jint};
use jvmti_wire::trace::{Body, NativeCode};

use super::{call_sites, last_calls, local_references};
use crate::ffi::stub::Entered;
use crate::ffi::{RawArg, error};
use crate::recording::{guarded, record};
use crate::vm::jni::{Jni, Ref};
use crate::vm::probe_environment;
use crate::vm::stage;

/// `jvmtiStartFunction`
type Function = unsafe extern "C-unwind" fn(*mut c_void, *mut JNIEnv, *mut c_void);

/// The agent's function and its argument.
struct Start {
    function: Function,
    argument: *mut c_void,
    /// The call site of `RunAgentThread`.
    site: u32,
}

/// What the probe passed to `RunAgentThread` in place of the agent's function and argument.
pub struct Replaced(*mut Start);

/// Replaces the function that the agent passes to `RunAgentThread`.
pub fn replace(entered: &mut Entered) -> Option<Replaced> {
    let [_, _, function, argument, ..] = entered.words;
    if function == 0 || !local_references::is_possible() {
        return None;
    }
    // SAFETY: the agent passes a function of that type.
    let function = unsafe { std::mem::transmute::<*mut c_void, Function>(RawArg(function).pointer()) };
    let (argument, site) = (RawArg(argument).pointer(), call_sites::number(entered.caller));
    let start = Box::into_raw(Box::new(Start { function, argument, site }));
    entered.words[2] = (run as *const c_void).expose_provenance() as u64;
    entered.words[3] = start.expose_provenance() as u64;
    Some(Replaced(start))
}

impl Replaced {
    /// `RunAgentThread` has returned.
    pub fn settle(self, code: jint) {
        if code != error::NONE {
            // SAFETY: no thread was started that would have it.
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

/// Whether no constructor has been called for the object of the current thread: each gives it a group, which it keeps until its end.
fn is_unmade() -> bool {
    let group = || {
        let (environment, jni) = (probe_environment::get()?, Jni::current()?);
        environment.thread_info(Ref::NULL, |reference| jni.delete_local(reference))
    };
    stage::is_live() && group().is_some_and(|(_, is_in_group)| !is_in_group)
}

/// The function that the thread runs. The agent's own may leave it by `pthread_exit`.
unsafe extern "C-unwind" fn run(env: *mut c_void, jni: *mut JNIEnv, start: *mut c_void) {
    // SAFETY: it was made for this thread alone.
    let start = unsafe { Box::from_raw(start.cast::<Start>()) };
    let Start { function, argument, site } = *start;
    let passed = argument.expose_provenance() as u64;
    guarded(|| {
        record(&Body::Native(NativeCode::ThreadBegan { site, argument: passed }));
        if is_unmade() {
            record(&Body::Native(NativeCode::ThreadUnmade { site }));
        }
    });
    let inside = local_references::agent_thread();
    let calling = last_calls::calling(function as *const c_void);
    // SAFETY: the agent has passed the function to be called with these.
    unsafe { function(env, jni, argument) };
    drop(calling);
    drop(inside);
    // SAFETY: the JVM passed it for this thread.
    let own = unsafe { Jni::handed(jni) }.filter(|_| stage::is_live());
    if own.is_some_and(Jni::exception_pending) {
        guarded(|| record(&Body::Native(NativeCode::ThreadThrew { site })));
    }
}
