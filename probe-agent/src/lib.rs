//! The probe: an agent that lives inside the JVM, carries out a plan there, and records every call and every callback.
//! It records and never judges.
//!
//! # Folders
//!
//! Each folder may use those above it in this table, and none below it; `tests/architecture.rs` checks that.
//!
//! | Folder | What it holds |
//! | --- | --- |
//! | `arch` | What depends on the processor: the code of stubs, the counter that time is read from |
//! | `os` | What depends on the operating system: processes, libraries, memory that may not be there |
//! | [`ffi`] | The C side of JVM TI, mostly generated from the specification: function tables, stubs, trampolines, layouts |
//! | `recording` | The one trace that everything is written to, and the clock |
//! | [`marshal`] | From the arguments of a plan to C values, and from C values to what is recorded |
//! | `vm` | The running JVM: JNI, environments, how far it has come, the identity of its objects |
//! | `scenario_natives` | Native methods that Java scenarios need, which the JVM finds in this library by name |
//! | `intercept` | Stands between the JVM and somebody else's agent, and records what passes |
//! | `execute` | Carries out the plan: cases, the steps they take, and the triggers that they wait for |
//! | `lifecycle` | From `Agent_OnLoad` to `Agent_OnUnload`: entry points, and events on their way to the right folder |
//! | [`embed`] | A launcher with the probe linked into it, for cases about statically linked agents |
//!
//! # How it runs
//!
//! `lifecycle::entry` reads the plan out of the trace file that the harness made. From then on the JVM reports: it sends
//! events (`lifecycle::events`), invokes callbacks (`execute::callbacks`), and calls the native methods by which a scenario
//! begins, ends, and reaches checkpoints (`execute::natives`). Whenever one of these *triggers* arrives, the cases that wait
//! for it take their next steps (`execute::firing`), each in JVM TI environments of its own.
//!
//! With a plan that asks for it, the probe intercepts another agent instead (`intercept`), or does nothing but possess
//! capabilities (`lifecycle::capability_holder`).

// It runs in somebody's JVM, where a panic may end the process.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo)
)]

// What is in `os` exists for these only.
#[cfg(not(all(any(target_os = "linux", windows), target_pointer_width = "64")))]
compile_error!("jvmti-check is for Linux and Windows on 64-bit processors only");

pub mod embed;
pub mod ffi;
pub mod marshal;

mod arch;
mod execute;
mod intercept;
mod lifecycle;
mod os;
mod recording;
mod scenario_natives;
mod vm;
