//! The JVM TI environments that the probe made: their numbers, whose they are, and how to find them by pointer.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

use jvmti_wire::trace::Body;

use crate::ffi::{self, Env, EventCallbacks, Missing, error, slot};
use crate::recording::{record, trouble};
use crate::vm::environment_table::{Entry, EnvironmentTable, Last};
use crate::vm::jni;

/// An environment that the probe made, for a case or for itself.
#[derive(Debug)]
pub struct OwnEnvironment {
    /// Number in the trace.
    pub number: u32,
    /// The pointer.
    pub env: Env,
    /// Index of the case that it belongs to; `None`: the probe's own.
    pub case: Option<u32>,
    /// Index among the case's environments.
    pub index: u8,
    gone: AtomicBool,
}

static NUMBERS: AtomicU32 = AtomicU32::new(1);
static NEWEST: AtomicI32 = AtomicI32::new(0);
static TABLE: EnvironmentTable<OwnEnvironment> = EnvironmentTable::new();

thread_local! {
    static LAST: Last<OwnEnvironment> = const { Cell::new(None) };
}

impl Entry for OwnEnvironment {
    fn env(&self) -> Env {
        self.env
    }

    fn is_gone(&self) -> bool {
        OwnEnvironment::is_gone(self)
    }
}

/// Versions to ask `GetEnv` for, newest first: 28 and beyond down to 9, then 1.2, 1.1 and 1.0.
fn versions() -> impl Iterator<Item = i32> {
    const INTERFACE: i32 = 0x3000_0000;
    (9..64)
        .rev()
        .map(|major| INTERFACE | (major << 16))
        .chain([2, 1, 0].map(|minor| INTERFACE | 0x1_0000 | (minor << 8)))
}

/// `GetEnv` for that version, or for the newest that the VM gives.
fn get_env(version: Option<i32>) -> Result<Env, i32> {
    let known = NEWEST.load(Ordering::Relaxed);
    if let Some(version) = version.or((known != 0).then_some(known)) {
        return jni::get_env(version).map(Env);
    }
    let mut last = jni_sys::JNI_ERR;
    for version in versions() {
        match jni::get_env(version) {
            Ok(env) => {
                NEWEST.store(version, Ordering::Relaxed);
                return Ok(Env(env));
            }
            Err(code) => last = code,
        }
    }
    Err(last)
}

/// Makes an environment, records it, and makes it known.
pub fn make(case: Option<u32>, index: u8, version: Option<i32>) -> Result<&'static OwnEnvironment, i32> {
    let number = next_number();
    let made = get_env(version);
    let code = made.err().unwrap_or(jni_sys::JNI_OK);
    record(&Body::EnvironmentMade { environment: number, case, index, code });
    let env = made?;
    Ok(TABLE.add(OwnEnvironment { number, env, case, index, gone: AtomicBool::new(false) }))
}

/// An environment that belonged to another case, in the trace as a new one.
pub fn adopt(case: u32, index: u8, env: Env) -> &'static OwnEnvironment {
    let number = next_number();
    record(&Body::EnvironmentMade { environment: number, case: Some(case), index, code: jni_sys::JNI_OK });
    TABLE.add(OwnEnvironment { number, env, case: Some(case), index, gone: AtomicBool::new(false) })
}

/// Number of the next environment, unique in the trace.
pub fn next_number() -> u32 {
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// Makes an environment for the probe's own use.
pub fn make_own() -> Result<(Env, u32), i32> {
    make(None, 0, None).map(|environment| (environment.env, environment.number))
}

/// Has the probe called for every event that is enabled.
pub fn set_callbacks(env: Env) {
    static ALL: OnceLock<EventCallbacks> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        ffi::event_callbacks(&ffi::EVENTS.iter().map(|event| event.number).collect::<Vec<_>>())
    });
    let args = [all.as_ptr().expose_provenance() as u64, EventCallbacks::size() as u64];
    // SAFETY: the probe made the environment; the structure is as long as is said, and is never freed.
    match unsafe { ffi::call(env, slot::SET_EVENT_CALLBACKS, &args) } {
        Ok(ffi::error::NONE) => {}
        Ok(code) => trouble(format!("SetEventCallbacks gave error {code}")),
        Err(missing) => trouble(missing.to_string()),
    }
}

