//! Records that are too frequent to build a [`Body`](super::Body) for: the same bytes from borrowed parts.

use super::StepRef;
use super::encode::{Encode, Sink, zigzag};
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
    /// `Value::Reference`
    Reference(u64),
}

impl HotArg<'_> {
    // The numbers are the indices of the variants of `Value`.
    #[inline]
    fn encode(&self, to: &mut impl Sink) {
        match *self {
            HotArg::Null => to.byte(0),
            HotArg::Int(i) => to.tagged(2, zigzag(i)),
            HotArg::Float(f) => {
                to.byte(3);
                to.raw(&f.to_le_bytes());
            }
            HotArg::Str(s) => {
                to.byte(4);
                to.counted(s);
            }
            HotArg::Bytes(b) => {
                to.byte(5);
                to.counted(b);
            }
            HotArg::Object(ObjectId(id)) => to.tagged(6, id),
            HotArg::Opaque => to.byte(7),
            HotArg::Method(id) => to.tagged(8, id),
            HotArg::Field(id) => to.tagged(9, id),
            HotArg::Pointer(p) => to.tagged(10, p),
            HotArg::Reference(handle) => to.tagged(13, handle),
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
    /// `Body::EventEnd`
    EventEnd {
        /// Event number.
        event: u16,
    },
    /// `Body::CallBrief`
    CallBrief {
        /// Number of the call.
        call: u32,
        /// The probe's number of the environment.
        environment: u32,
        /// Slot of the function.
        function: u16,
        /// The place that it comes from.
        site: u32,
        /// The first argument.
        about: HotArg<'a>,
        /// Index of the output parameter, and address.
        blocks: &'a [(u16, u64)],
    },
    /// `Body::Blocks`
    Blocks {
        /// The call.
        call: u32,
        /// Index of the output parameter, and address.
        blocks: &'a [(u16, u64)],
    },
    /// `NativeCode::Aborted`, at a time when no memory can be allocated
    Aborted {
        /// Native code on the stack of the thread, innermost first.
        stack: &'a [HotPlace<'a>],
    },
}

/// A [`CodePlace`](super::CodePlace) that owns nothing. Texts are in UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HotPlace<'a> {
    /// Path of the library.
    pub library: &'a str,
    /// Distance from where the library is loaded.
    pub offset: u64,
    /// The function that it is in.
    pub symbol: &'a str,
}

impl HotBody<'_> {
    /// Whether the record may be dropped first when room gets scarce.
    pub(super) fn is_bulk(&self) -> bool {
        matches!(self, HotBody::Event { .. } | HotBody::EventEnd { .. })
    }
}

impl Encode for HotBody<'_> {
    // The numbers are the indices of the variants of `Body`, the order is that of their fields.
    #[inline]
    fn encode(&self, to: &mut impl Sink) {
        match *self {
            HotBody::CallBegin { call, environment, function, step, args } => {
                to.tagged(13, call.into());
                to.varint(environment.into());
                to.varint(function.into());
                encode_step(step, to);
                encode_args(args, to);
            }
            HotBody::CallEnd { call, code, outputs, exception: (before, after) } => {
                to.tagged(14, call.into());
                to.varint(zigzag(code.into()));
                to.varint(outputs.len() as u64);
                for (index, value) in outputs {
                    to.varint((*index).into());
                    value.encode(to);
                }
                to.byte(before.into());
                to.byte(after.into());
            }
            HotBody::Event { environment, event, args } => {
                to.tagged(16, environment.into());
                to.varint(event.into());
                encode_args(args, to);
            }
            HotBody::EventEnd { event } => to.tagged(17, event.into()),
            HotBody::CallBrief { call, environment, function, site, about, blocks } => {
                to.tagged(41, call.into());
                to.varint(environment.into());
                to.varint(function.into());
                to.varint(site.into());
                about.encode(to);
                encode_blocks(blocks, to);
            }
            HotBody::Blocks { call, blocks } => {
                to.tagged(25, call.into());
                encode_blocks(blocks, to);
            }
            HotBody::Aborted { stack } => {
                to.byte(57);
                to.tagged(21, stack.len() as u64);
                for place in stack {
                    to.counted(place.library.as_bytes());
                    to.varint(place.offset);
                    to.counted(place.symbol.as_bytes());
                }
            }
        }
    }
}

#[inline]
fn encode_args(args: &[HotArg<'_>], to: &mut impl Sink) {
    to.varint(args.len() as u64);
    for arg in args {
        arg.encode(to);
    }
}

#[inline]
fn encode_blocks(blocks: &[(u16, u64)], to: &mut impl Sink) {
    to.varint(blocks.len() as u64);
    for (param, at) in blocks {
        to.varint((*param).into());
        to.varint(*at);
    }
}

fn encode_step(step: StepRef, to: &mut impl Sink) {
    match step {
        StepRef::Setup { case } => to.tagged(0, case.into()),
        StepRef::Step { case, step } => {
            to.tagged(1, case.into());
            to.varint(step.into());
        }
        StepRef::Handler { case, handler, action } => {
            to.tagged(2, case.into());
            to.varint(handler.into());
            to.varint(action.into());
        }
        StepRef::None => to.byte(3),
        StepRef::Site { site } => to.tagged(4, site.into()),
    }
}
