//! Asks whether classes or a module can be modified, where a call has said that they cannot.
//!
//! Which classes and which named modules a JVM lets agents modify is up to the JVM, which has to tell so when it is asked.

use jni_sys::jobject;
use jvmti_wire::Value;
use jvmti_wire::plan::Arg;
use jvmti_wire::trace::{Body, StepRef};

use super::arguments::Arguments;
use crate::ffi::{self, error, slot};
use crate::marshal::{Call, Reason, Resolver};
use crate::recording::{next_call, record};
use crate::vm::environments::OwnEnvironment;
use crate::vm::jni::{Jni, Ref};

/// Words of a `jvmtiClassDefinition`, of which the class is the first.
const DEFINITION: usize = 3;

/// Functions that update the module that they are passed first.
const UPDATES: [u16; 5] = [
    slot::ADD_MODULE_READS,
    slot::ADD_MODULE_EXPORTS,
    slot::ADD_MODULE_OPENS,
    slot::ADD_MODULE_USES,
    slot::ADD_MODULE_PROVIDES,
];

/// Asks, in that environment, about what a call was passed that returned that code, and records the answers as calls of the
/// probe's own: those that follow the end of the call on its thread.
pub fn ask(environment: &OwnEnvironment, function: u16, code: i32, args: &[u64], about: &mut Arguments<'_>) {
    let (asked, objects) = match (code, function, args) {
        (error::UNMODIFIABLE_CLASS, slot::RETRANSFORM_CLASSES, &[count, list, ..]) => {
            (slot::IS_MODIFIABLE_CLASS, elements(count, list, 1))
        }
        (error::UNMODIFIABLE_CLASS, slot::REDEFINE_CLASSES, &[count, list, ..]) => {
            (slot::IS_MODIFIABLE_CLASS, elements(count, list, DEFINITION))
        }
        (error::UNMODIFIABLE_MODULE, function, &[module, ..]) if UPDATES.contains(&function) => {
            (slot::IS_MODIFIABLE_MODULE, vec![module])
        }
        _ => return,
    };
    let Some(jni) = about.jni().filter(|jni| !jni.exception_pending()) else { return };
    if environment.has(asked).is_err() {
        return;
    }
    for object in objects.into_iter().map(Ref::from_word).filter(|object| is_valid(jni, *object)) {
        // What cannot be asked about stays a refusal without a reason.
        let _ = one(environment, asked, &mut About { object, arguments: about });
    }
}

fn is_valid(jni: Jni, object: Ref) -> bool {
    object != Ref::NULL && jni.reference_type(object) != 0
}

/// The first word of each element of an array that the call was passed.
fn elements(count: u64, list: u64, words: usize) -> Vec<u64> {
    let count = if list == 0 { 0 } else { usize::try_from(count as u32 as i32).unwrap_or(0) };
    let first = std::ptr::with_exposed_provenance::<u64>(list as usize);
    // SAFETY: the array that the call was passed is still there, and was checked to have as many elements as it says.
    (0..count).map(|index| unsafe { first.add(index * words).read() }).collect()
}

fn one(environment: &OwnEnvironment, function: u16, about: &mut About<'_, '_>) -> Result<(), Reason> {
    let descriptor =
        ffi::descriptor(function).ok_or_else(|| Reason::new(format!("no function has slot {function}")))?;
    let mut call = Call::prepare(descriptor, &[Arg::CurrentThread, Arg::Storage], about)?;
    let number = next_call();
    let args = call.recorded_args().to_vec();
    record(&Body::CallBegin {
        call: number,
        environment: environment.number,
        function,
        step: StepRef::None,
        args,
    });
    // SAFETY: the JVM gave the environment, and says that the reference is valid.
    let code = unsafe { call.invoke(environment.env) }.unwrap_or(-1);
    record(&Body::CallEnd { call: number, code, outputs: call.outputs(about), exception: (false, false) });
    Ok(())
}

/// The one object that the question is about.
struct About<'b, 'a> {
    object: Ref,
    arguments: &'b mut Arguments<'a>,
}

impl Resolver for About<'_, '_> {
    fn object(&mut self, _arg: &Arg) -> Result<jobject, Reason> {
        Ok(self.object.0)
    }

    fn method(&mut self, arg: &Arg) -> Result<u64, Reason> {
        self.arguments.method(arg)
    }

    fn field(&mut self, arg: &Arg) -> Result<u64, Reason> {
        self.arguments.field(arg)
    }

    fn raw(&mut self, arg: &Arg) -> Result<u64, Reason> {
        self.arguments.raw(arg)
    }

    fn identify(&mut self, object: jobject) -> Value {
        self.arguments.identify(object)
    }
}
