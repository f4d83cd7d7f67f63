//! Tells uses of JNI functions with the id of a method or field of another class, whose effect is undefined.

use std::sync::atomic::AtomicU32;

use jvmti_wire::trace::JniMisuse;

use super::count::take;
use crate::vm::jni::{Jni, Ref};
use crate::vm::probe_environment::{self, ProbeEnvironment};

/// What a JNI function is passed before its other arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    ObjectAndMethod,
    ClassAndMethod,
    ObjectAndField,
}

/// What the JNI function of that index is passed. Static fields are left out: their ids say themselves where the field is.
fn passed(index: usize) -> Option<Passed> {
    match index {
        28..=30 | 114..=143 => Some(Passed::ClassAndMethod), // NewObject, CallStatic…Method
        34..=63 => Some(Passed::ObjectAndMethod),            // Call…Method
        95..=112 => Some(Passed::ObjectAndField),            // Get…Field, Set…Field
        _ => None,
    }
}

/// The probe asks the JVM so often about an id at a call site; other pairs may share a place.
const MOST: u32 = 64;

/// How many pairs of an id and a call site are told apart; a power of two.
const PLACES: usize = 1024;

/// Whether the JVM should be asked once more about the id at that call site.
fn is_due(id: u64, caller: u64) -> bool {
    static ASKED: [AtomicU32; PLACES] = [const { AtomicU32::new(0) }; PLACES];
    // The upper bits of the product depend on all bits of both.
    let place = (id.rotate_left(29) ^ caller).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
    take(&ASKED[place as usize % PLACES], u32::MAX, MOST).is_some()
}

/// Whether the JNI function of that index is passed an id that does not belong to the class. It must not be called in a critical
/// region.
pub fn misuse(jni: Jni, index: usize, [subject, id]: [u64; 2], caller: u64) -> Option<JniMisuse> {
    let passed = passed(index)?;
    if subject == 0 || id == 0 || !is_due(id, caller) || jni.exception_pending() {
        return None;
    }
    let subject = Ref::from_word(subject);
    // The JVM may get by without looking at a reference that is not valid, or null: so must the probe.
    if !(1..=3).contains(&jni.reference_type(subject)) || jni.is_same(subject, Ref::NULL) {
        return None;
    }
    is_foreign(probe_environment::get()?, jni, passed, subject, id)?.then_some(JniMisuse::OtherClass)
}

/// Whether the id does not belong to the object or class; `None`: the JVM does not say.
fn is_foreign(
    environment: ProbeEnvironment,
    jni: Jni,
    passed: Passed,
    subject: Ref,
    id: u64,
) -> Option<bool> {
    if passed == Passed::ObjectAndField {
        let class = jni.object_class(subject)?;
        let lacks = lacks_field(environment, jni, class, id);
        jni.delete_local(class);
        return Some(lacks);
    }
    let class = environment.declaring_class(id)?;
    let belongs = match passed {
        Passed::ClassAndMethod => is_class(jni, subject) && inherits(jni, subject, class),
        _ => jni.is_instance(subject, class),
    };
    jni.delete_local(class);
    Some(!belongs)
}

/// Whether the class is the other one, or one of its subclasses.
fn inherits(jni: Jni, class: Ref, other: Ref) -> bool {
    jni.is_same(class, other)
        || jni.superclass(class).is_some_and(|superclass| {
            let inherits = inherits(jni, superclass, other);
            jni.delete_local(superclass);
            inherits
        })
}

/// Whether the class and all its superclasses lack the field: a JVM may know it only as one of the class that declares it.
fn lacks_field(environment: ProbeEnvironment, jni: Jni, class: Ref, field: u64) -> bool {
    environment.lacks_field(class, field)
        && jni.superclass(class).is_none_or(|superclass| {
            let lacks = lacks_field(environment, jni, superclass, field);
            jni.delete_local(superclass);
            lacks
        })
}

/// Whether the object is a class: only of java.lang.Class is its class an instance of itself.
fn is_class(jni: Jni, object: Ref) -> bool {
    let Some(class) = jni.object_class(object) else { return false };
    let is_class = jni.object_class(class).is_some_and(|of_class| {
        let is_same = jni.is_same(class, of_class);
        jni.delete_local(of_class);
        is_same
    });
    jni.delete_local(class);
    is_class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jvm_is_asked_so_often_at_most() {
        let asked = (0..1000).filter(|_| is_due(0x7f00, 0x5500)).count();
        assert_eq!(asked, MOST as usize);
        assert!(is_due(0x7f08, 0x5500));
    }

    #[test]
    fn functions_that_ask_for_an_id_are_passed_none() {
        // GetMethodID, GetFieldID, GetStaticMethodID, GetStaticFieldID, GetObjectClass
        for index in [33, 94, 113, 144, 31] {
            assert_eq!(passed(index), None, "{index}");
        }
    }
}
