//! Tells uses of JNI functions with the id of a method or field of another class, whose effect is undefined.

use std::sync::atomic::AtomicU32;

use jvmti_wire::trace::JniMisuse;

use super::count::take;
use super::key_table::hash;
use crate::vm::jni::{Jni, Ref};
use crate::vm::probe_environment::{self, ProbeEnvironment};

/// What a JNI function is passed before its other arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    ObjectAndMethod,
    ClassAndMethod,
    ObjectAndField,
    ClassAndField,
}

/// What the JNI function of that index is passed.
fn passed(index: usize) -> Option<Passed> {
    match index {
        28..=30 | 114..=143 => Some(Passed::ClassAndMethod), // NewObject, CallStatic…Method
        34..=63 => Some(Passed::ObjectAndMethod),            // Call…Method
        95..=112 => Some(Passed::ObjectAndField),            // Get…Field, Set…Field
        145..=162 => Some(Passed::ClassAndField),            // GetStatic…Field, SetStatic…Field
        _ => None,
    }
}

/// The probe asks the JVM so often about an id at a call site; other pairs may share a place.
const MOST: u32 = 64;

/// How many pairs of an id and a call site are told apart, in bits.
const BITS: u32 = 10;

/// Whether the JVM should be asked once more about the id at that call site.
fn is_due(id: u64, caller: u64) -> bool {
    static ASKED: [AtomicU32; 1 << BITS] = [const { AtomicU32::new(0) }; 1 << BITS];
    take(&ASKED[hash(id.rotate_left(29) ^ caller, BITS)], u32::MAX, MOST).is_some()
}

/// Whether the JNI function of that index is passed an id that does not belong to the class. It must not be called in a critical
/// region, nor while an exception is pending.
pub fn misuse(jni: Jni, index: usize, [subject, id]: [u64; 2], caller: u64) -> Option<JniMisuse> {
    let passed = passed(index)?;
    if subject == 0 || id == 0 || !is_due(id, caller) {
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
        // A JVM may know the field only as one of the class that declares it.
        let has = holds_upwards(jni, class, &|class| !environment.lacks_field(class, id));
        jni.delete_local(class);
        return Some(!has);
    }
    if passed != Passed::ObjectAndMethod && !is_class(jni, subject) {
        return Some(true);
    }
    // A JVM may find the static field by the id alone, whatever the class.
    let class = match passed {
        Passed::ClassAndField => environment.declaring_class_of_field(subject, id),
        _ => environment.declaring_class(id),
    }?;
    let belongs = match passed {
        Passed::ClassAndMethod => holds_upwards(jni, subject, &|above| jni.is_same(above, class)),
        Passed::ClassAndField => jni.is_assignable(subject, class),
        _ => jni.is_instance(subject, class),
    };
    jni.delete_local(class);
    Some(!belongs)
}

/// Whether that holds of the class or one of its superclasses.
fn holds_upwards(jni: Jni, class: Ref, holds: &dyn Fn(Ref) -> bool) -> bool {
    holds(class)
        || jni.superclass(class).is_some_and(|superclass| {
            let held = holds_upwards(jni, superclass, holds);
            jni.delete_local(superclass);
            held
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
        // GetMethodID, GetFieldID, GetStaticMethodID, GetStaticFieldID, GetObjectClass, NewString
        for index in [33, 94, 113, 144, 31, 163] {
            assert_eq!(passed(index), None, "{index}");
        }
    }
}
