//! A launcher: a process that has the probe linked into it makes a VM by the invocation interface.

mod linked;

use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use jni_sys::{
    JNI_FALSE, JNI_OK, JNI_VERSION_1_6, JNIEnv, JavaVM, JavaVMInitArgs, JavaVMOption, jint, jvalue,
};

use crate::os::images;

/// What to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// The VM's library.
    pub vm: PathBuf,
    /// Options, as `JNI_CreateJavaVM` takes them.
    pub options: Vec<String>,
    /// Main class, with dots.
    pub main_class: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// Why there was nothing to run.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The library could not be loaded.
    #[error("{path}: {reason}")]
    Library {
        /// The library.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The VM did not start.
    #[error("JNI_CreateJavaVM returned {0}")]
    Create(i32),
    /// A zero byte in an option or argument.
    #[error("a zero byte in {0:?}")]
    Zero(String),
    /// The main class or its method is not there.
    #[error("no class {0} with a main method")]
    Main(String),
    /// The thread for the VM could not be made, or ended badly.
    #[error("no thread to run the VM on: {0}")]
    Thread(String),
}

type Create = unsafe extern "system" fn(*mut *mut JavaVM, *mut *mut c_void, *mut c_void) -> jint;

/// As much stack as launchers give the main thread.
const STACK: usize = 8 << 20;

/// Runs the program to its end, as the `java` launcher does. Gives the exit code: 0, or 1 after an uncaught exception.
pub fn run(program: Program) -> Result<i32, EmbedError> {
    // The linker keeps what is mentioned.
    std::hint::black_box(linked::FUNCTIONS);
    let thread = std::thread::Builder::new().name("main".to_owned()).stack_size(STACK);
    let running = thread.spawn(move || in_vm(&program)).map_err(|e| EmbedError::Thread(e.to_string()))?;
    running.join().map_err(|_| EmbedError::Thread("it panicked".to_owned()))?
}

fn in_vm(program: &Program) -> Result<i32, EmbedError> {
    let create = entry(&program.vm)?;
    let texts = program.options.iter().map(|text| c_string(text)).collect::<Result<Vec<_>, _>>()?;
    let option =
        |text: &CString| JavaVMOption { optionString: text.as_ptr().cast_mut(), extraInfo: null_mut() };
    let mut options: Vec<JavaVMOption> = texts.iter().map(option).collect();
    let mut args = JavaVMInitArgs {
        version: JNI_VERSION_1_6,
        nOptions: options.len() as jint,
        options: options.as_mut_ptr(),
        ignoreUnrecognized: JNI_FALSE,
    };
    let (mut vm, mut env) = (null_mut::<JavaVM>(), null_mut::<c_void>());
    // SAFETY: the function is the library's own; the arguments are as the invocation interface asks, and outlive the
    // call.
    let code = unsafe { create(&mut vm, &mut env, (&raw mut args).cast()) };
    if code != JNI_OK {
        return Err(EmbedError::Create(code));
    }
    let done = main(env.cast(), program);
    // SAFETY: the VM has just been made, on this thread.
    unsafe { ((**vm).v1_2.DestroyJavaVM)(vm) };
    done
}

/// Calls the main method.
fn main(env: *mut JNIEnv, program: &Program) -> Result<i32, EmbedError> {
    /// Calls a function of the JNI table.
    macro_rules! jni {
        ($function:ident $(, $arg:expr)*) => {
            // SAFETY: the environment is the current thread's; references come from it, texts are terminated.
            unsafe { ((**env).v1_6.$function)(env $(, $arg)*) }
        };
    }
    let no_main = || EmbedError::Main(program.main_class.clone());
    let name = c_string(&program.main_class.replace('.', "/"))?;
    let class = jni!(FindClass, name.as_ptr());
    if class.is_null() {
        jni!(ExceptionDescribe);
        return Err(no_main());
    }
    let method = jni!(GetStaticMethodID, class, c"main".as_ptr(), c"([Ljava/lang/String;)V".as_ptr());
    let string = jni!(FindClass, c"java/lang/String".as_ptr());
    if method.is_null() || string.is_null() {
        jni!(ExceptionDescribe);
        return Err(no_main());
    }
    let array = jni!(NewObjectArray, program.args.len() as jint, string, null_mut());
    for (index, arg) in (0..).zip(&program.args) {
        let text = c_string(arg)?;
        let text = jni!(NewStringUTF, text.as_ptr());
        jni!(SetObjectArrayElement, array, index, text);
    }
    let args = [jvalue { l: array }];
    jni!(CallStaticVoidMethodA, class, method, args.as_ptr());
    if jni!(ExceptionCheck) {
        jni!(ExceptionDescribe);
        return Ok(1);
    }
    Ok(0)
}

fn c_string(text: &str) -> Result<CString, EmbedError> {
    CString::new(text).map_err(|_| EmbedError::Zero(text.to_owned()))
}

/// Loads the VM's library and finds the function that makes a VM.
fn entry(library: &Path) -> Result<Create, EmbedError> {
    let failed = |reason: String| EmbedError::Library { path: library.to_owned(), reason };
    let symbol = images::load(library, c"JNI_CreateJavaVM").map_err(failed)?;
    if symbol.is_null() {
        return Err(failed("it has no JNI_CreateJavaVM, so it is no JVM".to_owned()));
    }
    // SAFETY: a function of that name has this type, by the invocation interface.
    Ok(unsafe { std::mem::transmute::<*mut c_void, Create>(symbol) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(vm: &str) -> Program {
        Program { vm: vm.into(), options: vec![], main_class: "Main".to_owned(), args: vec![] }
    }

    #[test]
    fn what_is_no_jvm_is_refused() {
        let absent = run(program("/nowhere/libjvm.so")).unwrap_err().to_string();
        assert!(absent.contains("/nowhere/libjvm.so"), "{absent}");
        let other = std::env::current_exe().unwrap();
        assert!(run(program(&other.to_string_lossy())).is_err());
    }
}
