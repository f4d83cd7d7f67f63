//! What the JVM says of fields.

use std::ffi::c_char;
use std::ptr::null_mut;

use super::ProbeEnvironment;
use crate::ffi::{self, error, slot};
use crate::vm::jni::Ref;

impl ProbeEnvironment {
    /// Whether the field of the class is static; `None`: the JVM does not say.
    pub fn is_static_field(&self, class: Ref, field: u64) -> Option<bool> {
        let mut modifiers = 0i32;
        let code = call!(self, GET_FIELD_MODIFIERS, class.word(), field, written!(modifiers));
        (code == error::NONE).then_some(modifiers & 8 != 0)
    }

    /// The class that declares the field of the class, as a local reference; `None`: the JVM does not say.
    pub fn declaring_class_of_field(&self, class: Ref, field: u64) -> Option<Ref> {
        let mut declaring = 0u64;
        let code = call!(self, GET_FIELD_DECLARING_CLASS, class.word(), field, written!(declaring));
        (code == error::NONE && declaring != 0).then_some(Ref::from_word(declaring))
    }

    /// Whether the JVM says that the class has no such field.
    pub fn lacks_field(&self, class: Ref, field: u64) -> bool {
        call!(self, GET_FIELD_NAME, class.word(), field, 0, 0, 0) == error::INVALID_FIELDID
    }

    /// Name and descriptor of a field of that class.
    pub fn field(&self, class: Ref, field: u64) -> Option<(String, String)> {
        let (mut name, mut signature) = (null_mut::<c_char>(), null_mut::<c_char>());
        let code = call!(self, GET_FIELD_NAME, class.word(), field, written!(name), written!(signature), 0);
        (code == error::NONE).then(|| (self.take_string(name), self.take_string(signature)))
    }
}
