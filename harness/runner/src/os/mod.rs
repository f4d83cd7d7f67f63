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

/// A thread of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name, as far as the system keeps it.
    pub name: String,
    /// Its state, by the letter that Linux has for it: `R` runs or would run if it got a processor, `D` waits for a
    /// device, others sleep.
    pub state: char,
}

impl Thread {
    /// Whether it goes on as soon as the machine lets it.
    pub fn wants_to_go_on(&self) -> bool {
        matches!(self.state, 'R' | 'D')
    }
}
