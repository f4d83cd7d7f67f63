//! Linux.

pub(crate) mod images;
pub(crate) mod linkage;
pub(crate) mod memory;
pub(crate) mod process;
/// musl has no `backtrace`.
#[cfg(target_env = "musl")]
mod unwinder;
