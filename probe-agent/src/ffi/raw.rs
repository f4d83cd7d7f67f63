//! C values as bits, and calls through typed function pointers.

use std::ffi::{c_char, c_void};

use jni_sys::{jchar, jdouble, jfloat, jint, jlong, jvalue};

use super::Missing;

/// `jboolean` as C has it: any 8 bits. The `bool` of `jni_sys` may not hold more than two of their values.
#[expect(non_camel_case_types, reason = "the name that C gives it")]
pub(crate) type jboolean = u8;

/// One C value as it was passed, widened to 64 bits: integers by sign, pointers as addresses, `jfloat` in the low half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct RawArg(pub u64);

impl RawArg {
    /// As an integer.
    pub fn int(self) -> i64 {
        self.0.cast_signed()
    }

    /// As a pointer or reference.
    pub fn pointer(self) -> *mut c_void {
        Bits::of_bits(self.0)
    }
}

/// C values that travel as 64 bits. What does not fit is cut off, as a C conversion would.
pub(crate) trait Bits: Copy {
    /// The value's bits.
    fn bits(self) -> u64;
    /// The value of these bits.
    fn of_bits(bits: u64) -> Self;
}

macro_rules! integer_bits {
    ($($int:ty),*) => {$(
        impl Bits for $int {
            fn bits(self) -> u64 {
                i64::from(self).cast_unsigned()
            }
            fn of_bits(bits: u64) -> Self {
                bits as Self
            }
        }
    )*};
}

// `c_char` is one of `i8` and `u8`.
integer_bits!(i8, u8, i16, jchar, jint, jlong);

impl Bits for jfloat {
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
    fn of_bits(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
}

impl Bits for jdouble {
    fn bits(self) -> u64 {
        self.to_bits()
    }
    fn of_bits(bits: u64) -> Self {
        f64::from_bits(bits)
    }
}

impl<T> Bits for *mut T {
    fn bits(self) -> u64 {
        self.expose_provenance() as u64
    }
    fn of_bits(bits: u64) -> Self {
        std::ptr::with_exposed_provenance_mut(bits as usize)
    }
}

impl Bits for jvalue {
    fn bits(self) -> u64 {
        // SAFETY: a jvalue is passed by value as 64 bits, all of them readable as a jlong.
        unsafe { self.j }.cast_unsigned()
    }
    fn of_bits(bits: u64) -> Self {
        jvalue { j: bits.cast_signed() }
    }
}

const _: () = assert!(size_of::<jvalue>() == 8 && size_of::<c_char>() == 1);

/// Calls a function of one C signature: address, environment, arguments.
///
/// Unsafe as the address has to be that of a function of this signature.
pub(crate) type Caller = unsafe fn(*const c_void, *mut c_void, &[u64]) -> Result<jint, Missing>;

/// Hands an event's parameters on: function, environment, parameters after it.
///
/// Unsafe as the function has to be one for this event.
pub(crate) type Forward = unsafe fn(*const c_void, *mut c_void, &[RawArg]);

/// Defines the [`Caller`] of one C signature. `variadic` ends it in `...`, for which nothing is passed.
macro_rules! signature {
    (@define $caller:ident, ($($param:ident: $ty:ty),*), $function:ty) => {
        pub(super) unsafe fn $caller(
            function: *const std::ffi::c_void,
            env: *mut std::ffi::c_void,
            args: &[u64],
        ) -> Result<jni_sys::jint, $crate::ffi::Missing> {
            let &[$($param),*] = args else {
                return Err($crate::ffi::Missing::Arguments { given: args.len() });
            };
            // SAFETY: the caller vouches for the function's address and signature.
            let function = unsafe { std::mem::transmute::<*const std::ffi::c_void, $function>(function) };
            // SAFETY: as above; that the arguments make sense to the VM is up to the plan.
            Ok(unsafe { function(env, $(<$ty as $crate::ffi::raw::Bits>::of_bits($param)),*) })
        }
    };
    ($caller:ident($($param:ident: $ty:ty),*)) => {
        signature!(@define $caller, ($($param: $ty),*),
            unsafe extern "C" fn(*mut std::ffi::c_void, $($ty),*) -> jni_sys::jint);
    };
    (variadic $caller:ident($($param:ident: $ty:ty),*)) => {
        signature!(@define $caller, ($($param: $ty),*),
            unsafe extern "C" fn(*mut std::ffi::c_void, $($ty,)* ...) -> jni_sys::jint);
    };
}
pub(crate) use signature;
