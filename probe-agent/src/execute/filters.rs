//! Conditions on the parameters of an event.

use jvmti_wire::plan::{Arg, Filter};
use jvmti_wire::trace::HotArg;

use crate::execute::bindings;
use crate::execute::cases::RunningCase;
use crate::execute::saved::Saved;
use crate::ffi::CType;
use crate::vm::event::Event;
use crate::vm::identity;
use crate::vm::jni::{Jni, Ref};
use crate::vm::probe_environment;
use crate::vm::stage;

/// Whether the event's parameter is what the filter asks for. What cannot be told here is not.
pub fn holds(case: &RunningCase, filter: &Filter, event: &Event<'_>, jni: Option<Jni>) -> bool {
    let index = usize::from(filter.param);
    let (Some((param, raw)), Some(bits)) = (event.param(index), event.bits(index, jni)) else { return false };
    let is_reference = matches!(param.ty, CType::Reference(_));
    let reference = Ref::from_word(raw.0);
    match &filter.is {
        Arg::Null => raw.0 == 0,
        Arg::Int(wanted) => bits.cast_signed() == *wanted,
        Arg::Float(wanted) => {
            let mut value = HotArg::Null;
            event.decode(index, jni, &mut value) && value == HotArg::Float(*wanted)
        }
        Arg::Str(wanted) => event.text(index).is_some_and(|text| text == wanted),
        Arg::Named(name) => {
            let saved = case.saved();
            // What a step has kept of another event.
            if let Some(Saved::Number(number)) = saved.get(name) {
                return bits == number.cast_unsigned();
            }
            let known = saved.get(name).and_then(Saved::reference);
            drop(saved);
            // What the scenario of another run has bound to the name is something else.
            let bound = || if case.is_in_run() { bindings::get(name) } else { None };
            known.or_else(bound).is_some_and(|known| is_same(jni, known, reference))
        }
        Arg::CurrentThread => is_current_thread(jni, reference),
        Arg::Class(name) => is_class(name, reference),
        Arg::Method { class, name, signature, .. } => identity::method(jni, raw.0).is_some_and(|method| {
            is_signature_of(&method.class, class)
                && method.name == *name
                && (signature.is_empty() || method.signature == *signature)
        }),
        Arg::Field { name, signature, .. } => is_field(event, raw.0, name, signature),
        Arg::Output { step, param, path } => {
            let saved = case.saved().get(step).and_then(|saved| saved.word(*param, path));
            saved.is_some_and(|word| match is_reference {
                true => is_same(jni, Ref::from_word(word), reference),
                false => word == bits,
            })
        }
        Arg::EventParam(other) => event.bits(usize::from(*other), jni) == Some(bits),
        _ => false,
    }
}

fn is_same(jni: Option<Jni>, a: Ref, b: Ref) -> bool {
    jni.is_some_and(|jni| stage::objects_allowed() && jni.is_same(a, b))
}

fn is_current_thread(jni: Option<Jni>, thread: Ref) -> bool {
    let (Some(jni), true) = (jni, stage::objects_allowed()) else { return false };
    let Some(current) = probe_environment::get().and_then(|own| own.current_thread()) else {
        return false;
    };
    let same = jni.is_same(current, thread);
    jni.delete_local(current);
    same
}

/// No class is looked up by name for this: it would be loaded, or found too early.
fn is_class(name: &str, class: Ref) -> bool {
    if class.is_null() || !stage::objects_allowed() {
        return false;
    }
    let signature = probe_environment::get().and_then(|own| own.class_signature(class));
    signature.is_some_and(|signature| is_signature_of(&signature, name))
}

fn is_signature_of(signature: &str, name: &str) -> bool {
    signature.strip_prefix('L').and_then(|s| s.strip_suffix(';')).unwrap_or(signature) == name
}

/// The events that carry a field carry the class it was accessed through right before the object.
fn is_field(event: &Event<'_>, field: u64, name: &str, signature: &str) -> bool {
    let class = event.descriptor().params.iter().position(|param| param.name == "field_klass");
    let Some(class) = class.and_then(|index| event.args().get(index)) else { return false };
    if !stage::objects_allowed() {
        return false;
    }
    let found = probe_environment::get().and_then(|own| own.field(Ref::from_word(class.0), field));
    found.is_some_and(|(n, s)| n == name && (signature.is_empty() || s == signature))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi::{RawArg, event, event_descriptor};

    /// Whether the new value of a field, of the type of that descriptor, is what a filter asks for.
    fn is(ty: u8, bits: u64, wanted: Arg) -> bool {
        let descriptor = event_descriptor(event::FIELD_MODIFICATION).expect("described");
        let args = [0, 0, 0, 0, 0, 0, 0, u64::from(ty), bits].map(RawArg);
        // SAFETY: there are no pointers among them.
        let event = unsafe { Event::new(descriptor, &args) };
        holds(&RunningCase::empty(), &Filter { param: 8, is: wanted }, &event, None)
    }

    #[test]
    fn of_a_value_of_variable_type_only_the_bits_of_its_type_count() {
        let garbage = 0xdead_beef << 32;
        assert!(is(b'I', garbage | 5, Arg::Int(5)) && !is(b'I', garbage | 5, Arg::Int(6)));
        assert!(is(b'I', u64::from(u32::MAX), Arg::Int(-1)));
        assert!(is(b'Z', garbage | 1, Arg::Int(1)));
        assert!(is(b'J', garbage | 5, Arg::Int((garbage | 5u64).cast_signed())));
        let half = u64::from(0.5f32.to_bits());
        assert!(is(b'F', garbage | half, Arg::Float(0.5)) && !is(b'F', half, Arg::Float(0.25)));
        assert!(is(b'D', 0.5f64.to_bits(), Arg::Float(0.5)));
    }
}
