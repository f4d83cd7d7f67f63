//! JNI used where it must not be used: while the heap is walked, and in callbacks of that kind.
//!
//! For as long as that lasts, and for no other thread, the functions of the thread's `JNIEnv` are those of a table of the
//! probe's, which record their use and go on in the JVM's. A thread that is in the JVM does not use JNI itself: who does
//! is a callback, on whatever thread, with a `JNIEnv*` that the agent has kept.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use jni_sys::JNI_VERSION_1_6;
use jvmti_wire::trace::Body;

use super::{guarded, sites};
use crate::ffi::jni_stub::{self, FUNCTIONS, SUPPORTED};
use crate::jni;
use crate::recorder::record;
use crate::stage::{self, Restricted};

/// A table of stubs, and that of the functions which they stand for.
#[repr(C)]
struct Table {
    original: *const c_void,
    stubs: [*const c_void; FUNCTIONS],
}

// SAFETY: it is written once, and holds addresses of code only.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// There is one for each table that the JVM, or an agent, has given to threads.
static TABLES: Mutex<Vec<&'static Table>> = Mutex::new(Vec::new());

/// While it lives, this thread is where nothing but callback-safe functions of JVM TI are allowed.
pub struct Forbidden {
    _restricted: Restricted,
    replaced: Option<Replaced>,
}

struct Replaced {
    /// First word of the `JNIEnv`.
    head: &'static AtomicPtr<c_void>,
    table: &'static Table,
}

impl Forbidden {
    /// Begins.
    pub fn enter() -> Forbidden {
        let replaced = if SUPPORTED && stage::is_running() { guarded(Replaced::new).flatten() } else { None };
        Forbidden { _restricted: Restricted::enter(), replaced }
    }
}

impl Drop for Forbidden {
    fn drop(&mut self) {
        if let Some(Replaced { head, table }) = &self.replaced {
            let own = table.address();
            // Whoever has put something else there meanwhile wants it to stay.
            let _ =
                head.compare_exchange(own, table.original.cast_mut(), Ordering::AcqRel, Ordering::Acquire);
        }
    }
}

impl Replaced {
    fn new() -> Option<Replaced> {
        let env = jni::get_env(JNI_VERSION_1_6).ok()?;
        // SAFETY: a `JNIEnv` begins with the address of its functions, and is there as long as its thread.
        let head: &'static AtomicPtr<c_void> = unsafe { AtomicPtr::from_ptr(env.cast::<*mut c_void>()) };
        let found = head.load(Ordering::Acquire);
        let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        if tables.iter().any(|table| table.address() == found) {
            return None;
        }
        let known = tables.iter().copied().find(|table| table.original == found.cast_const());
        let table = known.unwrap_or_else(|| {
            let table: &'static Table =
                Box::leak(Box::new(Table { original: found, stubs: std::array::from_fn(jni_stub::stub) }));
            tables.push(table);
            table
        });
        head.store(table.address(), Ordering::Release);
        Some(Replaced { head, table })
    }
}

impl Table {
    fn address(&self) -> *mut c_void {
        self.stubs.as_ptr().cast_mut().cast()
    }
}

/// A stub was called. Gives the function that it stands for.
pub fn used(env: *mut c_void, index: usize, caller: u64) -> *const c_void {
    guarded(|| record(&Body::JniUsed { function: index as u16, site: sites::number(caller) }));
    // SAFETY: what is called is a function of a `JNIEnv`. Before the stubs of a table the original's address lies; a
    // thread that came too late for them finds the original itself.
    unsafe {
        let functions = env.cast::<*const *const c_void>().read();
        let function = functions.add(index).read();
        if function != jni_stub::stub(index) {
            return function;
        }
        functions.sub(1).read().cast::<*const c_void>().add(index).read()
    }
}
