//! Makes a call of the plan's on the current thread, and records it.

use jvmti_wire::plan::Arg;
use jvmti_wire::trace::{Body, MissingEntry, StepRef};

use super::arguments::{Arguments, CallingThread};
use super::cases::RunningCase;
use super::handover;
use super::modifiable;
use super::occurrence::{Firing, Occurrence};
use super::open_calls;
use super::saved::Saved;
use super::step::RunningStep;
use super::transferred::Transferred;
use crate::ffi::{self, FunctionDescriptor, Missing, error, slot};
use crate::marshal::{Call, Reason};
use crate::recording::{next_call, record};
use crate::vm::environments::OwnEnvironment;
use crate::vm::jni::{Jni, Ref};
use crate::vm::probe_environment;

/// Calls a function on the current thread, where nothing occurs that a step could wait for.
pub fn call_here(
    case: &RunningCase,
    reference: StepRef,
    environment: &'static OwnEnvironment,
    function: u16,
    args: &[Arg],
) -> Result<(), Reason> {
    if !is_there(reference, environment, function) {
        return Ok(());
    }
    let firing = Firing { occurrence: Occurrence::Elsewhere, jni: None };
    let step = RunningStep { case, reference, save: None, firing: &firing };
    on_current_thread(&step, environment, descriptor(function)?, args)
}

/// Whether this VM's function table has the function. If not, that is recorded.
pub fn is_there(step: StepRef, environment: &OwnEnvironment, function: u16) -> bool {
    let entry = match environment.has(function) {
        Err(Missing::BeyondTable { length, .. }) => MissingEntry::BeyondTable { length },
        Err(Missing::NullEntry { .. }) => MissingEntry::Null,
        // What else may be wrong, the call itself says.
        _ => return true,
    };
    record(&Body::FunctionMissing { step, function, entry });
    false
}

/// The description of a function.
pub fn descriptor(function: u16) -> Result<&'static FunctionDescriptor, Reason> {
    ffi::descriptor(function).ok_or_else(|| Reason::new(format!("no function has slot {function}")))
}

/// Makes the call on the current thread.
pub fn on_current_thread(
    step: &RunningStep<'_>,
    environment: &'static OwnEnvironment,
    descriptor: &'static FunctionDescriptor,
    args: &[Arg],
) -> Result<(), Reason> {
    let mut arguments = Arguments::new(step.case, step.firing, CallingThread::Current);
    let _frame = Frame::open(arguments.jni());
    let call = Call::prepare(descriptor, args, &mut arguments)?;
    perform(step, environment, descriptor, call, &mut arguments);
    Ok(())
}

/// Makes the call and records it.
pub fn perform(
    step: &RunningStep<'_>,
    environment: &'static OwnEnvironment,
    descriptor: &'static FunctionDescriptor,
    mut call: Call,
    arguments: &mut Arguments<'_>,
) {
    let number = next_call();
    let jni = arguments.jni();
    let opened = open_calls::begin(number, environment.number, step, &mut call);
    let before = jni.is_some_and(Jni::exception_pending);
    record(&Body::CallBegin {
        call: number,
        environment: environment.number,
        function: descriptor.slot,
        step: step.reference,
        args: call.recorded_args().to_vec(),
    });
    arguments.doom();
    // SAFETY: the JVM gave the environment; what wrong arguments do to the JVM is what a plan may be about.
    let code = unsafe { call.invoke(environment.env) }.unwrap_or(-1);
    let after = jni.is_some_and(Jni::exception_pending);
    let outputs = call.outputs(arguments);
    record(&Body::CallEnd { call: number, code, outputs, exception: (before, after) });
    opened.end();
    modifiable::ask(environment, descriptor.slot, code, call.raw(), arguments);
    if code == error::NONE {
        match (descriptor.slot, call.raw()) {
            (slot::DISPOSE_ENVIRONMENT, _) => {
                environment.set_gone();
                handover::forget(environment.env);
            }
            (slot::DEALLOCATE, [memory]) => step.case.disown(*memory),
            (function, args) => handover::note(step.case, environment, function, args, jni),
        }
    }
    let mut transferred = Transferred::by(&call, jni);
    match step.save {
        Some(name) => step.case.save(name, Saved::call(call, jni), jni),
        None if environment.is_gone() => {
            // SAFETY: the call owns what the JVM allocated for it.
            call.release(&mut |memory| unsafe { probe_environment::deallocate(memory) }, &mut |_| {});
        }
        None => call.release(&mut |block| transferred.deallocate(environment, block), &mut |local| {
            if let Some(jni) = jni {
                jni.delete_returned(Ref(local));
            }
        }),
    }
    transferred.record(number, step.reference);
}

/// Local references made while it is open are freed when it goes.
struct Frame(Option<Jni>);

impl Frame {
    fn open(jni: Option<Jni>) -> Frame {
        Frame(jni.filter(|jni| jni.push_frame()))
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        if let Some(jni) = self.0 {
            jni.pop_frame();
        }
    }
}
