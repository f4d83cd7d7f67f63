//! What the arguments of a plan stand for at the moment of the call.

use std::ffi::CString;

use jni_sys::jobject;
use jvmti_wire::Value;
use jvmti_wire::plan::{Arg, Invalid};

use crate::execute::bindings;
use crate::execute::cases::RunningCase;
use crate::execute::invalid;
use crate::execute::occurrence::{Firing, Occurrence};
use crate::marshal::{Reason, Resolver};
use crate::vm::identity;
use crate::vm::jni::{Jni, Ref};
use crate::vm::pending_exception::without_exception;
use crate::vm::probe_environment;
use crate::vm::stage;

/// What is known where a call is prepared.
pub struct Arguments<'a> {
    case: &'a RunningCase,
    firing: &'a Firing<'a>,
    jni: Option<Jni>,
    thread: CallingThread,
    /// Global references to be deleted right before the call.
    doomed: Vec<Ref>,
    /// Global references made for a call on another thread.
    shared: Vec<Ref>,
}

/// The thread that makes the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallingThread {
    /// The one that prepares it.
    Current,
    /// Another one, attached: a global reference to it.
    Attached(Ref),
    /// Another one that is not attached.
    Unattached,
}

impl<'a> Arguments<'a> {
    /// For a call of the case at this moment, made by that thread.
    pub fn new(case: &'a RunningCase, firing: &'a Firing<'a>, thread: CallingThread) -> Arguments<'a> {
        let jni = stage::objects_allowed().then(|| firing.jni.or_else(Jni::current)).flatten();
        Arguments { case, firing, jni, thread, doomed: Vec::new(), shared: Vec::new() }
    }

    /// From now on they are for a call by that thread.
    pub fn make_for(&mut self, thread: CallingThread) {
        self.thread = thread;
    }

    /// The JNI environment of this thread, where it may be used.
    pub fn jni(&self) -> Option<Jni> {
        self.jni
    }

    /// Deletes what is to be wrong by having been deleted. Nothing may be done between this and the call.
    pub fn doom(&mut self) {
        if let Some(jni) = self.jni {
            self.doomed.drain(..).for_each(|reference| jni.delete_global(reference));
        }
    }

    /// The bits that an argument stands for.
    fn word(&mut self, arg: &Arg) -> Result<u64, Reason> {
        Ok(match arg {
            Arg::Named(name) => self.named(name)?.word(),
            Arg::CurrentThread => self.current_thread()?.word(),
            Arg::Class(name) => {
                let class = self.class(name)?;
                self.shareable(class).word()
            }
            Arg::Method { class, name, signature, is_static } => {
                self.find_method(class, name, signature, *is_static)?
            }
            Arg::Field { class, name, signature, is_static } => {
                self.find_field(class, name, signature, *is_static)?
            }
            Arg::Output { step, param, path } => {
                let saved = self.case.saved().get(step).map(|saved| saved.word(*param, path));
                saved
                    .ok_or_else(|| {
                        Reason::new(format!(
                            "step {step:?} has not been taken, or its call could not be made"
                        ))
                    })?
                    .ok_or_else(|| {
                        Reason::new(format!("step {step:?} has no output at parameter {param} {path:?}"))
                    })?
            }
            Arg::Linear { of, times, plus } => {
                let number = self.word(of)?.cast_signed();
                number.wrapping_mul(*times).wrapping_add(*plus).cast_unsigned()
            }
            Arg::Position { step, param, field, is } => {
                let wanted = self.word(is)?;
                let position =
                    self.case.saved().get(step).and_then(|saved| saved.position(*param, field, wanted));
                position
                    .ok_or_else(|| Reason::new(format!("no element of step {step:?} has this {field}")))?
            }
            Arg::EventParam(index) => self.event_param(*index)?,
            Arg::Environment(index) => {
                let environment = self.case.environment(*index);
                let made = environment
                    .ok_or_else(|| Reason::new(format!("environment {index} has not been made")))?;
                made.env.0.expose_provenance() as u64
            }
            Arg::Invalid(kind) => self.invalid(*kind)?,
            other => return Err(Reason::new(format!("{other:?} does not stand for anything else"))),
        })
    }

    fn named(&self, name: &str) -> Result<Ref, Reason> {
        let saved = self.case.saved().get(name).and_then(|saved| saved.reference());
        saved
            .or_else(|| bindings::get(name))
            .ok_or_else(|| Reason::new(format!("nothing is bound to the name {name:?}")))
    }

    fn need_jni(&self) -> Result<Jni, Reason> {
        self.jni.ok_or_else(|| Reason::new("JNI may not be used here"))
    }

    fn current_thread(&self) -> Result<Ref, Reason> {
        match self.thread {
            CallingThread::Attached(thread) => Ok(thread),
            CallingThread::Unattached => Err(Reason::new("a thread that is not attached is no Java thread")),
            CallingThread::Current => {
                self.need_jni()?;
                let thread = probe_environment::get().and_then(|own| own.current_thread());
                thread.ok_or_else(|| Reason::new("the VM does not tell the current thread here"))
            }
        }
    }

    /// A reference that the calling thread may use.
    fn shareable(&mut self, local: Ref) -> Ref {
        match (self.thread, self.jni) {
            (CallingThread::Current, _) | (_, None) => local,
            (_, Some(jni)) => {
                let global = jni.new_global(local);
                self.shared.push(global);
                global
            }
        }
    }

    fn class(&self, name: &str) -> Result<Ref, Reason> {
        let jni = self.need_jni()?;
        let text = c_string(name)?;
        without_exception(jni, || jni.find_class(&text))
            .ok_or_else(|| Reason::new(format!("class {name} was not found")))
    }

    fn find_method(&self, class: &str, name: &str, signature: &str, is_static: bool) -> Result<u64, Reason> {
        let jni = self.need_jni()?;
        let holder = self.class(class)?;
        let found = if signature.is_empty() {
            probe_environment::get().and_then(|own| own.method_named(holder, name))
        } else {
            let (name, signature) = (c_string(name)?, c_string(signature)?);
            without_exception(jni, || jni.method_id(holder, &name, &signature, is_static))
        };
        jni.delete_local(holder);
        found.ok_or_else(|| Reason::new(format!("method {class}.{name}{signature} was not found")))
    }

    fn find_field(&self, class: &str, name: &str, signature: &str, is_static: bool) -> Result<u64, Reason> {
        let jni = self.need_jni()?;
        let holder = self.class(class)?;
        let (c_name, c_signature) = (c_string(name)?, c_string(signature)?);
        let found = without_exception(jni, || jni.field_id(holder, &c_name, &c_signature, is_static));
        jni.delete_local(holder);
        found.ok_or_else(|| Reason::new(format!("field {class}.{name} {signature} was not found")))
    }

    fn event_param(&mut self, index: u16) -> Result<u64, Reason> {
        let (arg, is_reference) = match self.firing.occurrence {
            Occurrence::Event(at) => {
                let param = at.event.descriptor().params.get(usize::from(index));
                let is_reference =
                    param.is_some_and(|param| matches!(param.ty, crate::ffi::CType::Reference(_)));
                (at.event.args().get(usize::from(index)), is_reference)
            }
            Occurrence::Callback { args, .. } => (args.get(usize::from(index)), false),
            _ => (None, false),
        };
        let word = arg.ok_or_else(|| Reason::new(format!("there is no event parameter {index} here")))?.0;
        match is_reference && word != 0 {
            true => Ok(self.shareable(Ref::from_word(word)).word()),
            false => Ok(word),
        }
    }

    fn invalid(&mut self, kind: Invalid) -> Result<u64, Reason> {
        match kind {
            Invalid::PlainObject => {
                let jni = self.need_jni()?;
                let object = without_exception(jni, || invalid::plain_object(jni).ok());
                let object = object.ok_or_else(|| Reason::new("no object could be made"))?;
                Ok(self.shareable(object).word())
            }
            Invalid::DeletedRef => {
                let jni = self.need_jni()?;
                let globals = without_exception(jni, || invalid::references_to_delete(jni).ok());
                let globals = globals.unwrap_or_default();
                let passed = invalid::passed(&globals);
                self.doomed.extend(globals);
                passed.map(Ref::word).ok_or_else(|| Reason::new("no reference could be made"))
            }
            Invalid::ClearedWeakRef => {
                let jni = self.need_jni()?;
                let mut reason = String::new();
                let weak = without_exception(jni, || {
                    invalid::cleared_weak_reference(jni).map_err(|why| reason = why).ok()
                });
                weak.map(Ref::word).ok_or(Reason(reason))
            }
            Invalid::ZeroedMemory => Ok(invalid::zeroed_memory()),
            Invalid::DestroyedMonitor => invalid::destroyed_monitor().map_err(Reason),
            Invalid::DisposedEnvironment => {
                let gone =
                    (0u8..=u8::MAX).map_while(|index| self.case.environment(index)).find(|e| e.is_gone());
                let gone =
                    gone.ok_or_else(|| Reason::new("the case has disposed of none of its environments"))?;
                Ok(gone.env.0.expose_provenance() as u64)
            }
        }
    }
}

/// Deletes the references that were made for the call, whether or not it has been made.
impl Drop for Arguments<'_> {
    fn drop(&mut self) {
        if let Some(jni) = self.jni {
            self.shared
                .drain(..)
                .chain(self.doomed.drain(..))
                .for_each(|reference| jni.delete_global(reference));
        }
    }
}

