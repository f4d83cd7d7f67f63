//! What depends on the operating system, in one folder for each that has the same items in all of them:
//!
//! * [`process`]: how processes are made, watched and ended;
//! * [`usage`]: the processor time that they take;
//! * [`files`]: folders and files that belong to one user alone;
//! * [`attach`]: a protocol by which HotSpot is asked to load an agent, where the harness knows it;
//! * [`names`]: what the files of a JDK are called, and where they lie.
//!
//! A port to another operating system is one more of these folders.

#[cfg_attr(windows, path = "windows/mod.rs")]
#[cfg_attr(not(windows), path = "linux/mod.rs")]
mod own;

pub(crate) use own::{attach, files, names, process};
pub use own::{names::PROBE, usage};
