//! Events as they arrive: recorded first, then acted upon.

use std::ffi::{CStr, c_char};

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, HotArg};

use crate::between;
use crate::cases;
use crate::environments::{self, Environment};
use crate::ffi::{self, CType, CallbackParam, Env, EventDescriptor, RawArg, event};
use crate::firing::{EventAt, Firing, Moment};
use crate::identity;
use crate::jni::{Jni, Ref};
use crate::life;
use crate::marshal;
use crate::onlooker::Onlooker;
use crate::recorder::{record, record_event};
use crate::stage::{self, Restricted};

/// As many parameters as an event has at the most.
pub const MOST_PARAMS: usize = 10;

/// Receives every event of every environment of the probe's.
pub fn dispatch(env: Env, number: u16, args: &[RawArg]) {
    if between::is_on() && between::deliver(env, number, args) {
        return;
    }
    let (Some(environment), Some(descriptor)) = (environments::of(env), ffi::event_descriptor(number)) else {
        return;
    };
    let own = environment.case.is_none();
    if own && number == event::THREAD_END {
        return between::thread_ends();
    }
    if own {
        life::begins(number);
    }
    let _restricted = is_restricting(number).then(Restricted::enter);
    let jni = jni_of(descriptor, args);
    record_arrival(environment, descriptor, jni, args);
    let acted = match environment.case {
        None => {
            life::act(number, jni);
            true
        }
        Some(case) => {
            let at = EventAt { environment, descriptor, args };
            let firing = Firing { moment: Moment::Event(at), jni };
            cases::get().and_then(|cases| cases.case(case)).is_some_and(|case| firing.fire_for(case))
        }
    };
    // Most callbacks return at once: their end is recorded only where something happened in between.
    if acted || is_milestone(number) {
        record(&Body::EventEnd { event: number });
    }
}

/// Whether the callback of that event allows nothing but callback-safe functions.
pub fn is_restricting(number: u16) -> bool {
    matches!(number, event::GARBAGE_COLLECTION_START | event::GARBAGE_COLLECTION_FINISH | event::OBJECT_FREE)
}

fn is_milestone(number: u16) -> bool {
    matches!(number, event::VM_START | event::VM_INIT | event::VM_DEATH)
}

/// The JNI environment that the event carries, where JNI may be used.
pub fn jni_of(descriptor: &EventDescriptor, args: &[RawArg]) -> Option<Jni> {
    let first = descriptor.params.first()?;
    let carried = match first.ty {
        CType::Pointer(CType::Opaque("JNIEnv")) => {
            args.first().and_then(|arg| Jni::handed(arg.pointer().cast()))
        }
        _ => None,
    };
    if !stage::objects_allowed() {
        return None;
    }
    carried.or_else(Jni::current)
}

fn record_arrival(
    environment: &Environment,
    descriptor: &EventDescriptor,
    jni: Option<Jni>,
    args: &[RawArg],
) {
    let mut decoded = [HotArg::Null; MOST_PARAMS];
    let count = descriptor.params.len().min(args.len()).min(MOST_PARAMS);
    for (index, (param, into)) in descriptor.params.iter().zip(&mut decoded).enumerate().take(count) {
        if !hot(descriptor, param, index, jni, args, into) {
            return record_in_full(environment, descriptor, jni, args);
        }
    }
    record_event(environment.number, descriptor.number, &decoded[..count]);
}

/// Records parameters that need memory of their own: arrays, class files, values of variable type.
#[cold]
fn record_in_full(
    environment: &Environment,
    descriptor: &EventDescriptor,
    jni: Option<Jni>,
    args: &[RawArg],
) {
    let methods_live = descriptor.number != event::COMPILED_METHOD_UNLOAD;
    let args = marshal::event_args(descriptor.params, args, &mut Onlooker { jni, methods_live });
    record(&Body::Event { environment: environment.number, event: descriptor.number, args });
}

/// Decodes the parameter if it can be told without memory of its own; `false`: it cannot. It is written where it is to
/// be, as copying what has just been written in parts would have to wait for them.
pub fn hot<'a>(
    descriptor: &EventDescriptor,
    param: &CallbackParam,
    index: usize,
    jni: Option<Jni>,
    args: &'a [RawArg],
    into: &mut HotArg<'a>,
) -> bool {
    let raw = args[index];
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
            if descriptor.number != event::COMPILED_METHOD_UNLOAD {
                identity::method(jni, raw.0);
            }
            *into = HotArg::Method(raw.0);
        }
        CType::Field => *into = HotArg::Field(raw.0),
        CType::JValue => *into = value_of_type(type_of_value(descriptor, param, jni, args), raw, jni),
        CType::Pointer(CType::Char) if param.count.is_none() => {
            let text = raw.pointer().cast::<c_char>().cast_const();
            // SAFETY: an event's `char*` is a terminated string that stays during the callback.
            *into = HotArg::Str(unsafe { CStr::from_ptr(text) }.to_bytes());
        }
        CType::Pointer(CType::Opaque(_) | CType::Pointer(_)) if param.count.is_none() => {
            *into = HotArg::Pointer(raw.0);
        }
        _ => return false,
    }
    true
}

/// First character of the descriptor of a `jvalue`'s type: told by another parameter, or by the method that returns
/// it. After an exception there is no returned value, and it must not be taken for a reference.
fn type_of_value(
    descriptor: &EventDescriptor,
    param: &CallbackParam,
    jni: Option<Jni>,
    args: &[RawArg],
) -> Option<u8> {
    if let Some(selector) = param.selector {
        return args.get(usize::from(selector)).and_then(|arg| u8::try_from(arg.int()).ok());
    }
    let mut params = descriptor.params.iter().zip(args);
    if params.any(|(param, arg)| param.ty == CType::Boolean && arg.0 != 0) {
        return None;
    }
    let (_, method) = descriptor.params.iter().zip(args).find(|(param, _)| param.ty == CType::Method)?;
    identity::method(jni, method.0)?.return_type()
}

/// The member of a `jvalue` that goes with the type; all members begin at its address.
fn value_of_type(ty: Option<u8>, raw: RawArg, jni: Option<Jni>) -> HotArg<'static> {
    let [a, b, c, d, ..] = raw.0.to_ne_bytes();
    match ty {
        Some(b'Z') => HotArg::Int(a.into()),
        Some(b'B') => HotArg::Int(a.cast_signed().into()),
        Some(b'C') => HotArg::Int(u16::from_ne_bytes([a, b]).into()),
        Some(b'S') => HotArg::Int(i16::from_ne_bytes([a, b]).into()),
        Some(b'I') => HotArg::Int(i32::from_ne_bytes([a, b, c, d]).into()),
        Some(b'F') => HotArg::Float(f32::from_ne_bytes([a, b, c, d]).into()),
        Some(b'D') => HotArg::Float(f64::from_bits(raw.0)),
        Some(b'L' | b'[') => match identity::object(jni, Ref::from_word(raw.0)) {
            Value::Object(id) => HotArg::Object(id),
            Value::Null => HotArg::Null,
            _ => HotArg::Opaque,
        },
        _ => HotArg::Int(raw.int()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_event_has_more_parameters_than_there_is_room_for() {
        assert!(ffi::EVENTS.iter().all(|event| event.params.len() <= MOST_PARAMS));
    }
}
