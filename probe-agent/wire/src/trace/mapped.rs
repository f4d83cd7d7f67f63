//! A finished trace file in memory.

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;

use super::{Reader, TraceError};

/// The bytes of a trace file, mapped, so that a trace of any size costs only what is looked at.
#[derive(Debug)]
pub struct TraceFile {
    map: Mmap,
}

impl TraceFile {
    /// Maps the file. It must not get shorter while it is looked at: the JVM that wrote it has ended.
    pub fn open(path: &Path) -> Result<TraceFile, TraceError> {
        let io = |doing| move |source| TraceError::Io { doing, path: path.to_owned(), source };
        let file = File::open(path).map_err(io("open"))?;
        // SAFETY: the mapping is read only; that nobody cuts the file off meanwhile is the caller's part.
        let map = unsafe { Mmap::map(&file) }.map_err(io("map"))?;
        Ok(TraceFile { map })
    }

    /// A reader of it.
    pub fn reader(&self) -> Result<Reader<'_>, TraceError> {
        Reader::new(&self.map)
    }
}
