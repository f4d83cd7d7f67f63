//! What JNI functions do, by their index in the table.

/// Indices of functions that deal with local references.
pub const PUSH_LOCAL_FRAME: usize = 19;
pub const POP_LOCAL_FRAME: usize = 20;
pub const DELETE_LOCAL_REF: usize = 23;
pub const ENSURE_LOCAL_CAPACITY: usize = 26;

/// Whether the JNI function with that index may return a local reference, as all may that may run Java code, but for those that are
/// known not to.
pub fn returns_local(index: usize) -> bool {
    let returns = matches!(
        index,
        10 | 15 | POP_LOCAL_FRAME | 25 // GetSuperclass, ExceptionOccurred, PopLocalFrame, NewLocalRef
        | 31 | 95 | 145 // GetObjectClass, GetObjectField, GetStaticObjectField
        | 163 | 167 | 172..=173 | 175..=182 // NewString, NewStringUTF, NewObjectArray, its elements, New…Array
    );
    let neither = matches!(
        index,
        13 | 14 | PUSH_LOCAL_FRAME | ENSURE_LOCAL_CAPACITY // Throw, ThrowNew
        | 33 | 94 | 113 | 144 // ids of methods and fields
        | 37..=63 | 67..=93 | 117..=143 // Call…Method, but for objects
        | 215..=218 // RegisterNatives, UnregisterNatives, monitors
    );
    returns || (runs_java(index) && !neither)
}

/// Whether the JNI function with that index may run Java code, as all may but those that are known not to.
pub fn runs_java(index: usize) -> bool {
    !matches!(
        index,
        4 // GetVersion
        | 10..=11 // GetSuperclass, IsAssignableFrom
        | 15 | 17 // ExceptionOccurred, ExceptionClear
        | 21..=25 // global and local references, IsSameObject
        | 31..=32 // GetObjectClass, IsInstanceOf
        | 95..=112 // fields
        | 145..=162 // static fields
        | 163..=214 // strings and arrays
        | 219..=228 // GetJavaVM, regions, critical sections, weak references, ExceptionCheck
        | 232 // GetObjectRefType
    )
}

/// Whether the first argument of the JNI function with that index is a reference that has to be valid. GetObjectRefType asks
/// whether it is, and those that delete references are followed on their own.
pub fn takes_reference(index: usize) -> bool {
    matches!(
        index,
        7..=14 // methods and fields to and from objects, GetSuperclass, IsAssignableFrom, Throw, ThrowNew
        | 21 | 24..=25 // NewGlobalRef, IsSameObject, NewLocalRef
        | 27..=162 // objects, methods, fields
        | 164..=166 | 168..=171 // strings, GetArrayLength
        | 173..=174 | 183..=218 // arrays, RegisterNatives, UnregisterNatives, monitors
        | 220..=226 | 230 | 231 | 233 // regions, critical sections, NewWeakGlobalRef, buffers, GetModule
    )
}

/// Whether the second argument of the JNI function with that index is a reference, which may be null.
pub fn takes_second_reference(index: usize) -> bool {
    matches!(
        index,
        11 | 24 | 32 | 64..=93 | 172 // IsAssignableFrom, IsSameObject, IsInstanceOf, CallNonvirtual…, NewObjectArray
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_return_no_object_return_no_reference() {
        // CallObjectMethod, CallNonvirtualObjectMethodA, CallStaticObjectMethodV, FindClass, NewObject, GetStaticObjectField, one of later
        for index in [34, 66, 115, 6, 28, 145, 300] {
            assert!(returns_local(index), "{index}");
        }
        // CallBooleanMethod, CallVoidMethodA, CallNonvirtualBooleanMethod, CallStaticVoidMethod, GetFieldID, SetObjectField, MonitorEnter
        for index in [37, 63, 67, 141, 94, 104, 217] {
            assert!(!returns_local(index), "{index}");
        }
    }

    #[test]
    fn what_takes_text_or_numbers_takes_no_reference() {
        // FindClass, FatalError, the local frames, NewString, NewStringUTF, NewObjectArray, NewIntArray, NewDirectByteBuffer
        for index in [6, 18, PUSH_LOCAL_FRAME, POP_LOCAL_FRAME, 163, 167, 172, 179, 229, 232] {
            assert!(!takes_reference(index), "{index}");
        }
        // IsSameObject, GetObjectClass, CallIntMethod, GetStringUTFChars, MonitorEnter
        for index in [24, 31, 49, 169, 217] {
            assert!(takes_reference(index), "{index}");
        }
    }
}
