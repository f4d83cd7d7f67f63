//! What the C type of a parameter implies: its kind, the numbers that it holds, its usual direction, and the error for an invalid value.

use std::ops::RangeInclusive;

use crate::edition::{Dir, ParamKind};

/// Types of functions that the agent implements, other than those whose names end in `Callback`.
const FUNCTION_TYPES: [&str; 3] = ["jvmtiStartFunction", "jvmtiExtensionEvent", "jvmtiExtensionFunction"];
const JNI_REFERENCES: [&str; 4] = ["jobject", "jclass", "jthread", "jthreadGroup"];
const IDS: [&str; 3] = ["jmethodID", "jfieldID", "jrawMonitorID"];

/// The kind of a parameter with that C type.
pub fn kind(c_type: &str) -> ParamKind {
    if c_type == "..." {
        ParamKind::Varargs
    } else if c_type.ends_with('*') {
        ParamKind::Pointer
    } else if JNI_REFERENCES.contains(&c_type) {
        ParamKind::JniRef
    } else if IDS.contains(&c_type) {
        ParamKind::Id
    } else if c_type.ends_with("Callback") || FUNCTION_TYPES.contains(&c_type) {
        ParamKind::FunctionPointer
    } else if c_type.starts_with("jvmti") {
        ParamKind::Enum
    } else {
        ParamKind::Scalar
    }
}

/// Whether a value of that C type can be a fraction.
pub fn is_floating(c_type: &str) -> bool {
    matches!(c_type, "jfloat" | "jdouble" | "jvalue")
}

/// The numbers that a parameter of that C type can hold, if they are fewer than those of 64 bits.
pub fn range(c_type: &str) -> Option<RangeInclusive<i64>> {
    Some(match c_type {
        "jboolean" | "unsigned char" => 0..=i64::from(u8::MAX),
        "jbyte" => i64::from(i8::MIN)..=i64::from(i8::MAX),
        "jchar" => 0..=i64::from(u16::MAX),
        "jshort" => i64::from(i16::MIN)..=i64::from(i16::MAX),
        "jint" => i64::from(i32::MIN)..=i64::from(i32::MAX),
        _ if kind(c_type) == ParamKind::Enum => i64::from(i32::MIN)..=i64::from(i32::MAX),
        _ => return None,
    })
}

/// The usual direction of a parameter with that C type; it is an array if the specification names its element count.
pub fn usual_direction(c_type: &str, is_array: bool) -> Dir {
    if !c_type.ends_with('*') {
        return Dir::In;
    }
    match (c_type.starts_with("const "), is_array) {
        _ if c_type == "const char*" => Dir::InString,
        _ if c_type == "const void*" => Dir::InOpaque,
        (true, true) => Dir::InBuf,
        (true, false) => Dir::InPtr,
        _ if c_type.ends_with("***") => Dir::OutAllocAlloc,
        _ if c_type.ends_with("**") => Dir::OutAlloc,
        (false, true) => Dir::OutBuf,
        (false, false) => Dir::Out,
    }
}

/// The error for an invalid reference or ID of that type, if the type is a reference or ID.
pub fn invalid_error(c_type: &str) -> Option<&'static str> {
    Some(match c_type {
        "jthread" => "INVALID_THREAD",
        "jthreadGroup" => "INVALID_THREAD_GROUP",
        "jclass" => "INVALID_CLASS",
        "jobject" => "INVALID_OBJECT",
        "jmethodID" => "INVALID_METHODID",
        "jfieldID" => "INVALID_FIELDID",
        "jrawMonitorID" => "INVALID_MONITOR",
        _ => return None,
    })
}

/// The type without its pointers: `jvmtiStackInfo` of `jvmtiStackInfo**`, `jthread` of `const jthread*`.
pub fn pointee(c_type: &str) -> &str {
    c_type.trim_start_matches("const ").trim_end_matches('*').trim_end()
}
