//! The Java VM and the few JNI functions that the probe needs, as thin as can be: no check is added that would
//! disturb what is measured, above all none for pending exceptions.

mod fields;

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use jni_sys::{JNI_OK, JNI_VERSION_1_6, JNIEnv, JNINativeMethod, JavaVM, jclass, jobject};

pub use self::fields::Held;

/// `JNILocalRefType`
pub const LOCAL_REFERENCE: i32 = 1;

static VM: AtomicPtr<JavaVM> = AtomicPtr::new(null_mut());
/// The invocation functions as they were when the probe was loaded.
static INVOCATION: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
/// The JNI functions as they were before any agent could replace them; null as long as that is not known.
static FUNCTIONS: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Remembers the VM that loaded the agent.
pub fn set_vm(vm: *mut JavaVM) {
    // SAFETY: the VM hands its own address over, which begins with that of its functions.
    let functions = unsafe { vm.cast::<*mut c_void>().read() };
    INVOCATION.store(functions, Ordering::Release);
    VM.store(vm, Ordering::Release);
}

/// The VM's invocation functions, also where the VM itself leads agents elsewhere.
fn invocation() -> JavaVM {
    INVOCATION.load(Ordering::Acquire).cast_const().cast()
}

/// Sets the JNI functions to be used from now on, whatever agents put into their place.
pub fn set_functions(functions: *const c_void) {
    FUNCTIONS.store(functions.cast_mut(), Ordering::Release);
}

/// A function of JNI as it was before any agent could replace it, by its index in the table; `None` as long as that is
/// not known.
pub fn function(index: usize) -> Option<*const c_void> {
    let known = FUNCTIONS.load(Ordering::Acquire).cast::<*const c_void>();
    // SAFETY: the index is that of a function of the JVM's table, of which this is a copy.
    (!known.is_null()).then(|| unsafe { known.add(index).read() })
}

/// The JNI functions of an environment.
///
/// # Safety
/// The environment has to be one that the VM gave.
unsafe fn functions(env: *mut JNIEnv) -> JNIEnv {
    let known = FUNCTIONS.load(Ordering::Acquire);
    // SAFETY: the caller vouches for the environment.
    if known.is_null() { unsafe { *env } } else { known.cast_const().cast() }
}

/// The VM that loaded the agent.
pub fn vm() -> Option<*mut JavaVM> {
    let vm = VM.load(Ordering::Acquire);
    (!vm.is_null()).then_some(vm)
}

/// `JavaVM::GetEnv`: the interface of that version, or the JNI error code.
pub fn get_env(version: i32) -> Result<*mut c_void, i32> {
    let vm = vm().ok_or(jni_sys::JNI_ERR)?;
    let mut env = null_mut();
    // SAFETY: `vm` is the VM that loaded the agent; GetEnv may be called on any thread.
    let code = unsafe { ((*invocation()).v1_2.GetEnv)(vm, &mut env, version) };
    if code == JNI_OK && !env.is_null() { Ok(env) } else { Err(code) }
}

/// A JNI reference: local, global, weak global, null, or made wrong on purpose by the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ref(pub jobject);

// SAFETY: a reference is a number for the VM; which threads may use it is the VM's affair.
unsafe impl Send for Ref {}
// SAFETY: as above.
unsafe impl Sync for Ref {}

impl Ref {
    /// Null.
    pub const NULL: Ref = Ref(null_mut());

    /// The reference in an argument word.
    pub fn from_word(word: u64) -> Ref {
        Ref(word as usize as jobject)
    }

    /// As an argument word.
    pub fn word(self) -> u64 {
        self.0 as usize as u64
    }

    /// Whether the reference itself is null (a cleared weak one is not).
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub(crate) fn non_null(self) -> Option<Ref> {
        (!self.is_null()).then_some(self)
    }
}

/// The JNI environment of the current thread.
#[derive(Clone, Copy)]
pub struct Jni(*mut JNIEnv);

/// Calls a function of the JNI table.
macro_rules! call {
    ($jni:expr, $function:ident $(, $arg:expr)*) => {
        // SAFETY: the environment is the current thread's, as the VM gave it; the references were made by the VM.
        unsafe { ((*functions($jni.0)).v1_6.$function)($jni.0 $(, $arg)*) }
    };
}

