//! Calls made on a native thread of their own, while the thread of the moment waits.

use std::sync::mpsc;
use std::thread;

use jvmti_wire::plan::Arg;
use jvmti_wire::trace::StepRef;

use crate::cases::Case;
use crate::environments::Environment;
use crate::executor::{self, Asked};
use crate::ffi::FunctionDescriptor;
use crate::firing::{Firing, Moment};
use crate::jni::{Jni, Ref};
use crate::marshal::{Call, Reason};
use crate::registrar;
use crate::resolve::{Arguments, CallingThread};

/// Makes the call on a new thread that is attached for it.
pub fn on_attached_thread(
    asked: &Asked<'_>,
    environment: &'static Environment,
    descriptor: &'static FunctionDescriptor,
    args: &[Arg],
) -> Result<(), Reason> {
    let errand = Errand::of(asked, environment, descriptor);
    let (tell, told) = mpsc::channel::<Result<Ref, Reason>>();
    let (hand, handed) = mpsc::channel::<Call>();
    let mut arguments = Arguments::new(asked.case, asked.firing, CallingThread::Current);
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
                errand.run(call, Some(jni));
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
    arguments.unshare();
    Ok(())
}

/// Makes the call on a new thread that is not attached.
pub fn on_unattached_thread(
    asked: &Asked<'_>,
    environment: &'static Environment,
    descriptor: &'static FunctionDescriptor,
    args: &[Arg],
) -> Result<(), Reason> {
    let errand = Errand::of(asked, environment, descriptor);
    let mut arguments = Arguments::new(asked.case, asked.firing, CallingThread::Unattached);
    let call = Call::prepare(descriptor, args, &mut arguments)?;
    arguments.doom();
    thread::scope(|scope| {
        scope.spawn(move || errand.run(call, None));
    });
    arguments.unshare();
    Ok(())
}

/// What the new thread is to do.
#[derive(Clone, Copy)]
struct Errand<'a> {
    case: &'a Case,
    step: StepRef,
    save: Option<&'a str>,
    environment: &'static Environment,
    descriptor: &'static FunctionDescriptor,
}

impl<'a> Errand<'a> {
    fn of(
        asked: &Asked<'a>,
        environment: &'static Environment,
        descriptor: &'static FunctionDescriptor,
    ) -> Errand<'a> {
        Errand { case: asked.case, step: asked.step, save: asked.save, environment, descriptor }
    }

    fn run(self, call: Call, jni: Option<Jni>) {
        let firing = Firing { moment: Moment::Elsewhere, jni };
        let asked = Asked { case: self.case, step: self.step, save: self.save, firing: &firing };
        let mut arguments = Arguments::new(self.case, &firing, CallingThread::Current);
        executor::perform(&asked, self.environment, self.descriptor, call, &mut arguments);
    }
}

/// Attaches this thread. Gives a global reference to its `java.lang.Thread`.
fn attach() -> Result<(Jni, Ref), Reason> {
    let jni =
        Jni::attach(c"jvmticheck attached").map_err(|code| Reason::new(format!("attaching gave {code}")))?;
    let thread = registrar::get().and_then(|registrar| registrar.current_thread());
    let Some(thread) = thread else {
        Jni::detach();
        return Err(Reason::new("the VM does not tell the new thread"));
    };
    let global = jni.new_global(thread);
    jni.delete_local(thread);
    Ok((jni, global))
}
