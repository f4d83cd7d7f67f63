//! Windows.

use std::io;
use std::path::Path;

/// Copies the file: links need a privilege here.
pub(crate) fn link(file: &Path, link: &Path) -> io::Result<()> {
    if file.is_dir() || link.exists() {
        return Ok(());
    }
    std::fs::copy(file, link).map(|_| ())
}

/// Not told here.
pub(crate) fn childrens_time() -> f64 {
    0.0
}

/// Not told here, where agents are not recorded.
pub(crate) fn children(_process: u32) -> Vec<u32> {
    Vec::new()
}

/// Likewise.
pub(crate) fn is_jvm(_process: u32) -> bool {
    false
}

/// Likewise.
pub(crate) fn command_line(_process: u32) -> Vec<String> {
    Vec::new()
}

/// Likewise.
pub(crate) fn variable(_process: u32, _name: &str) -> Option<String> {
    None
}
