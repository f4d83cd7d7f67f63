//! What depends on the operating system, in one module for each that has the same items in all of them.

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "linux.rs")]
mod own;

pub(crate) use own::{children, childrens_time, command_line, is_jvm, link, variable};
