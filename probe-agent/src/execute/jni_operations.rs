//! What a plan may ask of JNI.

use std::ffi::CString;

use jvmti_wire::Value;
use jvmti_wire::plan::{Arg, FieldAccess, FieldType, JniOp};
use jvmti_wire::trace::Body;

use crate::execute::arguments::{Arguments, CallingThread};
use crate::execute::extension_function;
use crate::execute::jni_interception;
use crate::execute::saved::Saved;
use crate::execute::step::RunningStep;
use crate::execute::survey;
use crate::ffi::RawArg;
use crate::marshal::{Reason, Resolver};
use crate::recording::record;
use crate::scenario_natives::wrapped;
use crate::vm::identity;
use crate::vm::jni::{Held, Jni, Ref};

use crate::vm::pending_exception::without_exception;

/// Performs the operation, records it and saves its result.
pub fn perform(step: &RunningStep<'_>, op: JniOp, args: &[Arg]) -> Result<(), Reason> {
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

/// What an operation resulted in, and what to save of it.
type Performed = Result<(Value, Option<Saved>), Reason>;

/// Of an operation that returns nothing.
const NOTHING: (Value, Option<Saved>) = (Value::Null, None);

struct Operands<'a, 'b> {
    step: &'a RunningStep<'b>,
    jni: Jni,
    arguments: &'a mut Arguments<'b>,
    args: &'a [Arg],
}

impl Operands<'_, '_> {
    fn perform(&mut self, op: JniOp) -> Performed {
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
            JniOp::DeleteRef => self.delete_reference()?,
            JniOp::GetObjectRefType => whole(jni.reference_type(self.object(0)?)),
            JniOp::IsSameObject => number(jni.is_same(self.object(0)?, self.object(1)?)),
            JniOp::GetObjectClass => self.object_class()?,
            JniOp::ThrowNew => self.throw_new()?,
            JniOp::ExceptionClear => {
                jni.exception_clear();
                NOTHING
            }
            JniOp::DeleteLocalRef => {
                jni.delete_local(self.object(0)?);
                NOTHING
            }
            JniOp::ExceptionCheck => number(jni.exception_pending()),
            JniOp::MonitorEnter => number(jni.monitor_enter(self.object(0)?)),
            JniOp::MonitorExit => number(jni.monitor_exit(self.object(0)?)),
            JniOp::GetArrayLength => whole(jni.array_length(self.object(0)?)),
            JniOp::GetByteArrayRegion => {
                let content = jni.bytes(self.object(0)?);
                (Value::Bytes(content.clone()), Some(Saved::Memory(content)))
            }
            JniOp::GetFieldID => {
                let field = self.field(0)?;
                (Value::Field(field), Some(Saved::Number(field.cast_signed())))
            }
            JniOp::Field(access) => self.access_field(access)?,
            JniOp::GetEnv => {
                let current = Jni::current().ok_or_else(|| Reason::new("the thread is not attached"))?;
                (Value::Pointer(current.address()), Some(Saved::Number(current.address().cast_signed())))
            }
            JniOp::GetVersion => whole(jni.version()),
            JniOp::InterceptGetVersion => self.intercept_get_version()?,
            JniOp::RegisterNatives => self.register_natives()?,
            JniOp::CallExtensionFunction => self.call_extension_function()?,
            JniOp::EditClassFile => self.edit_class_file()?,
            JniOp::Survey => self.survey()?,
            JniOp::CallStaticVoidMethod => self.call_static_void(Jni::exception_clear)?,
            JniOp::CallAndDescribe => self.call_static_void(Jni::exception_describe)?,
        })
    }

    fn delete_reference(&self) -> Performed {
        let Some(Arg::Named(name) | Arg::Output { step: name, .. }) = self.args.first() else {
            return Err(Reason::new("DeleteRef takes a reference saved by an earlier step"));
        };
        let saved = self.step.case.saved().remove(name);
        let saved = saved.ok_or_else(|| Reason::new(format!("no step saved {name:?}")))?;
        saved.release(Some(self.jni));
        Ok(NOTHING)
    }

    fn object_class(&mut self) -> Performed {
        let jni = self.jni;
        let class = jni.object_class(self.object(0)?).ok_or_else(|| Reason::new("it has no class"))?;
        let value = self.identify(class);
        let global = jni.new_global(class);
        jni.delete_local(class);
        Ok((value, Some(Saved::Global(global))))
    }

    fn throw_new(&mut self) -> Performed {
        let class = self.object(0)?;
        let message = self.text(1)?;
        let thrown = self.jni.throw_new(class, &message);
        Ok((Value::Int(thrown.into()), None))
    }

    fn intercept_get_version(&mut self) -> Performed {
        let table = self.arg(0)?.clone();
        let table = self.arguments.raw(&table)?;
        // SAFETY: the plan passes what GetJNIFunctionTable gave.
        unsafe { jni_interception::into_table(table)? };
        Ok(NOTHING)
    }

    fn register_natives(&mut self) -> Performed {
        let (class, name, signature) = (self.object(0)?, self.text(1)?, self.text(2)?);
        let code = self.jni.register_natives(class, &[(&name, &signature, wrapped::registered())]);
        self.jni.exception_clear();
        Ok(whole(code))
    }

    fn call_extension_function(&mut self) -> Performed {
        let function = self.arg(0)?.clone();
        let function = RawArg(self.arguments.raw(&function)?);
        let environment = self.step.case.environment(0);
        let environment = environment.ok_or_else(|| Reason::new("the case has no environment yet"))?;
        // SAFETY: the plan passes what GetExtensionFunctions gave.
        Ok(whole(unsafe { extension_function::call(environment.env, function)? }))
    }

    fn edit_class_file(&mut self) -> Performed {
        let bytes = self.class_file()?;
        let edits = String::from_utf8_lossy(self.text(1)?.as_bytes()).into_owned();
        let content =
            jvmti_class_files::edited(&bytes, &edits).map_err(|why| Reason::new(why.to_string()))?;
        Ok((Value::Bytes(content.clone()), Some(Saved::Memory(content))))
    }

    /// The result of an earlier step, or what a byte array of the scenario contains.
    fn class_file(&mut self) -> Result<Vec<u8>, Reason> {
        let (Arg::Output { step, .. } | Arg::Named(step)) = self.arg(0)?.clone() else {
            return Err(Reason::new(
                "the class file has to be the result of an earlier step, or a byte array",
            ));
        };
        let content = self.step.case.saved().get(&step).and_then(Saved::content);
        match content {
            Some(Arg::Bytes(bytes)) => Ok(bytes),
            _ if matches!(self.arg(0)?, Arg::Named(_)) => Ok(self.jni.bytes(self.object(0)?)),
            _ => Err(Reason::new(format!("step {step:?} has no class file"))),
        }
    }

    /// Calls a static method, and `clear` clears the exception that it throws.
    fn call_static_void(&mut self, clear: fn(Jni)) -> Performed {
        let (class, name) = (self.object(0)?, self.text(1)?);
        let method = self.jni.method_id(class, &name, c"()V", true);
        let method = method.ok_or_else(|| Reason::new(format!("there is no static {name:?} with ()V")))?;
        let threw = without_exception(self.jni, || {
            self.jni.call_static(class, method);
            let threw = self.jni.exception_pending();
            if threw {
                clear(self.jni);
            }
            Some(threw)
        });
        // A scenario may ask for this thousands of times before its thread returns to the JVM.
        if matches!(self.arg(0)?, Arg::Str(_) | Arg::Class(_)) {
            self.jni.delete_local(class);
        }
        Ok(number(threw == Some(true)))
    }

    fn survey(&mut self) -> Performed {
        let classes = self.object(0)?;
        let Arg::List(slots) = self.arg(1)? else {
            return Err(Reason::new("a survey asks several functions"));
        };
        let slots = slots.iter().filter_map(|slot| match slot {
            Arg::Int(slot) => u16::try_from(*slot).ok(),
            _ => None,
        });
        let environment = self.step.case.environment(0);
        let environment = environment.ok_or_else(|| Reason::new("the case has no environment yet"))?;
        Ok((survey::of(self.jni, environment.env, classes, &slots.collect::<Vec<_>>())?, None))
    }

    fn identify(&self, object: Ref) -> Value {
        identity::object(Some(self.jni), object)
    }

    fn arg(&self, index: usize) -> Result<&Arg, Reason> {
        self.args.get(index).ok_or_else(|| Reason::new(format!("argument {index} is missing")))
    }

    /// The object that an argument stands for. The reference may be the scenario's or an earlier step's, which is not ours to delete;
    /// one that is made here is local, and goes when the thread returns to the JVM.
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

    fn access_field(&mut self, access: FieldAccess) -> Performed {
        let (holder, field) = (self.object(0)?, self.field(1)?);
        if access.writes {
            let value = self.held(access.holds, 2)?;
            self.jni.write_field(access, holder, field, value);
            return Ok(NOTHING);
        }
        Ok(match self.jni.read_field(access, holder, field) {
            Held::Number(number) => (Value::Int(number), Some(Saved::Number(number))),
            Held::Real(real) => (Value::Float(real), None),
            Held::Reference(local) => match local.non_null() {
                Some(local) => {
                    let value = self.identify(local);
                    let global = self.jni.new_global(local);
                    self.jni.delete_local(local);
                    (value, Some(Saved::Global(global)))
                }
                None => NOTHING,
            },
        })
    }

    /// The value to write to a field.
    fn held(&mut self, holds: FieldType, index: usize) -> Result<Held, Reason> {
        Ok(match self.arg(index)? {
            _ if holds == FieldType::Object => Held::Reference(self.object(index)?),
            Arg::Int(number) => Held::Number(*number),
            Arg::Float(real) => Held::Real(*real),
            other => return Err(Reason::new(format!("{other:?} is no number"))),
        })
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
