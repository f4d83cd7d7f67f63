//! Replaces the JNI function table of a thread for a while. Each stub in the new table reports that the thread uses the
//! function, and calls the original.
//!
//! Tables form a stack: below the topmost one there may be another of the probe, and at the bottom is the JVM's, or one that
//! an agent has set. A stub looks up the original at each use, since agents change entries in place.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use jni_sys::JNI_VERSION_1_6;

use crate::ffi::jni_stub::{self, FUNCTIONS, SUPPORTED};
use crate::recording::guarded;
use crate::vm::jni;

/// The purpose of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Report any use of JNI, which is forbidden.
    Forbidden,
    /// Track local references.
    References,
    /// Report any use of JNI in the dead phase.
    Dead,
}

/// A table of stubs.
struct Table {
    purpose: Purpose,
    /// The table that it replaces.
    beneath: *mut c_void,
    stubs: [*const c_void; FUNCTIONS],
}

// SAFETY: it is written once, and holds addresses of code only.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// The largest number of tables: three for each table of the JVM or of an agent. Mostly there is one of these.
const TABLES: usize = 12;

/// All tables that the probe has made. It never frees them.
static MADE: [AtomicPtr<Table>; TABLES] = [const { AtomicPtr::new(null_mut()) }; TABLES];

fn made() -> impl Iterator<Item = &'static Table> {
    // SAFETY: each place holds null or a table that is never freed.
    MADE.iter().map_while(|place| unsafe { place.load(Ordering::Acquire).as_ref::<'static>() })
}

impl Table {
    fn address(&self) -> *mut c_void {
        self.stubs.as_ptr().cast_mut().cast()
    }

    /// The probe's table at that address, if there is one.
    fn at(address: *mut c_void) -> Option<&'static Table> {
        made().find(|table| table.address() == address)
    }

    fn upon(beneath: *mut c_void, purpose: Purpose) -> Option<&'static Table> {
        let is_it = |table: &&'static Table| table.beneath == beneath && table.purpose == purpose;
        if let Some(known) = made().find(is_it) {
            return Some(known);
        }
        let table =
            Box::into_raw(Box::new(Table { purpose, beneath, stubs: std::array::from_fn(jni_stub::stub) }));
        let put = |place: &AtomicPtr<Table>| {
            place.compare_exchange(null_mut(), table, Ordering::AcqRel, Ordering::Acquire).is_ok()
        };
        if MADE.iter().any(put) {
            // SAFETY: it is never freed from now on.
            return unsafe { table.as_ref() };
        }
        // SAFETY: nobody else has got it.
        drop(unsafe { Box::from_raw(table) });
        None
    }
}

/// A table that is in use by a thread.
pub struct Cover {
    /// The thread's `JNIEnv`, and its first word.
    env: *mut c_void,
    head: &'static AtomicPtr<c_void>,
    table: &'static Table,
}

impl Cover {
    /// Replaces this thread's table. `None`: that is not possible, or there is one for this purpose already.
    pub fn new(purpose: Purpose) -> Option<Cover> {
        if !SUPPORTED {
            return None;
        }
        let env = jni::get_env(JNI_VERSION_1_6).ok()?;
        let head = head(env);
        let found = head.load(Ordering::Acquire);
        if Table::at(found).is_some_and(|table| table.purpose == purpose || purpose == Purpose::References) {
            return None;
        }
        let table = Table::upon(found, purpose)?;
        head.store(table.address(), Ordering::Release);
        Some(Cover { env, head, table })
    }

    /// The thread's `JNIEnv`.
    pub fn env(&self) -> *mut c_void {
        self.env
    }

    /// Removes the table.
    pub fn lift(&self) {
        // If another table has been set meanwhile, it stays.
        let _ = self.head.compare_exchange(
            self.table.address(),
            self.table.beneath,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
    }
}

impl Drop for Cover {
    fn drop(&mut self) {
        // A thread that has been detached meanwhile has no `JNIEnv` any more.
        if jni::get_env(JNI_VERSION_1_6) == Ok(self.env) {
            self.lift();
        }
    }
}

/// The first word of a `JNIEnv`.
fn head(env: *mut c_void) -> &'static AtomicPtr<c_void> {
    // SAFETY: a `JNIEnv` begins with the address of its functions, and is there as long as its thread.
    unsafe { AtomicPtr::from_ptr(env.cast::<*mut c_void>()) }
}

/// A stub was called: reports the purposes of its tables, and returns the original function.
pub fn used(env: *mut c_void, index: usize, report: impl Fn(Purpose)) -> *const c_void {
    let mut functions = head(env).load(Ordering::Acquire);
    let mut covered = false;
    while let Some(table) = Table::at(functions) {
        covered = true;
        guarded(|| report(table.purpose));
        functions = table.beneath;
    }
    below(functions, covered, index)
}

/// The original function, for a thread that uses it.
pub fn original(env: *mut c_void, index: usize) -> *const c_void {
    let mut functions = head(env).load(Ordering::Acquire);
    let mut covered = false;
    while let Some(table) = Table::at(functions) {
        covered = true;
        functions = table.beneath;
    }
    below(functions, covered, index)
}

/// The function of that index in the table below those of the probe.
fn below(functions: *mut c_void, covered: bool, index: usize) -> *const c_void {
    // A caller that cached the stub, or calls it after the table was removed, gets the JVM's function. The present table may
    // contain a function of an agent, which may be the caller.
    if !covered && let Some(function) = jni::function(index) {
        return function;
    }
    // SAFETY: what is called is a function of a `JNIEnv`, so that its table has that entry.
    unsafe { functions.cast::<*const c_void>().add(index).read() }
}
