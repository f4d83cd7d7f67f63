//! Records that are too frequent to build a [`Body`](super::Body) for: the same bytes from borrowed parts.

use serde::ser::{Serialize, SerializeStructVariant, Serializer};

use super::StepRef;
use crate::value::ObjectId;

/// A [`Value`](crate::Value) that owns nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HotArg<'a> {
    /// `Value::Null`
    Null,
    /// `Value::Int`
    Int(i64),
    /// `Value::Float`
    Float(f64),
    /// `Value::Str`
    Str(&'a [u8]),
    /// `Value::Bytes`
    Bytes(&'a [u8]),
    /// `Value::Object`
    Object(ObjectId),
    /// `Value::Opaque`
    Opaque,
    /// `Value::Method`
    Method(u64),
    /// `Value::Field`
    Field(u64),
    /// `Value::Pointer`
    Pointer(u64),
}

impl Serialize for HotArg<'_> {
    // The indices are those of `Value`.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        const NAME: &str = "Value";
        match self {
            HotArg::Null => to.serialize_unit_variant(NAME, 0, "Null"),
            HotArg::Int(i) => to.serialize_newtype_variant(NAME, 2, "Int", i),
            HotArg::Float(f) => to.serialize_newtype_variant(NAME, 3, "Float", f),
            HotArg::Str(s) => to.serialize_newtype_variant(NAME, 4, "Str", serde_bytes::Bytes::new(s)),
            HotArg::Bytes(b) => to.serialize_newtype_variant(NAME, 5, "Bytes", serde_bytes::Bytes::new(b)),
            HotArg::Object(id) => to.serialize_newtype_variant(NAME, 6, "Object", id),
            HotArg::Opaque => to.serialize_unit_variant(NAME, 7, "Opaque"),
            HotArg::Method(id) => to.serialize_newtype_variant(NAME, 8, "Method", id),
            HotArg::Field(id) => to.serialize_newtype_variant(NAME, 9, "Field", id),
            HotArg::Pointer(p) => to.serialize_newtype_variant(NAME, 10, "Pointer", p),
        }
    }
}

/// A [`Body`](super::Body) that owns nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HotBody<'a> {
    /// `Body::CallBegin`
    CallBegin {
        /// Number of the call.
        call: u32,
        /// The probe's number of the environment.
        environment: u32,
        /// Slot of the function, from 1.
        function: u16,
        /// Which step asked for it.
        step: StepRef,
        /// Arguments after the environment.
        args: &'a [HotArg<'a>],
    },
    /// `Body::CallEnd`
    CallEnd {
        /// Number of the call.
        call: u32,
        /// The `jvmtiError`.
        code: i32,
        /// Output parameters, by index.
        outputs: &'a [(u16, HotArg<'a>)],
        /// Whether a JNI exception was pending before and after.
        exception: (bool, bool),
    },
    /// `Body::Event`
    Event {
        /// The probe's number of the environment it was sent to.
        environment: u32,
        /// Event number.
        event: u16,
        /// Parameters after the environment.
        args: &'a [HotArg<'a>],
    },
    /// `Body::Callback`
    Callback {
        /// The call.
        call: u32,
        /// C type name.
        callback: &'a str,
        /// Parameters.
        args: &'a [HotArg<'a>],
        /// What the probe returned.
        returned: i64,
    },
}

impl HotBody<'_> {
    /// Whether the record may be dropped first when room gets scarce.
    pub(super) fn is_bulk(&self) -> bool {
        matches!(self, HotBody::Event { .. } | HotBody::Callback { .. })
    }
}

impl Serialize for HotBody<'_> {
    // The indices and the order of fields are those of `Body`.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        const NAME: &str = "Body";
        match self {
            HotBody::CallBegin { call, environment, function, step, args } => {
                let mut to = to.serialize_struct_variant(NAME, 13, "CallBegin", 5)?;
                to.serialize_field("call", call)?;
                to.serialize_field("environment", environment)?;
                to.serialize_field("function", function)?;
                to.serialize_field("step", step)?;
                to.serialize_field("args", args)?;
                to.end()
            }
            HotBody::CallEnd { call, code, outputs, exception } => {
                let mut to = to.serialize_struct_variant(NAME, 14, "CallEnd", 4)?;
                to.serialize_field("call", call)?;
                to.serialize_field("code", code)?;
                to.serialize_field("outputs", outputs)?;
                to.serialize_field("exception", exception)?;
                to.end()
            }
            HotBody::Event { environment, event, args } => {
                let mut to = to.serialize_struct_variant(NAME, 16, "Event", 3)?;
                to.serialize_field("environment", environment)?;
                to.serialize_field("event", event)?;
                to.serialize_field("args", args)?;
                to.end()
            }
            HotBody::Callback { call, callback, args, returned } => {
                let mut to = to.serialize_struct_variant(NAME, 18, "Callback", 4)?;
                to.serialize_field("call", call)?;
                to.serialize_field("callback", callback)?;
                to.serialize_field("args", args)?;
                to.serialize_field("returned", returned)?;
                to.end()
            }
        }
    }
}