/// The environment of that pointer, if the probe made it.
pub fn of(env: Env) -> Option<&'static OwnEnvironment> {
    TABLE.find(env, &LAST)
}

/// What `GetEnv` gives for that version: the version of the environment, or the answer. What is given without a version
/// counts as `JNI_OK`. The environment is disposed of.
pub fn version_given(asked: i32) -> i32 {
    /// The bits of a version that tell whose it is, and their value for JVM TI.
    const INTERFACE: (i32, i32) = (0x7000_0000, 0x3000_0000);
    let env = match jni::get_env(asked) {
        Ok(env) => Env(env),
        Err(code) => return code,
    };
    if asked & INTERFACE.0 != INTERFACE.1 {
        return jni_sys::JNI_OK;
    }
    let mut given = 0i32;
    let place = (&raw mut given).expose_provenance() as u64;
    // SAFETY: the JVM has just given the environment, and writes a `jint`.
    let code = unsafe { ffi::call(env, slot::GET_VERSION_NUMBER, &[place]) };
    // What cannot be disposed of stays.
    // SAFETY: nobody else has got the environment.
    let _ = unsafe { ffi::call(env, slot::DISPOSE_ENVIRONMENT, &[]) };
    if code == Ok(error::NONE) { given } else { jni_sys::JNI_OK }
}

impl OwnEnvironment {
    /// Whether it has been disposed of.
    pub fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    /// Whether this JVM has the function of that slot, or what is missing.
    pub fn has(&self, slot: u16) -> Result<(), Missing> {
        // SAFETY: the JVM gave the environment.
        unsafe { ffi::function(self.env, slot) }.map(|_| ())
    }

    /// Enables an event for all threads; gives the error code.
    pub fn enable(&self, event: u16) -> Result<i32, Missing> {
        // SAFETY: the JVM gave the environment; the arguments are numbers, and null for all threads.
        unsafe { ffi::call(self.env, slot::SET_EVENT_NOTIFICATION_MODE, &[1, event.into(), 0]) }
    }

    /// Disposes of it, and records that.
    pub fn dispose(&self) {
        if self.is_gone() {
            return;
        }
        // SAFETY: the JVM gave the environment, and it is not gone.
        if unsafe { ffi::call(self.env, slot::DISPOSE_ENVIRONMENT, &[]) } == Ok(error::NONE) {
            self.set_gone();
        }
    }

    /// Memory of the JVM's, of that many bytes.
    pub fn allocate(&self, size: usize) -> Option<*mut u8> {
        let mut memory = std::ptr::null_mut::<u8>();
        let place = (&raw mut memory).expose_provenance() as u64;
        // SAFETY: the JVM gave the environment, and writes a pointer.
        let code = unsafe { ffi::call(self.env, slot::ALLOCATE, &[size as u64, place]) };
        (code == Ok(error::NONE)).then_some(memory)
    }

    /// Deallocates memory; gives the error code.
    ///
    /// # Safety
    /// The JVM has to have allocated the memory, and nobody may use it any more.
    pub unsafe fn deallocate(&self, memory: u64) -> i32 {
        // SAFETY: the JVM gave the environment; the caller vouches for the memory.
        unsafe { ffi::call(self.env, slot::DEALLOCATE, &[memory]) }.unwrap_or(-1)
    }

    /// It has been disposed of. Records that, once.
    pub fn set_gone(&self) {
        if !self.gone.swap(true, Ordering::AcqRel) {
            record(&Body::EnvironmentGone { environment: self.number });
        }
    }
}
