//! Results of a run, and their renderings.

pub mod results;

pub use results::{Results, Status, Verdict};