/// Calls a function of the JNI table that takes references and returns a `jboolean`. The JVM may return any 8 bits, and the
/// `bool` of `jni_sys` may not hold more than two of their values.
macro_rules! is {
    ($jni:expr, $function:ident $(, $reference:expr)*) => {{
        type Function = unsafe extern "system" fn(*mut JNIEnv $(, is!(@type $reference))*) -> u8;
        // SAFETY: the environment is the current thread's, as the VM gave it; the references were made by the VM; a
        // `jboolean` is an unsigned 8-bit integer.
        unsafe {
            let function = (*functions($jni.0)).v1_6.$function as *const c_void;
            std::mem::transmute::<*const c_void, Function>(function)($jni.0 $(, $reference)*) != 0
        }
    }};
    (@type $reference:expr) => { jobject };
}

impl Jni {
    /// The current thread's, if it is attached.
    pub fn current() -> Option<Jni> {
        get_env(JNI_VERSION_1_6).ok().map(|env| Jni(env.cast()))
    }

    /// The one that the JVM handed over; `None` for null.
    ///
    /// # Safety
    /// It has to be null, or the environment of the current thread.
    pub unsafe fn handed(env: *mut JNIEnv) -> Option<Jni> {
        (!env.is_null()).then_some(Jni(env))
    }

    /// Attaches the current thread as a daemon of that name.
    pub fn attach(name: &CStr) -> Result<Jni, i32> {
        let vm = vm().ok_or(jni_sys::JNI_ERR)?;
        let mut args = jni_sys::JavaVMAttachArgs {
            version: JNI_VERSION_1_6,
            name: name.as_ptr().cast_mut(),
            group: null_mut(),
        };
        let mut env = null_mut();
        // SAFETY: `args` outlives the call and the name is terminated.
        let code = unsafe {
            ((*invocation()).v1_4.AttachCurrentThreadAsDaemon)(vm, &mut env, (&raw mut args).cast())
        };
        if code == JNI_OK && !env.is_null() { Ok(Jni(env.cast())) } else { Err(code) }
    }

    /// Detaches the current thread.
    pub fn detach() {
        if let Some(vm) = vm() {
            // SAFETY: a thread that is not attached gets an error code, nothing else.
            unsafe { ((*invocation()).v1_4.DetachCurrentThread)(vm) };
        }
    }

    /// The version of the interface.
    pub fn version(self) -> i32 {
        call!(self, GetVersion)
    }

    /// Whether an exception is pending.
    pub fn exception_pending(self) -> bool {
        is!(self, ExceptionCheck)
    }

    /// Clears the pending exception.
    pub fn exception_clear(self) {
        call!(self, ExceptionClear);
    }

    /// Prints the pending exception, which clears it.
    pub fn exception_describe(self) {
        call!(self, ExceptionDescribe);
    }

    /// The class of that internal name, as a local reference; an exception may be left pending.
    pub fn find_class(self, name: &CStr) -> Option<Ref> {
        Ref(call!(self, FindClass, name.as_ptr())).non_null()
    }

    /// A method of the class; an exception may be left pending.
    pub fn method_id(self, class: Ref, name: &CStr, signature: &CStr, is_static: bool) -> Option<u64> {
        let id = match is_static {
            true => call!(self, GetStaticMethodID, class.0, name.as_ptr(), signature.as_ptr()),
            false => call!(self, GetMethodID, class.0, name.as_ptr(), signature.as_ptr()),
        };
        (!id.is_null()).then_some(id as usize as u64)
    }

    /// A field of the class; an exception may be left pending.
    pub fn field_id(self, class: Ref, name: &CStr, signature: &CStr, is_static: bool) -> Option<u64> {
        let id = match is_static {
            true => call!(self, GetStaticFieldID, class.0, name.as_ptr(), signature.as_ptr()),
            false => call!(self, GetFieldID, class.0, name.as_ptr(), signature.as_ptr()),
        };
        (!id.is_null()).then_some(id as usize as u64)
    }

    /// A global reference to the same object; null for null.
    pub fn new_global(self, object: Ref) -> Ref {
        Ref(call!(self, NewGlobalRef, object.0))
    }

    /// A local reference to the same object.
    pub fn new_local(self, object: Ref) -> Ref {
        Ref(call!(self, NewLocalRef, object.0))
    }

