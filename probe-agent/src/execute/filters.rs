//! Conditions on the parameters of an event.

use std::ffi::{CStr, c_char};

use jvmti_wire::plan::{Arg, Filter};

use crate::execute::bindings;
use crate::execute::cases::Case;
use crate::execute::occurrence::EventAt;
use crate::execute::saved::Saved;
use crate::ffi::CType;
use crate::vm::identity;
use crate::vm::jni::{Jni, Ref};
use crate::vm::probe_environment;
use crate::vm::stage;

/// Whether the event's parameter is what the filter asks for. What cannot be told here is not.
pub fn holds(case: &Case, filter: &Filter, at: &EventAt<'_>, jni: Option<Jni>) -> bool {
    let index = usize::from(filter.param);
    let (Some(param), Some(raw)) = (at.event.descriptor().params.get(index), at.event.args().get(index))
    else {
        return false;
    };
    let reference = Ref::from_word(raw.0);
    match &filter.is {
        Arg::Null => raw.0 == 0,
        Arg::Int(wanted) => raw.int() == *wanted,
        Arg::Float(wanted) => f64::from_bits(raw.0) == *wanted,
        Arg::Str(wanted) => is_text(param.ty, raw.0, wanted),
        Arg::Named(name) => {
            let saved = case.saved();
            // What a step has kept of another event.
            if let Some(Saved::Number(number)) = saved.get(name) {
                return raw.0 == number.cast_unsigned();
            }
            let known = saved.get(name).and_then(Saved::reference);
            drop(saved);
            // What another turn's scenario has bound to the name is something else.
            let bound = || if case.is_in_turn() { bindings::get(name) } else { None };
            known.or_else(bound).is_some_and(|known| is_same(jni, known, reference))
        }
        Arg::CurrentThread => is_current_thread(jni, reference),
        Arg::Class(name) => is_class(name, reference),
        Arg::Method { class, name, signature, .. } => identity::method(jni, raw.0).is_some_and(|method| {
            is_signature_of(&method.class, class)
                && method.name == *name
                && (signature.is_empty() || method.signature == *signature)
        }),
        Arg::Field { name, signature, .. } => is_field(at, raw.0, name, signature),
        Arg::Output { step, param, path } => {
            let saved = case.saved().get(step).and_then(|saved| saved.word(*param, path));
            saved.is_some_and(|word| match param_is_reference(at, filter) {
                true => is_same(jni, Ref::from_word(word), reference),
                false => word == raw.0,
            })
        }
        Arg::EventParam(other) => at.event.args().get(usize::from(*other)).is_some_and(|other| other == raw),
        _ => false,
    }
}

fn param_is_reference(at: &EventAt<'_>, filter: &Filter) -> bool {
    let param = at.event.descriptor().params.get(usize::from(filter.param));
    param.is_some_and(|param| matches!(param.ty, CType::Reference(_)))
}

fn is_same(jni: Option<Jni>, a: Ref, b: Ref) -> bool {
    jni.is_some_and(|jni| stage::objects_allowed() && jni.is_same(a, b))
}

fn is_current_thread(jni: Option<Jni>, thread: Ref) -> bool {
    let (Some(jni), true) = (jni, stage::objects_allowed()) else { return false };
    let Some(current) = probe_environment::get().and_then(|registrar| registrar.current_thread()) else {
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
    let signature = probe_environment::get().and_then(|registrar| registrar.class_signature(class));
    signature.is_some_and(|signature| is_signature_of(&signature, name))
}

fn is_signature_of(signature: &str, name: &str) -> bool {
    signature.strip_prefix('L').and_then(|s| s.strip_suffix(';')).unwrap_or(signature) == name
}

/// The events that carry a field carry the class it was accessed through right before the object.
fn is_field(at: &EventAt<'_>, field: u64, name: &str, signature: &str) -> bool {
    let class = at.event.descriptor().params.iter().position(|param| param.name == "field_klass");
    let Some(class) = class.and_then(|index| at.event.args().get(index)) else { return false };
    if !stage::objects_allowed() {
        return false;
    }
    let found =
        probe_environment::get().and_then(|registrar| registrar.field(Ref::from_word(class.0), field));
    found.is_some_and(|(n, s)| n == name && (signature.is_empty() || s == signature))
}

fn is_text(ty: CType, word: u64, wanted: &[u8]) -> bool {
    if word == 0 || !matches!(ty, CType::Pointer(CType::Char)) {
        return false;
    }
    let text = std::ptr::with_exposed_provenance::<c_char>(word as usize);
    // SAFETY: the event's parameter is a terminated string that stays during the callback.
    unsafe { CStr::from_ptr(text) }.to_bytes() == wanted
}
