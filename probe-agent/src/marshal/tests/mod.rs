//! Marshalling against a made-up VM.

mod input;
mod output;
mod received;

use std::collections::BTreeMap;

use jni_sys::jobject;
use jvmti_wire::value::ObjectId;

use super::memory::{load, store};
use super::*;
use crate::ffi::raw::Bits;
use crate::ffi::{descriptor, layout};

const POINTER: CType = CType::Pointer(&CType::Void);
const REFERENCE: CType = CType::Reference("jobject");

/// Names stand for themselves: `Named("7")` is reference 7, whose identity is 7.
#[derive(Default)]
struct Fake {
    identified: Vec<u64>,
}

fn number(arg: &Arg) -> Result<u64, Reason> {
    match arg {
        Arg::Named(name) => name.parse().map_err(|_| Reason::new("not bound")),
        Arg::Invalid(_) => Ok(0xbad),
        other => Err(Reason(format!("{other:?}"))),
    }
}

impl Resolver for Fake {
    fn object(&mut self, arg: &Arg) -> Result<jobject, Reason> {
        number(arg).map(Bits::of_bits)
    }
    fn method(&mut self, arg: &Arg) -> Result<u64, Reason> {
        number(arg)
    }
    fn field(&mut self, arg: &Arg) -> Result<u64, Reason> {
        number(arg)
    }
    fn raw(&mut self, arg: &Arg) -> Result<u64, Reason> {
        number(arg)
    }
    fn identify(&mut self, object: jobject) -> Value {
        self.identified.push(object.bits());
        Value::Object(ObjectId(object.bits()))
    }
    fn return_type(&mut self, method: u64) -> Option<u8> {
        u8::try_from(method).ok()
    }
}

fn object(id: u64) -> Value {
    Value::Object(ObjectId(id))
}

fn named(id: u64) -> Arg {
    Arg::Named(id.to_string())
}

fn prepare(slot: u16, args: &[Arg]) -> Result<Call, Reason> {
    Call::prepare(descriptor(slot).expect("described"), args, &mut Fake::default())
}

fn prepared(slot: u16, args: &[Arg]) -> Call {
    prepare(slot, args).expect("can be prepared")
}

fn put(at: u64, ty: CType, bits: u64) {
    // SAFETY: tests write to storage made for the type.
    unsafe { store(at, ty, bits) };
}

fn get(at: u64, ty: CType) -> u64 {
    // SAFETY: tests read storage made for the type.
    unsafe { load(at, ty) }
}

/// Memory as the VM would give it.
#[derive(Default)]
struct Vm(Arena);

impl Vm {
    fn text(&mut self, text: &str) -> u64 {
        self.0.holding(text.as_bytes())
    }

    fn array(&mut self, ty: CType, elements: &[u64]) -> u64 {
        let start = self.0.zeroed(elements.len() * ty.size());
        for (i, bits) in elements.iter().enumerate() {
            put(start + (i * ty.size()) as u64, ty, *bits);
        }
        start
    }

    fn structs(&mut self, name: &str, elements: &[&[u64]]) -> u64 {
        let layout = layout(name).expect("laid out");
        let start = self.0.zeroed(elements.len() * layout.size);
        for (i, fields) in elements.iter().enumerate() {
            write_struct(start + (i * layout.size) as u64, name, fields);
        }
        start
    }
}

fn write_struct(at: u64, name: &str, fields: &[u64]) {
    let layout = layout(name).expect("laid out");
    assert_eq!(layout.fields.len(), fields.len(), "{name}");
    for (field, bits) in layout.fields.iter().zip(fields) {
        put(at + field.offset as u64, field.ty, *bits);
    }
}

/// Releases a call and tells what was deallocated and deleted.
fn release(call: &mut Call) -> (Vec<u64>, Vec<u64>) {
    let (mut memory, mut references) = (Vec::new(), Vec::new());
    call.release(&mut |m| memory.push(m), &mut |r| references.push(r.bits()));
    (memory, references)
}

fn outputs(call: &Call) -> BTreeMap<u16, Value> {
    call.outputs(&mut Fake::default()).into_iter().collect()
}
