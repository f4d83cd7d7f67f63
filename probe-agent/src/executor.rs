//! Takes the steps of a plan: calls, JNI operations, replies, disposals.

use std::sync::atomic::{AtomicU32, Ordering};

use jvmti_wire::Value;
use jvmti_wire::plan::{Action, Arg, JniOp, OnThread};
use jvmti_wire::trace::{Body, StepRef};

use crate::callbacks;
use crate::cases::Case;
use crate::elsewhere;
use crate::environments::Environment;
use crate::ffi::{self, FunctionDescriptor, error, slot};
use crate::firing::{Firing, Moment};
use crate::get_env;
use crate::given::Given;
use crate::jni::{Jni, Ref};
use crate::jni_operations;
use crate::marshal::{self, Call, Reason};
use crate::recorder::record;
use crate::registrar;
use crate::resolve::{Arguments, CallingThread};
use crate::saved::{self, Saved};

static CALLS: AtomicU32 = AtomicU32::new(1);

/// Number of the next call, unique in the trace.
pub fn next_call() -> u32 {
    CALLS.fetch_add(1, Ordering::Relaxed)
}

/// Number of the first of so many calls, which have the numbers from there on.
pub fn next_calls(many: u32) -> u32 {
    CALLS.fetch_add(many, Ordering::Relaxed)
}

/// Does what a step or handler asks for. What cannot be done is recorded.
pub fn act(case: &Case, step: StepRef, action: &Action, save: Option<&str>, firing: &Firing<'_>) {
    let result = match action {
        Action::Call { environment, function, args, on } => {
            call(&Asked { case, step, save, firing }, *environment, *function, args, *on)
        }
        Action::Jni { op: JniOp::GetEnv, args, on } if !args.is_empty() => get_env::perform(step, args, *on),
        Action::Jni { op, args, .. } => {
            jni_operations::perform(&Asked { case, step, save, firing }, *op, args)
        }
        Action::Reply { param, value } => reply(case, *param, value, firing),
        Action::Keep { value } => keep(&Asked { case, step, save, firing }, value),
        Action::Dispose { environment } => {
            let asked = Asked { case, step, save: None, firing };
            call(&asked, *environment, slot::DISPOSE_ENVIRONMENT, &[], OnThread::Current)
        }
    };
    if let Err(Reason(reason)) = result {
        record(&Body::StepFailed { step, reason });
    }
}

/// What is asked for, by whom and when.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The case.
    pub case: &'a Case,
    /// The step or handler.
    pub step: StepRef,
    /// Name to save the outputs by.
    pub save: Option<&'a str>,
    /// The moment.
    pub firing: &'a Firing<'a>,
}

/// Calls a function on the current thread, outside of any event.
pub fn call_here(
    case: &Case,
    step: StepRef,
    environment: &'static Environment,
    function: u16,
    args: &[Arg],
) -> Result<(), Reason> {
    let firing = Firing { moment: Moment::Elsewhere, jni: None };
    let asked = Asked { case, step, save: None, firing: &firing };
    on_current_thread(&asked, environment, descriptor(environment, function)?, args)
}

fn call(asked: &Asked<'_>, environment: u8, function: u16, args: &[Arg], on: OnThread) -> Result<(), Reason> {
    let made = asked.case.environment(environment);
    let environment =
        made.ok_or_else(|| Reason::new(format!("environment {environment} has not been made")))?;
    let descriptor = descriptor(environment, function)?;
    match on {
        OnThread::Current => on_current_thread(asked, environment, descriptor, args),
        OnThread::Attached => elsewhere::on_attached_thread(asked, environment, descriptor, args),
        OnThread::Unattached => elsewhere::on_unattached_thread(asked, environment, descriptor, args),
    }
}

/// The description of a function that this VM has.
fn descriptor(environment: &Environment, function: u16) -> Result<&'static FunctionDescriptor, Reason> {
    ffi::function(environment.env, function).map_err(|missing| Reason::new(missing.to_string()))?;
    ffi::descriptor(function).ok_or_else(|| Reason::new(format!("no function has slot {function}")))
}