    /// Deletes a global reference.
    pub fn delete_global(self, object: Ref) {
        call!(self, DeleteGlobalRef, object.0);
    }

    /// A weak global reference to the same object.
    pub fn new_weak(self, object: Ref) -> Ref {
        Ref(call!(self, NewWeakGlobalRef, object.0))
    }

    /// Deletes a weak global reference.
    pub fn delete_weak(self, object: Ref) {
        call!(self, DeleteWeakGlobalRef, object.0);
    }

    /// Deletes a local reference.
    pub fn delete_local(self, object: Ref) {
        call!(self, DeleteLocalRef, object.0);
    }

    /// Deletes a reference that a function returned as a local one, unless it is one of the caller's own handed back.
    pub fn delete_returned(self, object: Ref) {
        if self.reference_type(object) == LOCAL_REFERENCE {
            self.delete_local(object);
        }
    }

    /// Opens a frame: local references made from now on are freed by [`pop_frame`](Jni::pop_frame).
    pub fn push_frame(self) -> bool {
        call!(self, PushLocalFrame, 16) == JNI_OK
    }

    /// Frees the local references made since [`push_frame`](Jni::push_frame).
    pub fn pop_frame(self) {
        call!(self, PopLocalFrame, null_mut());
    }

    /// The pending exception, as a local reference.
    pub fn exception(self) -> Option<Ref> {
        Ref(call!(self, ExceptionOccurred)).non_null()
    }

    /// Leaves the exception pending.
    pub fn throw(self, exception: Ref) {
        call!(self, Throw, exception.0);
    }

    /// The `jobjectRefType` of a reference, whatever the VM returns.
    pub fn reference_type(self, reference: Ref) -> i32 {
        type GetType = unsafe extern "system" fn(*mut JNIEnv, jobject) -> i32;
        // SAFETY: the environment is that of this thread; the enumeration is passed as an `int`, and read as one it may
        // be any.
        unsafe {
            let get: GetType = std::mem::transmute((*functions(self.0)).v1_6.GetObjectRefType);
            get(self.0, reference.0)
        }
    }

    /// Whether both refer to the same object.
    pub fn is_same(self, a: Ref, b: Ref) -> bool {
        is!(self, IsSameObject, a.0, b.0)
    }

    /// The length of an array.
    pub fn array_length(self, array: Ref) -> i32 {
        call!(self, GetArrayLength, array.0)
    }

    /// Its address.
    pub fn address(self) -> u64 {
        self.0.expose_provenance() as u64
    }

    /// The content of a byte array.
    pub fn bytes(self, array: Ref) -> Vec<u8> {
        let length = self.array_length(array);
        let mut content = vec![0u8; usize::try_from(length).unwrap_or_default()];
        call!(self, GetByteArrayRegion, array.0, 0, length, content.as_mut_ptr().cast());
        content
    }

    /// An element of an array of references, as a local reference.
    pub fn element(self, array: Ref, index: i32) -> Option<Ref> {
        Ref(call!(self, GetObjectArrayElement, array.0, index)).non_null()
    }

    /// A new array of these objects, as a local reference; a null one if there is no room.
    pub fn array_of(self, class: Ref, objects: &[Ref]) -> Ref {
        let length = i32::try_from(objects.len()).unwrap_or(i32::MAX);
        let array = call!(self, NewObjectArray, length, class.0, std::ptr::null_mut());
        for (index, object) in (0..length).zip(objects).filter(|_| !array.is_null()) {
            call!(self, SetObjectArrayElement, array, index, object.0);
        }
        Ref(array)
    }

    /// The superclass of a class, as a local reference; `None`: it has none.
    pub fn superclass(self, class: Ref) -> Option<Ref> {
        Ref(call!(self, GetSuperclass, class.0)).non_null()
    }

    /// The object's class, as a local reference.
    pub fn object_class(self, object: Ref) -> Option<Ref> {
        Ref(call!(self, GetObjectClass, object.0)).non_null()
    }

    /// Whether the object is an instance of the class.
    pub fn is_instance(self, object: Ref, class: Ref) -> bool {
        is!(self, IsInstanceOf, object.0, class.0)
    }

