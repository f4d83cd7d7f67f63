//! The probe: an agent that lives inside the JVM, does what a plan says, and records every call and every callback.
//! It does not judge.
//!
//! [`entry`] reads the plan out of the trace file that the harness made. From then on things happen at *moments*
//! ([`firing`]): the VM tells of its life ([`life`]), sends events ([`events`]) and invokes callbacks ([`callbacks`]);
//! the scenario begins a turn ([`turns`]) or reaches a checkpoint ([`natives`]). At each moment the [`cases`] that wait
//! for it take their steps ([`executor`]), on environments of their own ([`environments`], [`setup`]).
//!
//! [`between`] is the other half: it stands between the JVM and agents that nobody here wrote, and records what they do.
//! [`holding`] does nothing at all but possess capabilities. [`linked`] has the entry points by the names of a statically linked agent, and [`embed`] the launcher for it.
//!
//! Everything is written by the [`recorder`]; [`identity`] tells objects apart, with the help of an environment of the
//! probe's own, the [`registrar`]. The C side is [`ffi`], from plan to C and back is [`marshal`].

pub mod embed;
pub mod ffi;
pub mod linked;
pub mod marshal;

mod between;
mod callbacks;
mod cases;
mod clock;
mod elsewhere;
mod entry;
mod environments;
mod events;
mod executor;
mod extension_function;
mod filters;
mod firing;
mod get_env;
mod given;
mod holding;
mod identity;
mod image;
mod interception;
mod invalid;
mod jni;
mod jni_operations;
mod life;
mod names;
mod natives;
mod onlooker;
mod primordial;
mod recorder;
mod registrar;
mod resolve;
mod saved;
mod setup;
mod stage;
mod turns;
mod wrapped;
