//! What marshalling needs to know from the running probe.

use jni_sys::jobject;
use jvmti_wire::plan::Arg;
use jvmti_wire::value::Value;

/// Why an argument could not be made ready.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Reason(pub String);

impl Reason {
    /// A reason in words.
    pub fn new(reason: impl Into<String>) -> Self {
        Reason(reason.into())
    }

    /// The reason, with the place it concerns put before it.
    pub(super) fn within(self, place: &str) -> Self {
        Reason(format!("{place}: {}", self.0))
    }
}

/// Finds what arguments stand for in the running JVM, and tells what references refer to.
///
/// The arguments asked for are those that are no literals: named objects, classes, methods, fields, earlier outputs,
/// event parameters, environments, invalid references. What is asked for follows from the C type wanted.
pub trait Resolver {
    /// The JNI reference that an argument stands for, where the function wants one.
    fn object(&mut self, arg: &Arg) -> Result<jobject, Reason>;
    /// The `jmethodID` that an argument stands for.
    fn method(&mut self, arg: &Arg) -> Result<u64, Reason>;
    /// The `jfieldID` that an argument stands for.
    fn field(&mut self, arg: &Arg) -> Result<u64, Reason>;
    /// The bits that an argument stands for, where a number, raw monitor or any other pointer is wanted.
    fn raw(&mut self, arg: &Arg) -> Result<u64, Reason>;
    /// What a valid, non-null reference refers to, or [`Value::Opaque`] where that may not be asked.
    fn identify(&mut self, object: jobject) -> Value;

    /// Called with each non-null `jmethodID` that is decoded.
    fn identify_method(&mut self, method: u64) -> Value {
        Value::Method(method)
    }

    /// First character of the descriptor of a method's return type, to read its returned `jvalue` by.
    fn return_type(&mut self, _method: u64) -> Option<u8> {
        None
    }
}
