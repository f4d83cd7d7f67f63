//! What a plan may ask of JNI.

use std::ffi::CString;

use jvmti_wire::Value;
use jvmti_wire::plan::{Arg, JniOp};
use jvmti_wire::trace::Body;

use crate::execute::arguments::{Arguments, CallingThread};
use crate::execute::extension_function;
use crate::execute::jni_interception;
use crate::execute::saved::Saved;
use crate::execute::step::Step;
use crate::ffi::RawArg;
use crate::marshal::{Reason, Resolver};
use crate::recording::record;
use crate::scenario_natives::wrapped;
use crate::vm::identity;
use crate::vm::jni::{Jni, Ref};

/// Performs the operation, records it and saves its result.
pub fn perform(step: &Step<'_>, op: JniOp, args: &[Arg]) -> Result<(), Reason> {
    let mut arguments = Arguments::new(step.case, step.firing, CallingThread::Current);
    let jni = arguments.jni().ok_or_else(|| Reason::new("JNI may not be used here"))?;
    let mut operands = Operands { step, jni, arguments: &mut arguments, args };
    let (result, save) = operands.perform(op)?;
    record(&Body::Jni { step: step.reference, result });
    match (save, step.save) {
        (Some(save), Some(name)) => step.case.save(name, save, Some(jni)),
        (Some(save), None) => save.release(Some(jni)),
        (None, _) => {}
    }
    Ok(())
}

struct Operands<'a, 'b> {
    step: &'a Step<'b>,
    jni: Jni,
    arguments: &'a mut Arguments<'b>,
    args: &'a [Arg],
}

impl Operands<'_, '_> {
    fn perform(&mut self, op: JniOp) -> Result<(Value, Option<Saved>), Reason> {
        let jni = self.jni;
        Ok(match op {
            JniOp::NewGlobalRef => {
                let object = self.object(0)?;
                (self.identify(object), Some(Saved::Global(jni.new_global(object))))
            }
            JniOp::NewLocalRef => {
                let object = self.object(0)?;
                (self.identify(jni.new_local(object)), None)
            }
            JniOp::NewWeakGlobalRef => {
                let object = self.object(0)?;
                (self.identify(object), Some(Saved::Weak(jni.new_weak(object))))
            }
            JniOp::DeleteRef => {
                let Some(Arg::Named(name) | Arg::Output { step: name, .. }) = self.args.first() else {
                    return Err(Reason::new("DeleteRef takes a reference saved by an earlier step"));
                };
                let saved = self.step.case.saved().remove(name);
                let saved = saved.ok_or_else(|| Reason::new(format!("no step saved {name:?}")))?;
                saved.release(Some(jni));
                (Value::Null, None)
            }
            JniOp::ThrowNew => {
                let class = self.object(0)?;
                let message = self.text(1)?;
                let thrown = jni.throw_new(class, &message);
                jni.delete_local(class);
                (Value::Int(thrown.into()), None)
            }
            JniOp::ExceptionClear => {
                jni.exception_clear();
                (Value::Null, None)
            }
            JniOp::ExceptionCheck => number(jni.exception_pending()),
            JniOp::MonitorEnter => number(jni.monitor_enter(self.object(0)?)),
            JniOp::MonitorExit => number(jni.monitor_exit(self.object(0)?)),
            JniOp::GetObjectClass => {
                let class =
                    jni.object_class(self.object(0)?).ok_or_else(|| Reason::new("it has no class"))?;
                let value = self.identify(class);
                let global = jni.new_global(class);
                jni.delete_local(class);
                (value, Some(Saved::Global(global)))
            }
            JniOp::IsSameObject => number(jni.is_same(self.object(0)?, self.object(1)?)),
            JniOp::GetArrayLength => {
                let length = i64::from(jni.array_length(self.object(0)?));
                (Value::Int(length), Some(Saved::Number(length)))
            }
            JniOp::GetEnv => {
                let current = Jni::current().ok_or_else(|| Reason::new("the thread is not attached"))?;
                (Value::Pointer(current.address()), Some(Saved::Number(current.address().cast_signed())))
            }
            JniOp::GetObjectRefType => whole(jni.reference_type(self.object(0)?)),
            JniOp::GetFieldID => {
                let field = self.field(0)?;
                (Value::Field(field), Some(Saved::Number(field.cast_signed())))
            }
            JniOp::GetIntField => whole(jni.int_field(self.object(0)?, self.field(1)?)),
            JniOp::SetIntField => {
                jni.set_int_field(self.object(0)?, self.field(1)?, self.int(2)?);
                (Value::Null, None)
            }
            JniOp::GetStaticIntField => whole(jni.static_int_field(self.object(0)?, self.field(1)?)),
            JniOp::SetStaticIntField => {
                jni.set_static_int_field(self.object(0)?, self.field(1)?, self.int(2)?);
                (Value::Null, None)
            }
            JniOp::GetByteArrayRegion => {
                let content = jni.bytes(self.object(0)?);
                (Value::Bytes(content.clone()), Some(Saved::Memory(content)))
            }
            JniOp::GetVersion => {
                let version = i64::from(jni.version());
                (Value::Int(version), Some(Saved::Number(version)))
            }
            JniOp::InterceptGetVersion => {
                let table = self.arg(0)?.clone();
                let table = self.arguments.raw(&table)?;
                // SAFETY: the plan passes what GetJNIFunctionTable gave.
                unsafe { jni_interception::into_table(table)? };
                (Value::Null, None)
            }
            JniOp::RegisterNatives => {
                let (class, name, signature) = (self.object(0)?, self.text(1)?, self.text(2)?);
                let code =
                    i64::from(jni.register_natives(class, &[(&name, &signature, wrapped::registered())]));
                jni.exception_clear();
                (Value::Int(code), Some(Saved::Number(code)))
            }
            JniOp::CallExtensionFunction => {
                let function = self.arg(0)?.clone();
                let function = RawArg(self.arguments.raw(&function)?);
                let environment = self.step.case.environment(0);
                let environment =
                    environment.ok_or_else(|| Reason::new("the case has no environment yet"))?;
                // SAFETY: the plan passes what GetExtensionFunctions gave.
                whole(unsafe { extension_function::call(environment.env, function)? })
            }
        })
    }

