//! Values as the probe saw them: arguments, outputs, event parameters.

use std::cell::Cell;

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

/// Identity that the probe gives to a Java object at first sight; the same object has the same id throughout a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectId(pub u64);

/// One recorded C value, decoded structurally.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// A null pointer or null reference.
    Null,
    /// Output storage that the VM left as the probe had prepared it.
    Untouched,
    /// Any integer type, booleans and enumerations included.
    Int(i64),
    /// `jfloat` or `jdouble`.
    Float(f64),
    /// A C string: its bytes up to the terminator, meant to be modified UTF-8.
    Str(#[serde(with = "serde_bytes")] Vec<u8>),
    /// Raw memory of known length: class bytes, bytecodes, constant pool, capability bits.
    Bytes(#[serde(with = "serde_bytes")] Vec<u8>),
    /// A JNI reference, by the identity of what it refers to.
    Object(ObjectId),
    /// A JNI reference whose identity could not be determined here (phase or callback forbids it).
    Opaque,
    /// A `jmethodID`.
    Method(u64),
    /// A `jfieldID`.
    Field(u64),
    /// Any other pointer: raw monitor, function, address, user data.
    Pointer(u64),
    /// An array.
    List(#[serde(deserialize_with = "nested")] Vec<Value>),
    /// A structure, field by field in the order of the specification.
    Struct(#[serde(deserialize_with = "nested")] Vec<(String, Value)>),
    /// A JNI reference of which only the handle is known: the word itself, with which an agent passes it on.
    Reference(u64),
}

/// How deep arrays and structures may lie within each other; a value deeper than that can't be read back.
pub const MAX_DEPTH: usize = 32;

/// Reads the parts of a value, unless they lie too deep: the depth of what is read decides on the stack it takes, and
/// a trace may be any bytes.
fn nested<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    thread_local!(static DEPTH: Cell<usize> = const { Cell::new(0) });
    let depth = DEPTH.get();
    if depth == MAX_DEPTH {
        return Err(D::Error::custom("values are nested too deep"));
    }
    DEPTH.set(depth + 1);
    let parts = T::deserialize(from);
    DEPTH.set(depth);
    parts
}

impl Value {
    /// The field of that name, if this is a structure that has it.
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Struct(fields) => fields.iter().find(|(n, _)| n == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The integer, if this is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(i) => Some(*i),
            _ => None,
        }
    }
}
