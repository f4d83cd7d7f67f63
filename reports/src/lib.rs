//! Results of a run, and their renderings.
//!
//! [`results`] is the model, [`summary`] what is computed from it, each other module one rendering. Nothing here runs
//! anything, and nothing here trusts a text in the results: names and messages come from the JVM under test.

pub mod badge;
pub mod cause;
pub mod compare;
pub mod conformance;
pub mod csv;
pub mod history;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod matrix;
pub mod merge;
pub mod output;
pub mod published;
pub mod summary;
pub mod terminal;

mod gist;
mod link;
mod os;
#[cfg(test)]
mod sample;
mod seal;
mod visible;

/// The results model.
pub use jvmti_results as results;
pub use jvmti_results::{Results, Status, Verdict};
pub use link::spec_url;
pub use output::OutputError;
