//! Tells uses of JNI functions with the id of a method or field of another class, or of a method of another kind, whose effect is
//! undefined.

use std::cell::Cell;
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
    /// An object, a class, and a method of that class.
    Nonvirtual,
}

/// What the JNI function of that index is passed.
fn passed(index: usize) -> Option<Passed> {
    match index {
        28..=30 | 114..=143 => Some(Passed::ClassAndMethod), // NewObject, CallStatic…Method
        34..=63 => Some(Passed::ObjectAndMethod),            // Call…Method
        64..=93 => Some(Passed::Nonvirtual),                 // CallNonvirtual…Method
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

/// What is wrong if the JNI function of that index is passed an id that does not belong to the class, or not to the function. It must
/// not be called in a critical region, nor while an exception is pending.
pub fn misuse(jni: Jni, index: usize, args: [u64; 3], caller: u64) -> Option<JniMisuse> {
    let passed = passed(index)?;
    let (subject, class, id) = match (passed, args) {
        (Passed::Nonvirtual, [object, class, id]) => (object, class, id),
        (_, [subject, id, _]) => (subject, subject, id),
    };
    if subject == 0 || class == 0 || id == 0 || !is_due(id, caller) {
        return None;
    }
    // The JVM may get by without looking at a reference that is not valid, or null: so must the probe.
    let is_usable =
        |reference| (1..=3).contains(&jni.reference_type(reference)) && !jni.is_same(reference, Ref::NULL);
    let (subject, class) = (Ref::from_word(subject), Ref::from_word(class));
    if !is_usable(subject) || !is_usable(class) {
        return None;
    }
    let environment = probe_environment::get()?;
    let is_wrong = match passed {
        Passed::Nonvirtual => is_foreign_to_class(environment, jni, (subject, class), id)?,
        _ => is_foreign(environment, jni, passed, subject, id)?,
    };
    if is_wrong {
        return Some(JniMisuse::OtherClass);
    }
    let is_other_kind = match field_type(index) {
        Some(wanted) => {
            let (of_type, is_static) = kind_of_field(environment, jni, passed, subject, id)?;
            of_type != wanted || is_static.is_some_and(|is| is != (passed == Passed::ClassAndField))
        }
        None => is_of_other_kind(environment, jni, called(index)?, id)?,
    };
    is_other_kind.then_some(JniMisuse::OtherKind)
}

/// The first letter of the type of the fields that the JNI function of that index gets or sets, `L` for all references.
fn field_type(index: usize) -> Option<u8> {
    let first = match index {
        95..=103 => 95,
        104..=112 => 104,
        145..=153 => 145,
        154..=162 => 154,
        _ => return None,
    };
    b"LZBCSIJFD".get(index - first).copied()
}

/// The first letter of the type of the field, `L` for all references, and whether it is static, as far as the JVM says.
fn kind_of_field(
    environment: ProbeEnvironment,
    jni: Jni,
    passed: Passed,
    subject: Ref,
    id: u64,
) -> Option<(u8, Option<bool>)> {
    let own = if passed == Passed::ObjectAndField { Some(jni.object_class(subject)?) } else { None };
    let found = Cell::new(None);
    // A JVM may know the field only as one of the class that declares it.
    holds_upwards(jni, own.unwrap_or(subject), &|class| {
        let field = environment.field(class, id);
        let is_found = field.is_some();
        let first = field.and_then(|(_, descriptor)| descriptor.bytes().next());
        found.set(first.map(|first| (first, environment.is_static_field(class, id))));
        is_found
    });
    own.into_iter().for_each(|class| jni.delete_local(class));
    found.get().map(|(first, is_static)| (if first == b'[' { b'L' } else { first }, is_static))
}

/// The methods that a JNI function calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Called {
    Constructors,
    /// With a result of which this is the first letter of the descriptor; that of all references is `L`.
    Methods {
        is_static: bool,
        result: u8,
    },
}

/// The methods that the JNI function of that index calls.
fn called(index: usize) -> Option<Called> {
    // In this order, and in three forms each.
    let result = |first: usize| b"LZBCSIJFDV".get((index - first) / 3).copied();
    match index {
        28..=30 => Some(Called::Constructors),
        34..=63 => result(34).map(|result| Called::Methods { is_static: false, result }),
        64..=93 => result(64).map(|result| Called::Methods { is_static: false, result }),
        114..=143 => result(114).map(|result| Called::Methods { is_static: true, result }),
        _ => None,
    }
}

/// Whether the id is not that of one of these methods; `None`: the JVM does not say.
fn is_of_other_kind(environment: ProbeEnvironment, jni: Jni, called: Called, id: u64) -> Option<bool> {
    let (class, name, descriptor) = environment.method(id)?;
    jni.delete_local(class);
    let Called::Methods { is_static, result } = called else { return Some(name != "<init>") };
    Some(result_of(&descriptor)? != result || environment.is_static(id)? != is_static)
}

/// The first letter of the result in the descriptor of a method, `L` for an array.
fn result_of(descriptor: &str) -> Option<u8> {
    let (_, result) = descriptor.rsplit_once(')')?;
    result.bytes().next().map(|first| if first == b'[' { b'L' } else { first })
}

/// Whether the method is not one that the class has, or the object is none of that class; `None`: the JVM does not say.
fn is_foreign_to_class(
    environment: ProbeEnvironment,
    jni: Jni,
    (object, class): (Ref, Ref),
    id: u64,
) -> Option<bool> {
    if !is_class(jni, class) {
        return Some(true);
    }
    let declaring = environment.declaring_class(id)?;
    let belongs = jni.is_instance(object, class) && jni.is_assignable(class, declaring);
    jni.delete_local(declaring);
    Some(!belongs)
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
    fn functions_call_methods_of_their_kind() {
        let methods = |is_static, result| Some(Called::Methods { is_static, result });
        // NewObjectV, CallObjectMethod, CallLongMethodA, CallVoidMethodA, CallStaticBooleanMethod, CallStaticVoidMethodA
        assert_eq!(called(29), Some(Called::Constructors));
        assert_eq!(
            [34, 54, 63].map(called),
            [methods(false, b'L'), methods(false, b'J'), methods(false, b'V')]
        );
        // CallNonvirtualObjectMethod, CallNonvirtualVoidMethodA
        assert_eq!([64, 93].map(called), [methods(false, b'L'), methods(false, b'V')]);
        assert_eq!([117, 143].map(called), [methods(true, b'Z'), methods(true, b'V')]);
        assert_eq!([31, 94, 113, 144].map(called), [None; 4]);
        let descriptors = ["(I)V", "()Ljava/lang/String;", "([J)[I", "(J)J", ""].map(result_of);
        assert_eq!(descriptors, [Some(b'V'), Some(b'L'), Some(b'L'), Some(b'J'), None]);
    }

    #[test]
    fn functions_get_and_set_fields_of_their_type() {
        // GetObjectField, GetDoubleField, SetObjectField, SetStaticLongField
        assert_eq!([95, 103, 104, 160].map(field_type), [b'L', b'D', b'L', b'J'].map(Some));
        assert_eq!([94, 113, 144, 163].map(field_type), [None; 4]);
    }

    #[test]
    fn functions_that_ask_for_an_id_are_passed_none() {
        // GetMethodID, GetFieldID, GetStaticMethodID, GetStaticFieldID, GetObjectClass, NewString
        for index in [33, 94, 113, 144, 31, 163] {
            assert_eq!(passed(index), None, "{index}");
        }
    }
}
