//! Intercepts foreign agents: stands between them and the JVM, and records their calls and callbacks.
//!
//! ```text
//! agent ── GetEnv ──▶ [get_env] ─▶ JVM      the JavaVM's functions are replaced by a copy that leads here
//!       ── (*env)->F ▶ [calls] ──▶ JVM      so are those of every environment that GetEnv returns
//!       ◀─ callback ── [events] ◀─ JVM      the probe sets its own functions for events, and calls the agent's
//! ```
//!
//! Agents hold the JVM's own pointers throughout. The probe changes only the first word behind them, the address of the
//! function table. It copies slots that it does not know unchanged. What the JVM returns and writes reaches the agent
//! unchanged; the probe reads it afterwards, and only if the call succeeded.

mod aborts;
mod agent_thread;
mod allocations;
mod attachments;
mod call_numbers;
mod call_sites;
mod callback_stack;
mod calls;
mod class_data;
mod count;
mod counted_calls;
mod dead_phase;
mod environments;
mod events;
mod extension_events;
mod extension_functions;
mod forbidden_jni;
mod foreign_env;
mod forks;
mod found_classes;
mod free_functions;
mod freed_elsewhere;
mod function_kinds;
mod function_table;
mod get_env;
mod given_blocks;
mod global_references;
mod heap_walks;
mod held_contents;
mod held_monitors;
mod held_references;
mod hot_calls;
mod inspection;
mod java_monitors;
mod jni_for_all;
mod jni_ids;
mod jni_kinds;
mod jni_misuse;
mod jni_results;
mod jni_table;
mod key_table;
mod last_calls;
mod lasting;
mod leases;
mod local_references;
mod native_methods;
mod note;
mod own_blocks;
mod poison;
mod recording_cost;
mod red_zones;
mod replaced_jni;
mod reserved_references;
mod sampling;
mod set_jni_table;
mod settings;
mod used_references;
mod watched_threads;

use std::cell::Cell;
use std::ffi::c_void;

use jni_sys::{JavaVM, jint};
use jvmti_wire::plan::Interception;
use jvmti_wire::trace::EntryPoint;

use crate::ffi::stub::{self, Entered, FIRST_EXTENSION, FIRST_FUNCTION, GET_ENV, SUPPORTED};
use crate::ffi::{event, jni_stub};
use crate::recording::trouble;
use crate::vm::probe_environment;
use jni_table::Purpose;

pub use callback_stack::loading;
pub use calls::thread_ends;
pub use events::deliver;
pub use native_methods::bound;

/// Whether the probe intercepts agents.
pub fn is_on() -> bool {
    settings::get().is_some()
}

/// Begins to intercept agents.
pub fn install(vm: *mut JavaVM, wanted: Interception, entry: EntryPoint) {
    if !SUPPORTED {
        trouble(
            "agents cannot be recorded on this platform: the probe has no stubs for its calling convention",
        );
        return;
    }
    local_references::install(&wanted, entry);
    attachments::install(entry);
    if !settings::set(wanted) {
        return;
    }
    aborts::install();
    last_calls::install();
    forks::install();
    counted_calls::install(calls::failed);
    stub::install(entered);
    watched_threads::install();
    jni_stub::install(jni_used);
    if entry == EntryPoint::OnLoad {
        probe_environment::record_offered_capabilities("capabilities.onload");
    }
    native_methods::install();
    get_env::redirect(vm);
}

/// The start phase has begun. From now on agents may replace JNI functions, so the probe saves the JVM's own first.
pub fn started() {
    if let (true, Some(environment)) = (is_on(), probe_environment::get()) {
        environment.keep_jni_functions();
        jni_for_all::install();
        native_methods::watch(environment);
    }
}

/// The live phase has begun: the probe enables ThreadEnd.
///
/// It does not do so earlier: if any environment has enabled ThreadEnd, HotSpot up to 26 sends agents events in the start phase
/// that belong to the live phase (MethodEntry, say).
pub fn live() {
    if let (true, Some(environment)) = (is_on(), probe_environment::get()) {
        environment.enable(event::THREAD_END);
    }
}

/// The JVM is ending: records what was only counted, and what recording has taken.
pub fn record_totals() {
    watched_threads::reveal_monitors();
    sampling::record_counts();
    recording_cost::record_total();
}

/// An agent calls a function through one of the probe's tables.
fn entered(call: &Entered) -> jint {
    let call = &Entered { caller: last_calls::origin(call.caller), ..*call };
    match call.slot {
        GET_ENV => get_env::get_env(call),
        FIRST_FUNCTION..FIRST_EXTENSION => extension_functions::called(call),
        FIRST_EXTENSION..GET_ENV => extension_events::deliver(call),
        _ => {
            forks::called(call);
            calls::made(call)
        }
    }
}

/// A thread uses a JNI function through one of the probe's tables; `args` are the first three after the `JNIEnv`. Returns
/// the function that the stub has to call.
fn jni_used(env: *mut c_void, index: usize, args: [u64; 3], caller: u64) -> *const c_void {
    let caller = last_calls::origin(caller);
    if let Some(function) = jni_for_all::used(env, index, args[0], caller) {
        return function;
    }
    let following = jni_results::in_place_of(index);
    let (follows, forbidden) = (Cell::new(false), Cell::new(false));
    let original = jni_table::used(env, index, |purpose| match purpose {
        Purpose::Forbidden => {
            forbidden.set(true);
            forbidden_jni::used(index, caller);
        }
        Purpose::References => {
            follows.set(local_references::jni_used(env, index, args, caller, following.is_some()));
        }
        Purpose::Dead => dead_phase::used(index, caller),
    });
    // Where JNI is forbidden, whose `JNIEnv` it is does not matter.
    if !forbidden.get() {
        foreign_env::judge(env, index, caller);
    }
    match following.filter(|_| follows.get()) {
        Some(function) => {
            jni_results::entered(index, caller);
            function
        }
        None => original,
    }
}

/// The JVM is ending.
pub fn finish() {
    if is_on() {
        red_zones::finish();
        poison::finish();
        dead_phase::begins();
    }
}
