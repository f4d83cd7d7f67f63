//! What depends on the operating system, in one module for each that has the same items in all of them:
//!
//! * [`read_exact_at`], [`write_all_at`]: parts of a file, whatever others do with it at the same time;
//! * [`allocate`], [`free`]: the room of a part of a file on the disk;
//! * [`addressable`]: how much a process may map;
//! * [`populate`], [`give_back`]: the memory behind a mapping, before it is used and after.
//!
//! A port to another operating system is one more of these modules.

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "linux.rs")]
mod own;

pub(crate) use own::{addressable, allocate, free, give_back, populate, read_exact_at, write_all_at};
