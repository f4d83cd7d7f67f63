//! What depends on the operating system, in one folder for each that has the same items in all of them:
//!
//! * [`process`]: the process and its threads, and the one that it must not outlive;
//! * [`memory`]: memory of which it is not known whether it is there;
//! * [`images`]: libraries and executables in this process, and what an address lies in;
//! * [`linkage`]: the functions that a library calls in others.
//!
//! A port to another operating system is one more of these folders.

#[cfg_attr(windows, path = "windows/mod.rs")]
#[cfg_attr(not(windows), path = "linux/mod.rs")]
mod own;

pub(crate) use own::{images, linkage, memory, process};

/// What an address lies in.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Path of the library or executable.
    pub(crate) image: String,
    /// Where it begins.
    pub(crate) base: usize,
    /// The nearest symbol before the address; empty: none is known.
    pub(crate) symbol: String,
}

/// What an address lies in, by the names that the system has in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    /// Path of the library or executable.
    pub(crate) image: &'static str,
    /// Where it begins.
    pub(crate) base: usize,
    /// The nearest symbol before the address; empty: none is known.
    pub(crate) symbol: &'static str,
}
