//! An event that the JVM has sent, and its parameters, decoded without memory of their own.

use std::ffi::{CStr, c_char};

use jvmti_wire::Value;
use jvmti_wire::trace::HotArg;

use super::identity;
use super::jni::{Jni, Ref};
use super::resolver::ReadOnlyResolver;
use super::stage;
use crate::ffi::{CType, CallbackParam, Count, EventDescriptor, RawArg, event};
use crate::marshal;
use crate::os::memory;

/// As many parameters as an event has at the most.
pub const MOST_PARAMS: usize = 10;

/// An event whose callback has not returned yet.
#[derive(Clone, Copy)]
pub struct Event<'a> {
    descriptor: &'static EventDescriptor,
    args: &'a [RawArg],
}

impl<'a> Event<'a> {
    /// An event with its parameters after the environment.
    ///
    /// # Safety
    /// The parameters have to be those that the JVM passed to a callback which does not return before this is gone.
    pub unsafe fn new(descriptor: &'static EventDescriptor, args: &'a [RawArg]) -> Event<'a> {
        Event { descriptor, args }
    }

    /// Its description.
    pub fn descriptor(&self) -> &'static EventDescriptor {
        self.descriptor
    }

    /// Value of `jvmtiEvent`.
    pub fn number(&self) -> u16 {
        self.descriptor.number
    }

    /// Its parameters after the environment, as the JVM passed them.
    pub fn args(&self) -> &'a [RawArg] {
        self.args
    }

    /// Each parameter with what the JVM passed for it.
    pub fn params(&self) -> impl Iterator<Item = (&'static CallbackParam, &'a RawArg)> + use<'a> {
        self.descriptor.params.iter().zip(self.args)
    }

    /// The parameter of that index, and what the JVM passed for it.
    pub fn param(&self, index: usize) -> Option<(&'static CallbackParam, RawArg)> {
        self.descriptor.params.get(index).zip(self.args.get(index).copied())
    }

    /// The JNI environment of this thread, where JNI may be used.
    pub fn jni(&self) -> Option<Jni> {
        if !stage::objects_allowed() {
            return None;
        }
        self.carried_jni().or_else(Jni::current)
    }

    /// The JNI environment that the event carries, where JNI may be used.
    pub fn carried_jni(&self) -> Option<Jni> {
        let env = self.args.first().filter(|_| self.descriptor.carries_jni && stage::objects_allowed())?;
        // SAFETY: the JVM passed the environment of this thread.
        unsafe { Jni::handed(env.pointer().cast()) }
    }

    /// Text that a parameter points to, without its terminator.
    pub fn text(&self, index: usize) -> Option<&'a [u8]> {
        let (param, arg) = self.param(index)?;
        if arg.0 == 0 || param.ty != CType::Pointer(&CType::Char) {
            return None;
        }
        let text = arg.pointer().cast::<c_char>().cast_const();
        // SAFETY: an event's `char*` is a terminated string that stays during the callback.
        Some(unsafe { CStr::from_ptr(text) }.to_bytes())
    }

    /// The first bytes of an array that a parameter points to, of which another parameter is the length.
    pub fn bytes(&self, index: usize, most: usize) -> Option<&'a [u8]> {
        let (param, arg) = self.param(index)?;
        let (CType::Pointer(CType::UnsignedChar), Some(Count::Value(length))) = (param.ty, param.count)
        else {
            return None;
        };
        let (_, length) = self.param(length.into()).filter(|_| arg.0 != 0)?;
        let length = usize::try_from(length.int()).unwrap_or(0).min(most);
        // SAFETY: the JVM passed that many bytes, which stay during the callback.
        Some(unsafe { marshal::borrowed(arg.0, length) })
    }

    /// The number in the output parameter with this index, as the JVM or a callback has left it; `None` for a null pointer.
    pub fn number_left(&self, index: usize) -> Option<i32> {
        let (param, arg) = self.param(index)?;
        if arg.0 == 0 || !matches!(param.ty, CType::Pointer(CType::Int)) {
            return None;
        }
        // SAFETY: the JVM passed a pointer to a number, for the callback to write.
        Some(unsafe { arg.pointer().cast::<i32>().read() })
    }

    /// A copy of as many bytes as a callback has left, by its own account, at the address in the output parameter with this index; `None`
    /// if it has left none, or not so many.
    pub fn bytes_left(&self, index: usize, length: i32) -> Option<Vec<u8>> {
        let (param, arg) = self.param(index)?;
        if arg.0 == 0 || !matches!(param.ty, CType::Pointer(CType::Pointer(CType::UnsignedChar))) {
            return None;
        }
        // SAFETY: the JVM passed a pointer to a pointer, for the callback to write.
        let at = unsafe { marshal::load_pointer(arg.0) };
        memory::read(at, usize::try_from(length).ok()?)
    }

    /// Addresses of memory that the callback has left in outputs of the event: the JVM owns it from now on.
    pub fn memory_left(&self) -> impl Iterator<Item = u64> + use<'a> {
        let outputs = self.params().filter(|(param, arg)| {
            matches!(param.ty, CType::Pointer(CType::Pointer(CType::UnsignedChar))) && arg.0 != 0
        });
        // SAFETY: the JVM passed a pointer to a pointer, for the callback to write.
        outputs.map(|(_, arg)| unsafe { marshal::load_pointer(arg.0) }).filter(|at| *at != 0)
    }

    /// All parameters as values, with memory of their own: arrays, class files, values of variable type too.
    pub fn values(&self, jni: Option<Jni>) -> Vec<Value> {
        let methods_live = self.number() != event::COMPILED_METHOD_UNLOAD;
        let mut resolver = ReadOnlyResolver { jni, methods_live };
        // SAFETY: the parameters are those that the JVM passed.
        unsafe { marshal::event_args(self.descriptor.params, self.args, &mut resolver) }
    }

    /// Decodes the parameter if it can be told without memory of its own; `false`: it cannot. It is written where it is to
    /// be, as copying what has just been written in parts would have to wait for them.
    pub fn decode(&self, index: usize, jni: Option<Jni>, into: &mut HotArg<'a>) -> bool {
        let Some((param, raw)) = self.param(index) else { return false };
        if raw.0 == 0
            && !param.ty.is_integer()
            && !matches!(param.ty, CType::Float | CType::Double | CType::JValue)
        {
            *into = HotArg::Null;
            return true;
        }
        match param.ty {
            ty if ty.is_integer() => *into = HotArg::Int(raw.int()),
            CType::Reference("jthread") => match identity::current_thread(jni, Ref::from_word(raw.0)) {
                Some(id) => *into = HotArg::Object(id),
                None => *into = HotArg::Opaque,
            },
            CType::Reference(_) => match identity::object(jni, Ref::from_word(raw.0)) {
                Value::Object(id) => *into = HotArg::Object(id),
                _ => *into = HotArg::Opaque,
            },
            CType::Method => {
                // An unloaded method's id is good for nothing but comparing.
                if self.number() != event::COMPILED_METHOD_UNLOAD {
                    identity::method(jni, raw.0);
                }
                *into = HotArg::Method(raw.0);
            }
            CType::Field => *into = HotArg::Field(raw.0),
            CType::JValue => {
                *into = {
                    let bits = self.bits(index, jni).unwrap_or(raw.0);
                    value_of_type(self.type_of_value(param, jni), bits, jni)
                }
            }
            CType::Pointer(CType::Char) if param.count.is_none() => {
                *into = self.text(index).map_or(HotArg::Null, HotArg::Str);
            }
            CType::Pointer(CType::Opaque(_) | CType::Pointer(_)) if param.count.is_none() => {
                *into = HotArg::Pointer(raw.0);
            }
            _ => return false,
        }
        true
    }

    /// The bits of a parameter that mean something: of a `jvalue` those of its type, widened by sign.
    pub fn bits(&self, index: usize, jni: Option<Jni>) -> Option<u64> {
        let (param, raw) = self.param(index)?;
        if param.ty != CType::JValue {
            return Some(raw.0);
        }
        let bytes = raw.0.to_ne_bytes();
        let [a, b, c, d, ..] = bytes;
        Some(match self.type_of_value(param, jni) {
            Some(b'Z') => a.into(),
            Some(b'B') => i64::from(a.cast_signed()).cast_unsigned(),
            Some(b'C') => u16::from_ne_bytes([a, b]).into(),
            Some(b'S') => i64::from(i16::from_ne_bytes([a, b])).cast_unsigned(),
            Some(b'I') => i64::from(i32::from_ne_bytes([a, b, c, d])).cast_unsigned(),
            Some(b'F') => u32::from_ne_bytes([a, b, c, d]).into(),
            _ => raw.0,
        })
    }

    /// First character of the descriptor of a `jvalue`'s type: told by another parameter, or by the method that returns
    /// it. After an exception there is no returned value, and it must not be taken for a reference.
    fn type_of_value(&self, param: &CallbackParam, jni: Option<Jni>) -> Option<u8> {
        if let Some(selector) = param.selector {
            return u8::try_from(self.args.get(usize::from(selector))?.int()).ok();
        }
        if self.params().any(|(param, arg)| param.ty == CType::Boolean && arg.0 != 0) {
            return None;
        }
        let (_, method) = self.params().find(|(param, _)| param.ty == CType::Method)?;
        identity::method(jni, method.0)?.return_type()
    }
}

/// The value that these bits are of a type of which that is the descriptor's first character.
fn value_of_type(ty: Option<u8>, bits: u64, jni: Option<Jni>) -> HotArg<'static> {
    match ty {
        Some(b'F') => HotArg::Float(f32::from_bits(bits as u32).into()),
        Some(b'D') => HotArg::Float(f64::from_bits(bits)),
        Some(b'L' | b'[') => match identity::object(jni, Ref::from_word(bits)) {
            Value::Object(id) => HotArg::Object(id),
            Value::Null => HotArg::Null,
            _ => HotArg::Opaque,
        },
        _ => HotArg::Int(bits.cast_signed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi;

    #[test]
    fn no_event_has_more_parameters_than_there_is_room_for() {
        assert!(ffi::EVENTS.iter().all(|event| event.params.len() <= MOST_PARAMS));
    }
}
