//! Fields of each type, as JNI reads and writes them.

use std::ffi::c_void;

use jni_sys::{JNIEnv, jfieldID, jobject};
use jvmti_wire::plan::{FieldAccess, FieldType};

use super::{Jni, Ref, functions};

/// What a field holds.
#[derive(Clone, Copy)]
pub enum Held {
    /// Of any integer type, or 0 or 1.
    Number(i64),
    /// `jfloat` or `jdouble`.
    Real(f64),
    /// A local reference, or null.
    Reference(Ref),
}

/// Calls the function of this name, which has the given types: a `jboolean` is an unsigned 8-bit integer, while the `bool` of
/// `jni_sys` may not hold more than two of its values.
macro_rules! call {
    ($jni:expr, $function:ident as fn($($argument:expr => $type:ty),*) -> $result:ty) => {{
        type Function = unsafe extern "system" fn(*mut JNIEnv $(, $type)*) -> $result;
        // SAFETY: the environment is the current thread's, as the VM gave it; the references were made by the VM, and the function
        // has these parameters.
        unsafe {
            let function = (*functions($jni.0)).v1_6.$function as *const c_void;
            std::mem::transmute::<*const c_void, Function>(function)($jni.0 $(, $argument)*)
        }
    }};
}

/// Reads or writes a field: for each kind of what fields hold, the functions for fields of objects and for static ones, the type in
/// C, and the conversion.
macro_rules! by_type {
    (read, $jni:expr, $access:expr, $of:expr; $($holds:ident: $object:ident | $class:ident, $type:ty => $into:expr;)*) => {
        match $access.holds {
            $(FieldType::$holds => $into(if $access.of_class {
                call!($jni, $class as fn($of.0 => jobject, $of.1 => jfieldID) -> $type)
            } else {
                call!($jni, $object as fn($of.0 => jobject, $of.1 => jfieldID) -> $type)
            }),)*
        }
    };
    (write, $jni:expr, $access:expr, $of:expr, $value:expr; $($holds:ident: $object:ident | $class:ident, $type:ty => $from:expr;)*) => {
        match $access.holds {
            $(FieldType::$holds => {
                let value: $type = $from($value);
                if $access.of_class {
                    call!($jni, $class as fn($of.0 => jobject, $of.1 => jfieldID, value => $type) -> ());
                } else {
                    call!($jni, $object as fn($of.0 => jobject, $of.1 => jfieldID, value => $type) -> ());
                }
            })*
        }
    };
}

impl Jni {
    /// What the field of the object, or the static field of the class, holds.
    pub fn read_field(self, access: FieldAccess, holder: Ref, field: u64) -> Held {
        let of = (holder.0, field as usize as jfieldID);
        let (number, real) = (Held::Number, Held::Real);
        by_type!(read, self, access, of;
            Object: GetObjectField | GetStaticObjectField, jobject => |v| Held::Reference(Ref(v));
            Boolean: GetBooleanField | GetStaticBooleanField, u8 => |v: u8| number(v.into());
            Byte: GetByteField | GetStaticByteField, i8 => |v: i8| number(v.into());
            Char: GetCharField | GetStaticCharField, u16 => |v: u16| number(v.into());
            Short: GetShortField | GetStaticShortField, i16 => |v: i16| number(v.into());
            Int: GetIntField | GetStaticIntField, i32 => |v: i32| number(v.into());
            Long: GetLongField | GetStaticLongField, i64 => number;
            Float: GetFloatField | GetStaticFloatField, f32 => |v: f32| real(v.into());
            Double: GetDoubleField | GetStaticDoubleField, f64 => real;
        )
    }

    /// Writes the field of the object, or the static field of the class. What does not fit is cut off.
    pub fn write_field(self, access: FieldAccess, holder: Ref, field: u64, value: Held) {
        let of = (holder.0, field as usize as jfieldID);
        by_type!(write, self, access, of, value;
            Object: SetObjectField | SetStaticObjectField, jobject => reference;
            Boolean: SetBooleanField | SetStaticBooleanField, u8 => |v| u8::from(number(v) != 0);
            Byte: SetByteField | SetStaticByteField, i8 => |v| number(v) as i8;
            Char: SetCharField | SetStaticCharField, u16 => |v| number(v) as u16;
            Short: SetShortField | SetStaticShortField, i16 => |v| number(v) as i16;
            Int: SetIntField | SetStaticIntField, i32 => |v| number(v) as i32;
            Long: SetLongField | SetStaticLongField, i64 => number;
            Float: SetFloatField | SetStaticFloatField, f32 => |v| real(v) as f32;
            Double: SetDoubleField | SetStaticDoubleField, f64 => real;
        );
    }
}

fn reference(held: Held) -> jobject {
    match held {
        Held::Reference(reference) => reference.0,
        Held::Number(_) | Held::Real(_) => std::ptr::null_mut(),
    }
}

fn number(held: Held) -> i64 {
    match held {
        Held::Number(number) => number,
        Held::Real(real) => real as i64,
        Held::Reference(_) => 0,
    }
}

fn real(held: Held) -> f64 {
    match held {
        Held::Real(real) => real,
        other => number(other) as f64,
    }
}
