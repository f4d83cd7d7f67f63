//! `GetEnv`, asked for any version and from any thread.

use std::thread;

use jni_sys::JNI_OK;
use jvmti_wire::Value;
use jvmti_wire::plan::{Arg, OnThread};
use jvmti_wire::trace::{Body, StepRef};

use crate::ffi::{self, Env, error, slot};
use crate::marshal::Reason;
use crate::recording::record;
use crate::vm::jni::{self, Jni};

/// The bits of a version that tell whose it is, and their value for JVM TI.
const INTERFACE: (i32, i32) = (0x7000_0000, 0x3000_0000);

/// Asks, and records what came of it.
pub fn perform(step: StepRef, args: &[Arg], on: OnThread) -> Result<(), Reason> {
    let [Arg::Int(version)] = args else { return Err(Reason::new("GetEnv takes a version")) };
    let version = i32::try_from(*version).map_err(|_| Reason::new("the version has more than 32 bits"))?;
    let elsewhere = |attached: bool| {
        thread::scope(|scope| scope.spawn(move || there(version, attached)).join())
            .map_err(|_| Reason::new("the new thread ended badly"))?
    };
    let result = match on {
        OnThread::Current => ask(version),
        OnThread::Attached => elsewhere(true)?,
        OnThread::Unattached => elsewhere(false)?,
    };
    record(&Body::Jni { step, result: Value::Int(result.into()) });
    Ok(())
}

/// Asks on this thread, which is new.
fn there(version: i32, attached: bool) -> Result<i32, Reason> {
    if !attached {
        return Ok(ask(version));
    }
    Jni::attach(c"jvmticheck attached").map_err(|code| Reason::new(format!("attaching gave {code}")))?;
    let result = ask(version);
    Jni::detach();
    Ok(result)
}

/// The version of what is given for that version, or the answer. What is given without a version counts as `JNI_OK`.
fn ask(version: i32) -> i32 {
    let env = match jni::get_env(version) {
        Ok(env) => env,
        Err(code) => return code,
    };
    if version & INTERFACE.0 != INTERFACE.1 {
        return JNI_OK;
    }
    let mut given = 0i32;
    let place = (&raw mut given).expose_provenance() as u64;
    let code = ffi::call(Env(env), slot::GET_VERSION_NUMBER, &[place]);
    // What cannot be disposed of stays.
    let _ = ffi::call(Env(env), slot::DISPOSE_ENVIRONMENT, &[]);
    if code == Ok(error::NONE) { given } else { JNI_OK }
}
