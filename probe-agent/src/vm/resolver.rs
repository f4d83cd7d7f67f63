//! Tells what references refer to where no plan is at work: in events and agent callbacks.

use jni_sys::jobject;
use jvmti_wire::Value;
use jvmti_wire::plan::Arg;

use crate::marshal::{Reason, Resolver};
use crate::vm::identity;
use crate::vm::jni::{Jni, Ref};

/// Identifies, but has nothing that an argument could stand for.
pub struct ReadOnlyResolver {
    /// JNI environment of the thread, where JNI may be used.
    pub jni: Option<Jni>,
    /// Whether methods may be asked about, not only compared.
    pub methods_live: bool,
}

impl ReadOnlyResolver {
    fn nothing<T>(arg: &Arg) -> Result<T, Reason> {
        Err(Reason::new(format!("{arg:?} stands for nothing here")))
    }
}

impl Resolver for ReadOnlyResolver {
    fn object(&mut self, arg: &Arg) -> Result<jobject, Reason> {
        Self::nothing(arg)
    }

    fn method(&mut self, arg: &Arg) -> Result<u64, Reason> {
        Self::nothing(arg)
    }

    fn field(&mut self, arg: &Arg) -> Result<u64, Reason> {
        Self::nothing(arg)
    }

    fn raw(&mut self, arg: &Arg) -> Result<u64, Reason> {
        Self::nothing(arg)
    }

    fn identify(&mut self, object: jobject) -> Value {
        identity::object(self.jni, Ref(object))
    }

    fn identify_method(&mut self, method: u64) -> Value {
        if self.methods_live {
            identity::method(self.jni, method);
        }
        Value::Method(method)
    }

    fn return_type(&mut self, method: u64) -> Option<u8> {
        if self.methods_live { identity::method(self.jni, method)?.return_type() } else { None }
    }
}
