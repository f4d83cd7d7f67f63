//! The native methods of `jvmticheck.scenarios.CastNatives`: they keep threads in native code.

use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::mpsc;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use jni_sys::{JNIEnv, jboolean, jclass, jint, jobject, jstring};

use crate::vm::jni::{Jni, Ref};
use crate::vm::{native_method, probe_environment};

/// Whether threads may go on.
static GATE: Mutex<bool> = Mutex::new(true);
static OPENED: Condvar = Condvar::new();
/// The native threads that are attached.
static ATTACHED: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());
/// The raw monitor on which threads wait, once made.
static RAW_MONITOR: AtomicU64 = AtomicU64::new(0);
/// The number of threads that own or wait on it.
static RAW_WAITERS: AtomicI32 = AtomicI32::new(0);
/// The number of threads that stay in native code, or have stayed there.
static STAYING: AtomicI32 = AtomicI32::new(0);

fn lock<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_open() -> bool {
    *lock(&GATE)
}

fn stay() {
    let mut open = lock(&GATE);
    STAYING.fetch_add(1, Ordering::SeqCst);
    while !*open {
        open = OPENED.wait(open).unwrap_or_else(PoisonError::into_inner);
    }
}

/// `static native void close()`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_close(_env: *mut JNIEnv, _class: jclass) {
    *lock(&GATE) = false;
    RAW_WAITERS.store(0, Ordering::SeqCst);
    STAYING.store(0, Ordering::SeqCst);
}

/// `static native void open()`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_open(_env: *mut JNIEnv, _class: jclass) {
    *lock(&GATE) = true;
    OPENED.notify_all();
    if let Some(own) = probe_environment::get() {
        let monitor = RAW_MONITOR.load(Ordering::SeqCst);
        if monitor != 0 && own.enter_raw(monitor) {
            own.notify_raw(monitor);
            own.exit_raw(monitor);
        }
    }
}

/// `static native void stay()`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_stay(_env: *mut JNIEnv, _class: jclass) {
    stay();
}

/// `static native void stayIf(boolean)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_stayIf(
    _env: *mut JNIEnv,
    _class: jclass,
    wanted: jboolean,
) {
    if wanted {
        stay();
    }
}

/// `static synchronized native void pass()`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_pass(_env: *mut JNIEnv, _class: jclass) {}

/// Runs the body. The local reference to its class stays meanwhile: the scenario `NativeLocals` needs it.
fn run(jni: Jni, body: jobject) {
    let class = jni.object_class(Ref(body));
    if let Some(run) = class.and_then(|class| jni.method_id(class, c"run", c"()V", false)) {
        jni.call(Ref(body), run);
    }
}

/// `static native void awaitStaying(int)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_awaitStaying(
    _env: *mut JNIEnv,
    _class: jclass,
    threads: jint,
) {
    while STAYING.load(Ordering::SeqCst) < threads {
        thread::sleep(Duration::from_millis(1));
    }
}

/// `static native void call(Runnable)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_call(
    env: *mut JNIEnv,
    _class: jclass,
    body: jobject,
) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| run(jni, body));
}

/// `native void callOnThis(Runnable)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_callOnThis(
    env: *mut JNIEnv,
    _this: jobject,
    body: jobject,
) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| run(jni, body));
}

/// `static native void enterAndCall(Object, Runnable)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_enterAndCall(
    env: *mut JNIEnv,
    _class: jclass,
    monitor: jobject,
    body: jobject,
) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| {
        if jni.monitor_enter(Ref(monitor)) {
            run(jni, body);
            jni.monitor_exit(Ref(monitor));
        }
    });
}

/// `static native void waitRaw()`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_waitRaw(env: *mut JNIEnv, _class: jclass) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |_| {
        let Some(own) = probe_environment::get() else { return };
        if RAW_MONITOR.load(Ordering::SeqCst) == 0 {
            RAW_MONITOR.store(own.raw_monitor(c"cast").unwrap_or_default(), Ordering::SeqCst);
        }
        let monitor = RAW_MONITOR.load(Ordering::SeqCst);
        if monitor != 0 && own.enter_raw(monitor) {
            RAW_WAITERS.fetch_add(1, Ordering::SeqCst);
            while !is_open() && own.wait_raw(monitor) {}
            own.exit_raw(monitor);
        }
    });
}

/// `static native void awaitRaw(int)`: a thread that has been counted and does not own the monitor any more waits on it.
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_awaitRaw(
    env: *mut JNIEnv,
    _class: jclass,
    threads: jint,
) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |_| {
        while RAW_WAITERS.load(Ordering::SeqCst) < threads {
            thread::sleep(Duration::from_millis(1));
        }
        let monitor = RAW_MONITOR.load(Ordering::SeqCst);
        if let Some(own) = probe_environment::get().filter(|own| own.enter_raw(monitor)) {
            own.exit_raw(monitor);
        }
    });
}

/// `static native Thread attach(String, Runnable)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_attach(
    env: *mut JNIEnv,
    _class: jclass,
    name: jstring,
    body: jobject,
) -> jobject {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    let thread = native_method::run(jni, |jni| {
        let name = CString::new(jni.string(Ref(name))?).ok()?;
        let body = global(jni, body);
        let (tell, told) = mpsc::channel::<Option<Ref>>();
        lock(&ATTACHED).push(thread::spawn(move || {
            let attached = Jni::attach(&name).ok();
            let itself = attached.and_then(|jni| {
                let local = probe_environment::get()?.current_thread()?;
                let global = jni.new_global(local);
                jni.delete_local(local);
                Some(global)
            });
            let _ = tell.send(itself);
            perform(attached, body);
            Jni::detach();
        }));
        let thread = told.recv().ok().flatten()?;
        let local = jni.new_local(thread);
        jni.delete_global(thread);
        Some(local)
    });
    thread.flatten().map_or(null_mut(), |thread| thread.0)
}

/// `static native void join()`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_join(_env: *mut JNIEnv, _class: jclass) {
    let attached: Vec<_> = lock(&ATTACHED).drain(..).collect();
    attached.into_iter().for_each(|thread| {
        let _ = thread.join();
    });
}

/// `static native void runAgentThread(Thread, Runnable)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_CastNatives_runAgentThread(
    env: *mut JNIEnv,
    _class: jclass,
    thread: jobject,
    body: jobject,
) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| {
        let Some(own) = probe_environment::get() else { return };
        let body = global(jni, body);
        let argument = body.map_or(0, Ref::word);
        if !own.run_agent_thread(Ref(thread), run_agent, argument)
            && let Some(body) = body
        {
            jni.delete_global(body);
        }
    });
}

/// The function that an agent thread runs.
unsafe extern "C" fn run_agent(_env: *mut c_void, jni: *mut JNIEnv, body: *mut c_void) {
    let body = (!body.is_null()).then_some(Ref(body.cast()));
    // SAFETY: the JVM passes the environment of this thread.
    perform(unsafe { Jni::handed(jni) }, body);
}

fn global(jni: Jni, body: jobject) -> Option<Ref> {
    (!body.is_null()).then(|| jni.new_global(Ref(body)))
}

/// What a thread that native code has started does: run the body, or stay in native code if there is none.
fn perform(jni: Option<Jni>, body: Option<Ref>) {
    match body {
        None => stay(),
        Some(body) => {
            native_method::run(jni, |jni| {
                run(jni, body.0);
                jni.delete_global(body);
            });
        }
    }
}
