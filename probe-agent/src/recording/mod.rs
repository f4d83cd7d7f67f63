//! The one trace that everything is recorded to, and the numbers of the threads and calls in it.

pub mod clock;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use jvmti_wire::trace::{Body, HotArg, HotBody, Recorder};
use jvmti_wire::value::ObjectId;

use crate::os::process;

static RECORDER: OnceLock<Recorder> = OnceLock::new();
static THREADS: AtomicU32 = AtomicU32::new(1);
static CALLS: AtomicU32 = AtomicU32::new(1);
/// The trace is that of another process.
static SILENT: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Number of this native thread; 0: not yet seen.
    static NUMBER: Cell<u32> = const { Cell::new(0) };
    static LOCALS: Locals = const { Locals };
}

/// Goes when the thread's data go that have to be dropped.
struct Locals;

impl Drop for Locals {
    fn drop(&mut self) {}
}

/// Whether the current thread still has data that are dropped at its end. Destructors of an agent may come later, and make calls; a map
/// that is shared without a lock must not be used then.
pub fn has_locals() -> bool {
    LOCALS.try_with(|_| ()).is_ok()
}

/// Sets the trace; `false`: there was one already.
pub fn install(recorder: Recorder) -> bool {
    RECORDER.set(recorder).is_ok()
}

/// The trace.
pub fn recorder() -> Option<&'static Recorder> {
    RECORDER.get().filter(|_| !SILENT.load(Ordering::Relaxed))
}

/// Whether this process records nothing from now on, because the trace is that of another process.
pub fn set_silent(silent: bool) {
    SILENT.store(silent, Ordering::Relaxed);
}

/// Runs what the probe does for itself, such as recording: a panic in it must reach neither the agent nor the JVM.
pub fn guarded<T>(recording: impl FnOnce() -> T) -> Option<T> {
    // Dropping a payload may itself panic.
    catch_unwind(AssertUnwindSafe(recording)).map_err(std::mem::forget).ok()
}

/// Number of the next call, unique in the trace.
pub fn next_call() -> u32 {
    next_calls(1)
}

/// Takes that many consecutive call numbers, and gives the first.
pub fn next_calls(many: u32) -> u32 {
    CALLS.fetch_add(many, Ordering::Relaxed)
}

/// Appends a record of the current thread.
pub fn record(body: &Body) {
    if let Some(recorder) = recorder() {
        recorder.record(thread(), clock::now(), body);
    }
}

/// As [`record`], for events.
pub fn record_event(environment: u32, event: u16, args: &[HotArg<'_>]) {
    if let Some(recorder) = recorder() {
        recorder.record_event(thread(), clock::now(), environment, event, args);
    }
}

/// As [`record`], for bodies made of borrowed parts, with the time that it is to have.
pub fn record_hot(at: u64, body: &HotBody<'_>) {
    if let Some(recorder) = recorder() {
        recorder.record_hot(thread(), at, body);
    }
}

/// As [`record_hot`], of the thread with that number.
pub fn record_of(thread: u32, at: u64, body: &HotBody<'_>) {
    if let Some(recorder) = recorder() {
        recorder.record_hot(thread, at, body);
    }
}

/// As [`record`], with the time that it is to have.
pub fn record_at(at: u64, body: &Body) {
    if let Some(recorder) = recorder() {
        recorder.record(thread(), at, body);
    }
}

/// Records trouble of the probe's own.
pub fn trouble(message: impl Into<String>) {
    record(&Body::Trouble { message: message.into() });
}

/// Records which `java.lang.Thread` this native thread is.
pub fn thread_is(object: ObjectId) {
    record(&Body::ThreadSeen { object: Some(object), native: process::thread_id() });
}

/// Number of the current native thread, from 1; 0 if its thread-local storage is gone already.
pub fn thread() -> u32 {
    let number = NUMBER.try_with(Cell::get).unwrap_or(0);
    if number == 0 { first_sight() } else { number }
}

#[cold]
fn first_sight() -> u32 {
    let number = THREADS.fetch_add(1, Ordering::Relaxed);
    if NUMBER.try_with(|n| n.set(number)).is_err() {
        return 0;
    }
    record(&Body::ThreadSeen { object: None, native: process::thread_id() });
    number
}
