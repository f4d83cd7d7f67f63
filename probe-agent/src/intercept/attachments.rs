//! Tells threads that end although they are attached to the JVM: who attached them did not detach them. And threads that are
//! detached although nobody attached them: those that the JVM started.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use jni_sys::{JNI_OK, JNI_VERSION_1_6, jint};
use jvmti_wire::trace::{Body, EntryPoint, NativeCode};

use super::count::take;
use super::local_references::{self, Inside};
use super::{call_sites, environments};
use crate::os::process;
use crate::recording::{guarded, record};
use crate::vm::jni;
use crate::vm::stage;

/// `AttachCurrentThread`, `AttachCurrentThreadAsDaemon`
type Attach = unsafe extern "system" fn(*mut c_void, *mut *mut c_void, *mut c_void) -> jint;

/// `DetachCurrentThread`
type Detach = unsafe extern "system" fn(*mut c_void) -> jint;

/// Indices in `JNIInvokeInterface`.
const ATTACH: usize = 4;
const DETACH: usize = 5;
const ATTACH_AS_DAEMON: usize = 7;

/// The JVM's functions.
static ORIGINAL: [AtomicPtr<c_void>; 2] = [const { AtomicPtr::new(null_mut()) }; 2];

static ORIGINAL_DETACH: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Whether the probe has seen each thread being attached.
static ALL_SEEN: AtomicBool = AtomicBool::new(false);

/// The probe records this many threads at most that are detached although nobody attached them, or attached early.
const MOST_STRANGE: u32 = 1024;

thread_local! {
    /// Whether this thread has been attached.
    static ATTACHED: Cell<bool> = const { Cell::new(false) };
    /// The place that has attached this thread; 0: none that the probe knows.
    static SITE: Cell<u32> = const { Cell::new(0) };
    /// As long as this thread is attached by an agent.
    static INSIDE: Cell<Option<Inside>> = const { Cell::new(None) };
    /// Whether a record tells that this thread is attached as a user thread.
    static USER: Cell<bool> = const { Cell::new(false) };
}

/// Replaces the functions in a table that the JVM is about to get.
pub fn replace(functions: &mut [*mut c_void]) {
    let own: [(usize, Attach); 2] = [(ATTACH, attach), (ATTACH_AS_DAEMON, attach_as_daemon)];
    for ((index, function), original) in own.into_iter().zip(&ORIGINAL) {
        if let Some(entry) = functions.get_mut(index) {
            original.store(*entry, Ordering::Release);
            *entry = function as *mut c_void;
        }
    }
    if let Some(entry) = functions.get_mut(DETACH) {
        ORIGINAL_DETACH.store(*entry, Ordering::Release);
        *entry = detach as *mut c_void;
    }
}

/// Interception begins.
pub fn install(entry: EntryPoint) {
    ALL_SEEN.store(entry == EntryPoint::OnLoad, Ordering::Release);
}

unsafe extern "system" fn detach(vm: *mut c_void) -> jint {
    static RECORDED: AtomicU32 = AtomicU32::new(0);
    let is_strange = !ATTACHED.get() && ALL_SEEN.load(Ordering::Acquire) && stage::is_live();
    if is_strange && jni::get_env(JNI_VERSION_1_6).is_ok() {
        guarded(|| {
            if take(&RECORDED, u32::MAX, MOST_STRANGE).is_some() {
                record(&Body::Native(NativeCode::Detached { site: call_sites::outside() }));
            }
        });
    }
    if USER.get() {
        guarded(|| record(&Body::Native(NativeCode::UserThread { attached: false, site: SITE.get() })));
    }
    // From now on the JVM, and the callbacks for ThreadEnd, use JNI.
    drop(INSIDE.try_with(Cell::take));
    let original = ORIGINAL_DETACH.load(Ordering::Acquire);
    // SAFETY: the table that was copied had this function.
    let function = unsafe { std::mem::transmute::<*mut c_void, Detach>(original) };
    // SAFETY: the caller calls DetachCurrentThread with this.
    let code = unsafe { function(vm) };
    if code == JNI_OK {
        ATTACHED.set(false);
        USER.set(false);
    }
    code
}

unsafe extern "system" fn attach(vm: *mut c_void, env: *mut *mut c_void, args: *mut c_void) -> jint {
    let was_attached = ATTACHED.get();
    // SAFETY: the caller calls AttachCurrentThread with these.
    let code = unsafe { call(&ORIGINAL[0], vm, env, args) };
    if !was_attached && ATTACHED.get() {
        guarded(user_thread);
    }
    code
}

/// This thread has been attached as a user thread: as long as there is one, the JVM does not end by itself.
fn user_thread() {
    static RECORDED: AtomicU32 = AtomicU32::new(0);
    if take(&RECORDED, u32::MAX, MOST_STRANGE).is_some() {
        USER.set(true);
        record(&Body::Native(NativeCode::UserThread { attached: true, site: SITE.get() }));
    }
}

unsafe extern "system" fn attach_as_daemon(
    vm: *mut c_void,
    env: *mut *mut c_void,
    args: *mut c_void,
) -> jint {
    // SAFETY: the caller calls AttachCurrentThreadAsDaemon with these.
    unsafe { call(&ORIGINAL[1], vm, env, args) }
}

/// # Safety
/// The arguments have to be those of the function.
unsafe fn call(
    original: &AtomicPtr<c_void>,
    vm: *mut c_void,
    env: *mut *mut c_void,
    args: *mut c_void,
) -> jint {
    if !stage::has_started() && ALL_SEEN.load(Ordering::Acquire) {
        attached_early();
    }
    let is_new = jni::get_env(JNI_VERSION_1_6).is_err();
    // SAFETY: the table that was copied had this function.
    let function = unsafe { std::mem::transmute::<*mut c_void, Attach>(original.load(Ordering::Acquire)) };
    // SAFETY: the caller vouches for the arguments.
    let code = unsafe { function(vm, env, args) };
    if is_new && code == JNI_OK {
        ATTACHED.set(true);
        let is_agents = guarded(|| {
            let (site, library) = call_sites::outside_of().unwrap_or_default();
            SITE.set(site);
            process::at_end_of_thread(ends);
            environments::is_agent(&library)
        });
        // Its references live until it is detached.
        if is_agents == Some(true) {
            let _ = INSIDE.try_with(|inside| inside.set(local_references::agent_thread()));
        }
    }
    code
}

/// A thread is about to be attached before the start phase, which may well end the process.
#[cold]
fn attached_early() {
    static RECORDED: AtomicU32 = AtomicU32::new(0);
    guarded(|| {
        if take(&RECORDED, u32::MAX, MOST_STRANGE).is_some() {
            record(&Body::Native(NativeCode::AttachedEarly { site: call_sites::outside() }));
        }
    });
}

/// The thread ends, and whatever else does something at its end has done so.
fn ends() {
    let site = SITE.get();
    if site != 0 && stage::is_live() && jni::get_env(JNI_VERSION_1_6).is_ok() {
        guarded(|| record(&Body::LeftAttached { site }));
    }
}
