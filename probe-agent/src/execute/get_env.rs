//! `GetEnv`, asked for any version and from any thread.

use std::thread;

use jvmti_wire::Value;
use jvmti_wire::plan::{Arg, OnThread};
use jvmti_wire::trace::{Body, StepRef};

use crate::marshal::Reason;
use crate::recording::record;
use crate::vm::environments;
use crate::vm::jni::Jni;

/// Asks, and records what came of it.
pub fn perform(step: StepRef, args: &[Arg], on: OnThread) -> Result<(), Reason> {
    let [Arg::Int(version)] = args else { return Err(Reason::new("GetEnv takes a version")) };
    let version = i32::try_from(*version).map_err(|_| Reason::new("the version has more than 32 bits"))?;
    let elsewhere = |attached: bool| {
        thread::scope(|scope| scope.spawn(move || there(version, attached)).join())
            .map_err(|_| Reason::new("the new thread ended badly"))?
    };
    let result = match on {
        OnThread::Current => environments::version_given(version),
        OnThread::Attached => elsewhere(true)?,
        OnThread::Unattached => elsewhere(false)?,
    };
    record(&Body::Jni { step, result: Value::Int(result.into()) });
    Ok(())
}

/// Asks on this thread, which is new.
fn there(version: i32, attached: bool) -> Result<i32, Reason> {
    if !attached {
        return Ok(environments::version_given(version));
    }
    Jni::attach(c"jvmticheck attached").map_err(|code| Reason::new(format!("attaching gave {code}")))?;
    let result = environments::version_given(version);
    Jni::detach();
    Ok(result)
}
