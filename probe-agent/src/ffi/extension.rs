//! How the JVM describes the parameters of what it has beyond the specification.

use std::ffi::c_char;

use jni_sys::jint;

/// Parameters after the environment that are in registers.
pub const IN_REGISTERS: usize = 5;

/// Kinds of parameters: `jvmtiParamKind`, those that are told apart.
pub mod kind {
    /// `JVMTI_KIND_IN`
    pub const IN: i32 = 91;
    /// `JVMTI_KIND_IN_PTR`
    pub const IN_POINTER: i32 = 92;
    /// `JVMTI_KIND_OUT`
    pub const OUT: i32 = 96;
}

/// Types of parameters: `jvmtiParamTypes`, those that are told apart.
pub mod ty {
    /// `JVMTI_TYPE_JINT`
    pub const INT: i32 = 104;
    /// `JVMTI_TYPE_JLONG`
    pub const LONG: i32 = 105;
    /// `JVMTI_TYPE_JFLOAT`
    pub const FLOAT: i32 = 106;
    /// `JVMTI_TYPE_JDOUBLE`
    pub const DOUBLE: i32 = 107;
    /// `JVMTI_TYPE_JBOOLEAN`
    pub const BOOLEAN: i32 = 108;
    /// `JVMTI_TYPE_JVALUE`
    pub const VALUE: i32 = 112;
    /// `JVMTI_TYPE_CCHAR`
    pub const CHARACTERS: i32 = 115;
}

/// `jvmtiParamInfo`
#[repr(C)]
pub struct ParamInfo {
    /// Name.
    pub name: *mut c_char,
    /// `jvmtiParamKind`
    pub kind: i32,
    /// `jvmtiParamTypes`
    pub ty: i32,
    /// Whether null may be passed.
    pub null_ok: u8,
}

/// The descriptions of so many parameters; none if the JVM gave no pointer.
///
/// # Safety
/// The VM has to have described that many there, in memory that stays for as long as they are looked at.
pub unsafe fn described<'a>(count: jint, params: *const ParamInfo) -> &'a [ParamInfo] {
    match usize::try_from(count) {
        // SAFETY: the caller vouches for them.
        Ok(count) if !params.is_null() => unsafe { std::slice::from_raw_parts(params, count) },
        _ => &[],
    }
}

/// Kind and type of each.
pub fn kinds(params: &[ParamInfo]) -> Vec<(i32, i32)> {
    params.iter().map(|param| (param.kind, param.ty)).collect()
}
