//! Linux.

use std::io;
use std::path::Path;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// Makes a link to a file.
pub(crate) fn link(file: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(file, link)
}

/// The processor time in nanoseconds of all processes that this one has waited for.
pub(crate) fn childrens_time() -> f64 {
    let of = |usage: Usage| usage.user_time().num_nanoseconds() + usage.system_time().num_nanoseconds();
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0.0, |usage| of(usage) as f64)
}