    fn identify(&self, object: Ref) -> Value {
        identity::object(Some(self.jni), object)
    }

    fn arg(&self, index: usize) -> Result<&Arg, Reason> {
        self.args.get(index).ok_or_else(|| Reason::new(format!("argument {index} is missing")))
    }

    fn object(&mut self, index: usize) -> Result<Ref, Reason> {
        match self.arg(index)?.clone() {
            Arg::Null => Ok(Ref::NULL),
            Arg::Str(name) => {
                let class = Arg::Class(String::from_utf8_lossy(&name).into_owned());
                self.arguments.object(&class).map(Ref)
            }
            arg => self.arguments.object(&arg).map(Ref),
        }
    }

    fn field(&mut self, index: usize) -> Result<u64, Reason> {
        let arg = self.arg(index)?.clone();
        self.arguments.field(&arg)
    }

    fn int(&self, index: usize) -> Result<i32, Reason> {
        match self.arg(index)? {
            Arg::Int(value) => i32::try_from(*value).map_err(|_| Reason::new("the value is no `jint`")),
            other => Err(Reason::new(format!("{other:?} is no number"))),
        }
    }

    fn text(&self, index: usize) -> Result<CString, Reason> {
        match self.arg(index)? {
            Arg::Str(text) => {
                CString::new(text.clone()).map_err(|_| Reason::new("the message has a zero in it"))
            }
            other => Err(Reason::new(format!("{other:?} is no text"))),
        }
    }
}

fn whole(number: i32) -> (Value, Option<Saved>) {
    (Value::Int(number.into()), Some(Saved::Number(number.into())))
}

fn number(truth: bool) -> (Value, Option<Saved>) {
    (Value::Int(truth.into()), Some(Saved::Number(truth.into())))
}
