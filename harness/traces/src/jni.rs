//! The functions of JNI.

/// Their names in the order of the table, from index 4 on; four entries before are reserved.
const NAMES: &str = "\
    GetVersion DefineClass FindClass FromReflectedMethod FromReflectedField ToReflectedMethod \
    GetSuperclass IsAssignableFrom ToReflectedField Throw ThrowNew ExceptionOccurred ExceptionDescribe \
    ExceptionClear FatalError PushLocalFrame PopLocalFrame NewGlobalRef DeleteGlobalRef DeleteLocalRef \
    IsSameObject NewLocalRef EnsureLocalCapacity AllocObject NewObject NewObjectV NewObjectA \
    GetObjectClass IsInstanceOf GetMethodID CallObjectMethod CallObjectMethodV CallObjectMethodA \
    CallBooleanMethod CallBooleanMethodV CallBooleanMethodA CallByteMethod CallByteMethodV \
    CallByteMethodA CallCharMethod CallCharMethodV CallCharMethodA CallShortMethod CallShortMethodV \
    CallShortMethodA CallIntMethod CallIntMethodV CallIntMethodA CallLongMethod CallLongMethodV \
    CallLongMethodA CallFloatMethod CallFloatMethodV CallFloatMethodA CallDoubleMethod CallDoubleMethodV \
    CallDoubleMethodA CallVoidMethod CallVoidMethodV CallVoidMethodA CallNonvirtualObjectMethod \
    CallNonvirtualObjectMethodV CallNonvirtualObjectMethodA CallNonvirtualBooleanMethod \
    CallNonvirtualBooleanMethodV CallNonvirtualBooleanMethodA CallNonvirtualByteMethod \
    CallNonvirtualByteMethodV CallNonvirtualByteMethodA CallNonvirtualCharMethod \
    CallNonvirtualCharMethodV CallNonvirtualCharMethodA CallNonvirtualShortMethod \
    CallNonvirtualShortMethodV CallNonvirtualShortMethodA CallNonvirtualIntMethod \
    CallNonvirtualIntMethodV CallNonvirtualIntMethodA CallNonvirtualLongMethod CallNonvirtualLongMethodV \
    CallNonvirtualLongMethodA CallNonvirtualFloatMethod CallNonvirtualFloatMethodV \
    CallNonvirtualFloatMethodA CallNonvirtualDoubleMethod CallNonvirtualDoubleMethodV \
    CallNonvirtualDoubleMethodA CallNonvirtualVoidMethod CallNonvirtualVoidMethodV \
    CallNonvirtualVoidMethodA GetFieldID GetObjectField GetBooleanField GetByteField GetCharField \
    GetShortField GetIntField GetLongField GetFloatField GetDoubleField SetObjectField SetBooleanField \
    SetByteField SetCharField SetShortField SetIntField SetLongField SetFloatField SetDoubleField \
    GetStaticMethodID CallStaticObjectMethod CallStaticObjectMethodV CallStaticObjectMethodA \
    CallStaticBooleanMethod CallStaticBooleanMethodV CallStaticBooleanMethodA CallStaticByteMethod \
    CallStaticByteMethodV CallStaticByteMethodA CallStaticCharMethod CallStaticCharMethodV \
    CallStaticCharMethodA CallStaticShortMethod CallStaticShortMethodV CallStaticShortMethodA \
    CallStaticIntMethod CallStaticIntMethodV CallStaticIntMethodA CallStaticLongMethod \
    CallStaticLongMethodV CallStaticLongMethodA CallStaticFloatMethod CallStaticFloatMethodV \
    CallStaticFloatMethodA CallStaticDoubleMethod CallStaticDoubleMethodV CallStaticDoubleMethodA \
    CallStaticVoidMethod CallStaticVoidMethodV CallStaticVoidMethodA GetStaticFieldID \
    GetStaticObjectField GetStaticBooleanField GetStaticByteField GetStaticCharField GetStaticShortField \
    GetStaticIntField GetStaticLongField GetStaticFloatField GetStaticDoubleField SetStaticObjectField \
    SetStaticBooleanField SetStaticByteField SetStaticCharField SetStaticShortField SetStaticIntField \
    SetStaticLongField SetStaticFloatField SetStaticDoubleField NewString GetStringLength GetStringChars \
    ReleaseStringChars NewStringUTF GetStringUTFLength GetStringUTFChars ReleaseStringUTFChars \
    GetArrayLength NewObjectArray GetObjectArrayElement SetObjectArrayElement NewBooleanArray \
    NewByteArray NewCharArray NewShortArray NewIntArray NewLongArray NewFloatArray NewDoubleArray \
    GetBooleanArrayElements GetByteArrayElements GetCharArrayElements GetShortArrayElements \
    GetIntArrayElements GetLongArrayElements GetFloatArrayElements GetDoubleArrayElements \
    ReleaseBooleanArrayElements ReleaseByteArrayElements ReleaseCharArrayElements \
    ReleaseShortArrayElements ReleaseIntArrayElements ReleaseLongArrayElements ReleaseFloatArrayElements \
    ReleaseDoubleArrayElements GetBooleanArrayRegion GetByteArrayRegion GetCharArrayRegion \
    GetShortArrayRegion GetIntArrayRegion GetLongArrayRegion GetFloatArrayRegion GetDoubleArrayRegion \
    SetBooleanArrayRegion SetByteArrayRegion SetCharArrayRegion SetShortArrayRegion SetIntArrayRegion \
    SetLongArrayRegion SetFloatArrayRegion SetDoubleArrayRegion RegisterNatives UnregisterNatives \
    MonitorEnter MonitorExit GetJavaVM GetStringRegion GetStringUTFRegion GetPrimitiveArrayCritical \
    ReleasePrimitiveArrayCritical GetStringCritical ReleaseStringCritical NewWeakGlobalRef \
    DeleteWeakGlobalRef ExceptionCheck NewDirectByteBuffer GetDirectBufferAddress GetDirectBufferCapacity \
    GetObjectRefType GetModule IsVirtualThread GetStringUTFLengthAsLong";

/// The function at that index of the table.
pub fn name(index: u16) -> String {
    let name = index.checked_sub(4).and_then(|index| NAMES.split_whitespace().nth(index.into()));
    name.map_or_else(|| format!("function {index}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_where_jni_has_them() {
        for (index, expected) in [
            (4, "GetVersion"),
            (6, "FindClass"),
            (21, "NewGlobalRef"),
            (219, "GetJavaVM"),
            (233, "GetModule"),
        ] {
            assert_eq!(name(index), expected);
        }
        assert_eq!(name(999), "function 999");
    }
}
