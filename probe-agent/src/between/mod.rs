//! Stands between the JVM and agents that nobody here wrote, and records what passes.
//!
//! ```text
//! agent ── GetEnv ──▶ [invocation] ──▶ JVM            the JavaVM's functions are led through a copy
//!       ── (*env)->F ▶ [calls] ──────▶ JVM            so are those of every environment that GetEnv gives
//!       ◀─ callback ── [delivery] ◀─── JVM            the functions set for events are stood in for
//! ```
//!
//! The agent holds the JVM's own pointers throughout: what changes is the first word that they point to, the address of
//! the table. Slots that nothing is known of are copied as they are. What the VM returns and writes goes back
//! untouched; what is recorded of it is looked at afterwards, and only if the call succeeded.

mod agent_thread;
mod agents;
mod balance;
mod calls;
mod capacity;
mod delivery;
mod extension;
mod extension_function;
mod foreign;
mod invocation;
mod jni_table;
mod jni_use;
mod poison;
mod references;
mod sampling;
mod sites;
mod table;

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use jni_sys::{JavaVM, jint};
use jvmti_wire::plan::Between;
use jvmti_wire::trace::{Body, EntryPoint};

use crate::ffi::stub::{Entered, FIRST_EXTENSION, FIRST_FUNCTION, GET_ENV, SUPPORTED};
use crate::ffi::{event, slot};
use crate::recorder::{record, trouble};
use crate::registrar;

pub use calls::thread_ends;
pub use delivery::deliver;
pub use foreign::freed;
pub use sampling::tell_all;

static WANTED: OnceLock<Between> = OnceLock::new();

/// What is to be recorded; `None`: agents are left alone.
fn wanted() -> Option<&'static Between> {
    WANTED.get()
}

/// Whether agents are recorded.
pub fn is_on() -> bool {
    WANTED.get().is_some()
}

/// Stands between from now on.
pub fn install(vm: *mut JavaVM, wanted: Between, entry: EntryPoint) {
    if !SUPPORTED {
        trouble(
            "agents cannot be recorded on this platform: the probe has no stubs for its calling convention",
        );
        return;
    }
    if WANTED.set(wanted).is_ok() {
        WANTED.get().into_iter().for_each(|wanted| references::install(wanted, entry));
        if entry == EntryPoint::OnLoad {
            tell_capabilities("capabilities.onload");
        }
        invocation::redirect(vm);
    }
}

/// The live phase has begun: from now on the probe wants to know of threads that end.
///
/// Not before: where some environment has enabled ThreadEnd, HotSpot up to 26 sends agents events in the start phase
/// that belong to the live phase (MethodEntry, say).
pub fn live() {
    if let (true, Some(registrar)) = (is_on(), registrar::get()) {
        registrar.call(slot::SET_EVENT_NOTIFICATION_MODE, &[1, event::THREAD_END.into(), 0]);
    }
}

/// Records the capabilities that the JVM offers at present.
fn tell_capabilities(key: &str) {
    let names = registrar::get().map(|registrar| registrar.potential_capabilities()).unwrap_or_default();
    record(&Body::Identity { key: key.to_owned(), value: names.join(" ") });
}

/// A function was called through a table of the probe's.
pub fn entered(call: &Entered) -> jint {
    match call.slot {
        GET_ENV => invocation::get_env(call),
        FIRST_FUNCTION..FIRST_EXTENSION => extension_function::called(call),
        FIRST_EXTENSION..GET_ENV => extension::deliver(call),
        _ => calls::made(call),
    }
}

/// A function of JNI was called through a table of the probe's, with that for the first argument after the `JNIEnv`.
/// Gives the one that it stands for.
pub fn jni_used(env: *mut c_void, index: usize, argument: u64, caller: u64) -> *const c_void {
    jni_table::used(env, index, argument, caller)
}

/// The JVM ends.
pub fn finish() {
    if is_on() {
        poison::finish();
    }
}

/// Runs what only records: a panic in it must reach neither the agent nor the VM.
fn guarded<T>(recording: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(recording)).ok()
}
