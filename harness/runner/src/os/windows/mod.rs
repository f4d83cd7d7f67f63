//! Windows.

pub(crate) mod attach;
pub(crate) mod files;
pub(crate) mod names;
pub(crate) mod process;
pub mod usage;