impl Resolver for Arguments<'_> {
    fn object(&mut self, arg: &Arg) -> Result<jobject, Reason> {
        self.word(arg).map(|word| Ref::from_word(word).0)
    }

    fn method(&mut self, arg: &Arg) -> Result<u64, Reason> {
        self.word(arg)
    }

    fn field(&mut self, arg: &Arg) -> Result<u64, Reason> {
        self.word(arg)
    }

    fn raw(&mut self, arg: &Arg) -> Result<u64, Reason> {
        self.word(arg)
    }

    fn identify(&mut self, object: jobject) -> Value {
        identity::object(self.jni, Ref(object))
    }

    fn identify_method(&mut self, method: u64) -> Value {
        identity::method(self.jni, method);
        Value::Method(method)
    }

    fn return_type(&mut self, method: u64) -> Option<u8> {
        identity::method(self.jni, method)?.return_type()
    }
}

fn c_string(text: &str) -> Result<CString, Reason> {
    CString::new(text).map_err(|_| Reason::new(format!("{text:?} has a zero in it")))
}

#[cfg(test)]
mod tests {
    use std::ffi::c_void;
    use std::sync::Mutex;

    use super::*;
    use crate::execute::occurrence::Occurrence;
    use crate::vm::fake_jni::{self, DELETE_GLOBAL_REF};
    use crate::vm::stage::Stage;

    #[test]
    fn references_for_another_thread_go_with_a_call_that_is_not_made() {
        static DELETED: Mutex<Vec<usize>> = Mutex::new(Vec::new());
        extern "system" fn delete(_: *mut c_void, reference: *mut c_void) {
            DELETED.lock().unwrap().push(reference.addr());
        }
        stage::reached(Stage::Live);
        let case = RunningCase::empty();
        let jni = Some(fake_jni::with(&[(DELETE_GLOBAL_REF, delete as *const c_void)]));
        let firing = Firing { occurrence: Occurrence::Elsewhere, jni };
        let mut arguments = Arguments::new(&case, &firing, CallingThread::Unattached);
        arguments.shared.push(Ref::from_word(1));
        arguments.doomed.push(Ref::from_word(2));
        drop(arguments);
        assert_eq!(*DELETED.lock().unwrap(), [1, 2]);
    }
}
