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

/// The functions for one kind of fields, by what the fields hold: name of the function, type in C, conversion.
macro_rules! by_type {
    (read, $jni:expr, $of:expr, $holds:expr, $($holder:ident: $function:ident $type:ty => $into:expr),*) => {
        match $holds {
            $(FieldType::$holder => $into(call!($jni, $function as fn($of.0 => jobject, $of.1 => jfieldID) -> $type)),)*
        }
    };
    (write, $jni:expr, $of:expr, $holds:expr, $value:expr, $($holder:ident: $function:ident $type:ty => $from:expr),*) => {
        match $holds {
            $(FieldType::$holder => {
                let value: $type = $from($value);
                call!($jni, $function as fn($of.0 => jobject, $of.1 => jfieldID, value => $type) -> ());
            })*
        }
    };
}

impl Jni {
    /// What the field of the object, or the static field of the class, holds.
    pub fn read_field(self, access: FieldAccess, holder: Ref, field: u64) -> Held {
        let of = (holder.0, field as usize as jfieldID);
        let (reference, number, real) = (|r| Held::Reference(Ref(r)), Held::Number, Held::Real);
        if access.of_class {
            by_type!(read, self, of, access.holds,
                Object: GetStaticObjectField jobject => reference, Boolean: GetStaticBooleanField u8 => |v: u8| number(v.into()),
                Byte: GetStaticByteField i8 => |v: i8| number(v.into()), Char: GetStaticCharField u16 => |v: u16| number(v.into()),
                Short: GetStaticShortField i16 => |v: i16| number(v.into()), Int: GetStaticIntField i32 => |v: i32| number(v.into()),
                Long: GetStaticLongField i64 => number, Float: GetStaticFloatField f32 => |v: f32| real(v.into()),
                Double: GetStaticDoubleField f64 => real)
        } else {
            by_type!(read, self, of, access.holds,
                Object: GetObjectField jobject => reference, Boolean: GetBooleanField u8 => |v: u8| number(v.into()),
                Byte: GetByteField i8 => |v: i8| number(v.into()), Char: GetCharField u16 => |v: u16| number(v.into()),
                Short: GetShortField i16 => |v: i16| number(v.into()), Int: GetIntField i32 => |v: i32| number(v.into()),
                Long: GetLongField i64 => number, Float: GetFloatField f32 => |v: f32| real(v.into()),
                Double: GetDoubleField f64 => real)
        }
    }

    /// Writes the field of the object, or the static field of the class. What does not fit is cut off.
    pub fn write_field(self, access: FieldAccess, holder: Ref, field: u64, value: Held) {
        let of = (holder.0, field as usize as jfieldID);
        if access.of_class {
            by_type!(write, self, of, access.holds, value,
                Object: SetStaticObjectField jobject => reference, Boolean: SetStaticBooleanField u8 => |v| u8::from(number(v) != 0),
                Byte: SetStaticByteField i8 => |v| number(v) as i8, Char: SetStaticCharField u16 => |v| number(v) as u16,
                Short: SetStaticShortField i16 => |v| number(v) as i16, Int: SetStaticIntField i32 => |v| number(v) as i32,
                Long: SetStaticLongField i64 => number, Float: SetStaticFloatField f32 => |v| real(v) as f32,
                Double: SetStaticDoubleField f64 => real);
        } else {
            by_type!(write, self, of, access.holds, value,
                Object: SetObjectField jobject => reference, Boolean: SetBooleanField u8 => |v| u8::from(number(v) != 0),
                Byte: SetByteField i8 => |v| number(v) as i8, Char: SetCharField u16 => |v| number(v) as u16,
                Short: SetShortField i16 => |v| number(v) as i16, Int: SetIntField i32 => |v| number(v) as i32,
                Long: SetLongField i64 => number, Float: SetFloatField f32 => |v| real(v) as f32,
                Double: SetDoubleField f64 => real);
        }
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
