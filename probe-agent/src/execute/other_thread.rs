//! Makes a call on a native thread of its own, while the thread on which the step was triggered waits.

use std::sync::mpsc;
use std::thread;

use jvmti_wire::plan::Arg;
use jvmti_wire::trace::StepRef;

use crate::execute::arguments::{Arguments, CallingThread};
use crate::execute::call;
use crate::execute::cases::RunningCase;
use crate::execute::occurrence::{Firing, Occurrence};
use crate::execute::step::RunningStep;
use crate::ffi::FunctionDescriptor;
use crate::marshal::{Call, Reason};
use crate::vm::environments::OwnEnvironment;
use crate::vm::jni::{Jni, Ref};
use crate::vm::probe_environment;

/// Makes the call on a new thread that is attached for it.
pub fn on_attached_thread(
    step: &RunningStep<'_>,
    environment: &'static OwnEnvironment,
    descriptor: &'static FunctionDescriptor,
    args: &[Arg],
) -> Result<(), Reason> {
    let task = Task::of(step, environment, descriptor);
    let (tell, told) = mpsc::channel::<Result<Ref, Reason>>();
    let (hand, handed) = mpsc::channel::<Call>();
    let mut arguments = Arguments::new(step.case, step.firing, CallingThread::Current);
    thread::scope(|scope| {
        scope.spawn(move || {
            let (jni, itself) = match attach() {
                Ok(attached) => attached,
                Err(reason) => {
                    let _ = tell.send(Err(reason));
                    return;
                }
            };
            let _ = tell.send(Ok(itself));
            if let Ok(call) = handed.recv() {
                task.run(call, Some(jni));
            }
            jni.delete_global(itself);
            Jni::detach();
        });
        let itself = told.recv().map_err(|_| Reason::new("the new thread ended early"))??;
        arguments.make_for(CallingThread::Attached(itself));
        let call = Call::prepare(descriptor, args, &mut arguments)?;
        arguments.doom();
        hand.send(call).map_err(|_| Reason::new("the new thread ended early"))?;
        drop(hand);
        Ok(())
    })?;
    Ok(())
}

/// Makes the call on a new thread that is not attached.
pub fn on_unattached_thread(
    step: &RunningStep<'_>,
    environment: &'static OwnEnvironment,
    descriptor: &'static FunctionDescriptor,
    args: &[Arg],
) -> Result<(), Reason> {
    let task = Task::of(step, environment, descriptor);
    let mut arguments = Arguments::new(step.case, step.firing, CallingThread::Unattached);
    let call = Call::prepare(descriptor, args, &mut arguments)?;
    arguments.doom();
    thread::scope(|scope| {
        scope.spawn(move || task.run(call, None));
    });
    Ok(())
}

/// What the new thread is to do.
#[derive(Clone, Copy)]
struct Task<'a> {
    case: &'a RunningCase,
    reference: StepRef,
    save: Option<&'a str>,
    environment: &'static OwnEnvironment,
    descriptor: &'static FunctionDescriptor,
}

impl<'a> Task<'a> {
    fn of(
        step: &RunningStep<'a>,
        environment: &'static OwnEnvironment,
        descriptor: &'static FunctionDescriptor,
    ) -> Task<'a> {
        Task { case: step.case, reference: step.reference, save: step.save, environment, descriptor }
    }

    fn run(self, prepared: Call, jni: Option<Jni>) {
        let firing = Firing { occurrence: Occurrence::Elsewhere, jni };
        let Task { case, reference, save, .. } = self;
        let step = RunningStep { case, reference, save, firing: &firing };
        let mut arguments = Arguments::new(self.case, &firing, CallingThread::Current);
        call::perform(&step, self.environment, self.descriptor, prepared, &mut arguments);
    }
}

/// Attaches this thread. Gives a global reference to its `java.lang.Thread`.
fn attach() -> Result<(Jni, Ref), Reason> {
    let jni =
        Jni::attach(c"jvmticheck attached").map_err(|code| Reason::new(format!("attaching gave {code}")))?;
    let thread = probe_environment::get().and_then(|own| own.current_thread());
    let Some(thread) = thread else {
        Jni::detach();
        return Err(Reason::new("the VM does not tell the new thread"));
    };
    let global = jni.new_global(thread);
    jni.delete_local(thread);
    Ok((jni, global))
}
