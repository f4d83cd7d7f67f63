//! Explores JVMs by sequences that nobody wrote.
//!
//! [`generate`] makes sequences of calls and actions, whose arguments are the things of [`cast`]; [`launches`] runs thousands
//! of them in one JVM; [`follow`] reads the trace and lets a [`model`] of the specification judge each call; [`shrink`]
//! looks for the shortest sequence that still shows a finding, and [`yaml`] writes it as a case. [`explore`] does all of it.

pub mod against;
pub mod cast;
mod chance;
pub mod coverage;
pub mod edits;
mod explore;
pub mod finding;
mod follow;
pub mod generate;
pub mod known;
pub mod launches;
pub mod model;
pub mod sequence;
mod settle;
mod shrink;
mod tidy;
pub mod traps;
mod yaml;

pub use explore::{Explored, Options, Progress, Report, explore};
pub use finding::{Finding, Kind};
