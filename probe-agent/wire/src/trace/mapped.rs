//! A finished trace file in memory.

use std::cell::Cell;
use std::fs::File;
use std::path::Path;

use memmap2::Mmap;

use super::{Reader, TraceError};

/// The bytes of a trace file, mapped, so that a trace of any size costs only what is looked at.
#[derive(Debug)]
pub struct TraceFile {
    map: Mmap,
    /// Up to where memory has been given back.
    passed: Cell<usize>,
}

/// Memory is given back in pieces of this size, a multiple of any page's.
const PIECE: usize = 16 << 20;

impl TraceFile {
    /// Maps the file. It must not get shorter while it is looked at: the JVM that wrote it has ended.
    pub fn open(path: &Path) -> Result<TraceFile, TraceError> {
        let io = |doing| move |source| TraceError::Io { doing, path: path.to_owned(), source };
        let file = File::open(path).map_err(io("open"))?;
        // SAFETY: the mapping is read only; that nobody cuts the file off meanwhile is the caller's part.
        let map = unsafe { Mmap::map(&file) }.map_err(io("map"))?;
        Ok(TraceFile { map, passed: Cell::new(0) })
    }

    /// Gives back the memory of what lies before the record at this place, which has been read: a trace of any size can
    /// be read through in little. What is looked at again is fetched again.
    pub fn pass(&self, seq: u64) {
        let passed = self.passed.get();
        let end = usize::try_from(seq).unwrap_or(usize::MAX).min(self.map.len()) / PIECE * PIECE;
        if end <= passed {
            return;
        }
        self.passed.set(end);
        #[cfg(unix)]
        {
            use memmap2::UncheckedAdvice::DontNeed;
            // SAFETY: the mapping is one of a file that nobody writes to: its bytes stay the same.
            let advised = unsafe { self.map.unchecked_advise_range(DontNeed, passed, end - passed) };
            // Without it the memory stays in use, which is all.
            let _ = advised;
        }
    }

    /// A reader of it.
    pub fn reader(&self) -> Result<Reader<'_>, TraceError> {
        Reader::new(&self.map)
    }
}