    /// Whether an object of the class is one of the other class, too.
    pub fn is_assignable(self, class: Ref, other: Ref) -> bool {
        is!(self, IsAssignableFrom, class.0, other.0)
    }

    /// A new object of the class, no constructor run; an exception may be left pending.
    pub fn alloc_object(self, class: Ref) -> Option<Ref> {
        Ref(call!(self, AllocObject, class.0)).non_null()
    }

    /// Leaves a new exception of that class pending.
    pub fn throw_new(self, class: Ref, message: &CStr) -> bool {
        call!(self, ThrowNew, class.0, message.as_ptr()) == JNI_OK
    }

    /// Enters the object's monitor; whether that worked.
    pub fn monitor_enter(self, object: Ref) -> bool {
        call!(self, MonitorEnter, object.0) == JNI_OK
    }

    /// Leaves the object's monitor; whether that worked.
    pub fn monitor_exit(self, object: Ref) -> bool {
        call!(self, MonitorExit, object.0) == JNI_OK
    }

    /// The string's modified UTF-8, terminator excluded.
    pub fn string(self, string: Ref) -> Option<Vec<u8>> {
        string.non_null()?;
        let chars: *const c_char = call!(self, GetStringUTFChars, string.0, null_mut());
        if chars.is_null() {
            return None;
        }
        // SAFETY: the VM returned a terminated string that stays until it is released.
        let bytes = unsafe { CStr::from_ptr(chars) }.to_bytes().to_vec();
        call!(self, ReleaseStringUTFChars, string.0, chars);
        Some(bytes)
    }

    /// Calls a static method that takes a string and returns one; `None` for null or an exception, which is cleared.
    pub fn call_static_with_string(self, class: Ref, method: u64, arg: &str) -> Option<String> {
        let arg = self.new_string(arg)?;
        let args = [jni_sys::jvalue { l: arg.0 }];
        let method = method as usize as jni_sys::jmethodID;
        let result = Ref(call!(self, CallStaticObjectMethodA, class.0, method, args.as_ptr()));
        self.exception_clear();
        let text = self.string(result);
        self.delete_local(result);
        self.delete_local(arg);
        text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Calls a method without arguments and result; an exception may be left pending.
    pub fn call(self, object: Ref, method: u64) {
        call!(self, CallVoidMethodA, object.0, method as usize as jni_sys::jmethodID, std::ptr::null());
    }

    /// Calls a static method without arguments and result; an exception may be left pending.
    pub fn call_static(self, class: Ref, method: u64) {
        call!(self, CallStaticVoidMethodA, class.0, method as usize as jni_sys::jmethodID, std::ptr::null());
    }

    /// A new string, as a local reference.
    pub fn new_string(self, text: &str) -> Option<Ref> {
        let text = std::ffi::CString::new(text).ok()?;
        Ref(call!(self, NewStringUTF, text.as_ptr())).non_null()
    }

    /// Unbinds the native methods of the class.
    pub fn unregister_natives(self, class: Ref) {
        call!(self, UnregisterNatives, class.0 as jclass);
    }

    /// Binds native methods of the class and tells JNI's answer; an exception may be left pending.
    pub fn register_natives(self, class: Ref, methods: &[(&CStr, &CStr, *const c_void)]) -> i32 {
        let table: Vec<JNINativeMethod> = methods
            .iter()
            .map(|(name, signature, function)| JNINativeMethod {
                name: name.as_ptr().cast_mut(),
                signature: signature.as_ptr().cast_mut(),
                fnPtr: function.cast_mut(),
            })
            .collect();
        call!(self, RegisterNatives, class.0 as jclass, table.as_ptr(), table.len() as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::fake_jni::{self, EXCEPTION_CHECK, IS_INSTANCE_OF, IS_SAME_OBJECT};

    #[test]
    fn whatever_is_not_zero_is_true() {
        extern "system" fn two() -> u8 {
            2
        }
        let two = two as *const c_void;
        let jni = fake_jni::with(&[(EXCEPTION_CHECK, two), (IS_SAME_OBJECT, two), (IS_INSTANCE_OF, two)]);
        let null = Ref::NULL;
        let answers = [jni.exception_pending(), jni.is_same(null, null), jni.is_instance(null, null)];
        assert_eq!(answers.map(u8::from), [1; 3]);
    }
}