fn on_current_thread(
    asked: &Asked<'_>,
    environment: &'static Environment,
    descriptor: &'static FunctionDescriptor,
    args: &[Arg],
) -> Result<(), Reason> {
    let mut arguments = Arguments::new(asked.case, asked.firing, CallingThread::Current);
    let _frame = Frame::open(arguments.jni());
    let call = Call::prepare(descriptor, args, &mut arguments)?;
    perform(asked, environment, descriptor, call, &mut arguments);
    Ok(())
}

/// Makes the call and records it.
pub fn perform(
    asked: &Asked<'_>,
    environment: &'static Environment,
    descriptor: &'static FunctionDescriptor,
    mut call: Call,
    arguments: &mut Arguments<'_>,
) {
    let number = next_call();
    let jni = arguments.jni();
    let opened = callbacks::begin(number, environment.number, asked, &mut call);
    let before = jni.is_some_and(Jni::exception_pending);
    record(&Body::CallBegin {
        call: number,
        environment: environment.number,
        function: descriptor.slot,
        step: asked.step,
        args: call.recorded_args().to_vec(),
    });
    arguments.doom();
    let code = call.invoke(environment.env).unwrap_or(-1);
    let after = jni.is_some_and(Jni::exception_pending);
    let outputs = call.outputs(arguments);
    record(&Body::CallEnd { call: number, code, outputs, exception: (before, after) });
    opened.end();
    if code == error::NONE {
        match (descriptor.slot, call.raw()) {
            (slot::DISPOSE_ENVIRONMENT, _) => environment.set_gone(),
            (slot::DEALLOCATE, [memory]) => saved::disown(asked.case, *memory),
            _ => {}
        }
    }
    let mut given = Given::by(&call, jni);
    match asked.save {
        Some(name) => Saved::call(call, jni).keep(asked.case, name, jni),
        None if environment.is_gone() => call.release(&mut free, &mut |_| {}),
        None => call.release(&mut |block| given.deallocate(environment, block), &mut |local| {
            if let Some(jni) = jni {
                jni.delete_returned(Ref(local));
            }
        }),
    }
    given.record(number, asked.step);
}

/// Gives memory back that the VM allocated.
pub fn free(memory: u64) {
    if let Some(registrar) = registrar::get() {
        registrar.call(slot::DEALLOCATE, &[memory]);
    }
}

/// Keeps a parameter of the event beyond its callback.
fn keep(asked: &Asked<'_>, value: &Arg) -> Result<(), Reason> {
    let (Arg::EventParam(index), Moment::Event(at)) = (value, asked.firing.moment) else {
        return Err(Reason::new("there is no event whose parameter could be kept"));
    };
    let word = at.args.get(usize::from(*index)).map(|arg| arg.0);
    let word = word.ok_or_else(|| Reason::new(format!("the event has no parameter {index}")))?;
    record(&Body::Jni { step: asked.step, result: Value::Pointer(word) });
    if let Some(name) = asked.save {
        Saved::Number(word.cast_signed()).keep(asked.case, name, None);
    }
    Ok(())
}

fn reply(case: &Case, param: u16, value: &Arg, firing: &Firing<'_>) -> Result<(), Reason> {
    let Moment::Event(at) = firing.moment else {
        return Err(Reason::new("there is no event to reply to"));
    };
    let index = usize::from(param);
    let (Some(described), Some(arg)) = (at.descriptor.params.get(index), at.args.get(index)) else {
        return Err(Reason::new(format!("the event has no parameter {param}")));
    };
    // Memory becomes the VM's: it gets a copy of what the case keeps.
    let content = match value {
        Arg::Output { step, .. } => case.saved().get(step).and_then(Saved::content),
        _ => None,
    };
    let value = content.as_ref().unwrap_or(value);
    let mut arguments = Arguments::new(case, firing, CallingThread::Current);
    marshal::reply(described, *arg, value, &mut arguments, &mut |size| allocate(at.environment, size))
}

fn allocate(environment: &Environment, size: usize) -> Option<*mut u8> {
    let mut memory = std::ptr::null_mut::<u8>();
    let place = (&raw mut memory).expose_provenance() as u64;
    let code = ffi::call(environment.env, slot::ALLOCATE, &[size as u64, place]).ok()?;
    (code == error::NONE).then_some(memory)
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
