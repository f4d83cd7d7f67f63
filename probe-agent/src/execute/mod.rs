//! Carries out the plan: the cases, the triggers that they wait for, and the steps that they take.

pub mod callbacks;
pub mod cases;
pub mod firing;
pub mod natives;
pub mod occurrence;
pub mod primordial;
pub mod setup;

mod arguments;
mod bindings;
mod call;
mod compiled;
mod executor;
mod extension_function;
mod filters;
mod get_env;
mod handover;
mod invalid;
mod jni_interception;
mod jni_operations;
mod modifiable;
mod open_calls;
mod other_thread;
mod saved;
mod scenario_runs;
mod step;
mod survey;
mod transferred;
