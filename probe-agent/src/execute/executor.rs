//! Carries out the actions of steps and handlers: calls, JNI operations, replies, disposals.

use jvmti_wire::Value;
use jvmti_wire::plan::{Action, Arg, JniOp, OnThread};
use jvmti_wire::trace::Body;

use super::arguments::{Arguments, CallingThread};
use super::call;
use super::occurrence::Occurrence;
use super::saved::Saved;
use super::step::RunningStep;
use super::{get_env, jni_operations, other_thread};
use crate::ffi::slot;
use crate::marshal::{self, Reason};
use crate::recording::record;

/// Does what a step or handler asks for. What cannot be done is recorded.
pub fn act(step: &RunningStep<'_>, action: &Action) {
    let result = match action {
        Action::Call { environment, function, args, on } => call(step, *environment, *function, args, *on),
        Action::Jni { op: JniOp::GetEnv, args, on } if !args.is_empty() => {
            get_env::perform(step.reference, args, *on)
        }
        Action::Jni { op, args, .. } => jni_operations::perform(step, *op, args),
        Action::Reply { param, value } => reply(step, *param, value),
        Action::Keep { value } => keep(step, value),
        Action::Dispose { environment } => {
            let unsaved = RunningStep { save: None, ..*step };
            call(&unsaved, *environment, slot::DISPOSE_ENVIRONMENT, &[], OnThread::Current)
        }
    };
    if let Err(Reason(reason)) = result {
        record(&Body::StepFailed { step: step.reference, reason });
    }
}

fn call(
    step: &RunningStep<'_>,
    environment: u8,
    function: u16,
    args: &[Arg],
    on: OnThread,
) -> Result<(), Reason> {
    let made = step.case.environment(environment);
    let environment =
        made.ok_or_else(|| Reason::new(format!("environment {environment} has not been made")))?;
    if !call::is_there(step.reference, environment, function) {
        return Ok(());
    }
    let descriptor = call::descriptor(function)?;
    match on {
        OnThread::Current => call::on_current_thread(step, environment, descriptor, args),
        OnThread::Attached => other_thread::on_attached_thread(step, environment, descriptor, args),
        OnThread::Unattached => other_thread::on_unattached_thread(step, environment, descriptor, args),
    }
}

/// Keeps a parameter of the event beyond its callback.
fn keep(step: &RunningStep<'_>, value: &Arg) -> Result<(), Reason> {
    let (Arg::EventParam(index), Occurrence::Event(at)) = (value, step.firing.occurrence) else {
        return Err(Reason::new("there is no event whose parameter could be kept"));
    };
    let word = at.event.args().get(usize::from(*index)).map(|arg| arg.0);
    let word = word.ok_or_else(|| Reason::new(format!("the event has no parameter {index}")))?;
    record(&Body::Jni { step: step.reference, result: Value::Pointer(word) });
    if let Some(name) = step.save {
        step.case.save(name, Saved::Number(word.cast_signed()), None);
    }
    Ok(())
}

fn reply(step: &RunningStep<'_>, param: u16, value: &Arg) -> Result<(), Reason> {
    let Occurrence::Event(at) = step.firing.occurrence else {
        return Err(Reason::new("there is no event to reply to"));
    };
    let index = usize::from(param);
    let (Some(described), Some(arg)) = (at.event.descriptor().params.get(index), at.event.args().get(index))
    else {
        return Err(Reason::new(format!("the event has no parameter {param}")));
    };
    // Memory becomes the VM's: it gets a copy of what the case keeps, and of what is the VM's already.
    let content = match value {
        // SAFETY: the event holds what the JVM passed.
        Arg::EventParam(from) => unsafe {
            marshal::passed_bytes(at.event.descriptor().params, at.event.args(), *from).map(Arg::Bytes)
        },
        Arg::Output { step: name, path, .. } if path.is_empty() => {
            step.case.saved().get(name).and_then(Saved::content)
        }
        _ => None,
    };
    let value = content.as_ref().unwrap_or(value);
    let mut arguments = Arguments::new(step.case, step.firing, CallingThread::Current);
    // SAFETY: the event holds what the JVM passed, and the environment gives as much memory as it is asked for.
    unsafe {
        marshal::reply(described, *arg, value, &mut arguments, &mut |size| at.environment.allocate(size))
    }
}
