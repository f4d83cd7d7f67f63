//! A finished trace file to be read.

use std::cell::Cell;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::packed::{self, Packed};
use super::{Reader, TraceError};
use crate::os;
use crate::plan::Plan;

/// A trace file, compressed or not. A trace of any size costs only the memory of what is looked at.
#[derive(Debug)]
pub struct TraceFile(Content);

#[derive(Debug)]
enum Content {
    Mapped {
        map: Mmap,
        /// Up to where memory has been given back.
        passed: Cell<usize>,
    },
    Packed(Packed),
}

/// Memory is given back in pieces of this size, a multiple of any page's.
const PIECE: usize = 16 << 20;

impl TraceFile {
    /// Opens the file. It must not get shorter while it is looked at: the JVM that wrote it has ended. If the recorder was killed,
    /// the other one of its two files is read, too.
    pub fn open(path: &Path) -> Result<TraceFile, TraceError> {
        let io = |doing| move |error| TraceError::Io { doing, path: path.to_owned(), error };
        let file = File::open(path).map_err(io("open"))?;
        let mut first = Vec::with_capacity(8);
        (&file).take(8).read_to_end(&mut first).map_err(io("read"))?;
        if packed::is_packed(&first) {
            return Ok(TraceFile(Content::Packed(Packed::open(path, file)?)));
        }
        if let Some((_, packed)) = Packed::beside(path) {
            return Ok(TraceFile(Content::Packed(packed)));
        }
        // SAFETY: the mapping is read only; that nobody cuts the file off meanwhile is the caller's part.
        let map = unsafe { Mmap::map(&file) }.map_err(io("map"))?;
        Ok(TraceFile(Content::Mapped { map, passed: Cell::new(0) }))
    }

    /// The file that stands for the trace: the compressed one, if a killed recorder left the trace in two and this is the other
    /// one; otherwise this one.
    pub fn main(path: &Path) -> PathBuf {
        Packed::beside(path).map_or_else(|| path.to_owned(), |(packed, _)| packed)
    }

    /// Gives back the memory of what lies before the record at this place, which has been read: a trace of any size can
    /// be read through in little. What is looked at again is fetched again.
    pub fn pass(&self, seq: u64) {
        // Of a compressed trace only a part is there at a time.
        let Content::Mapped { map, passed: to } = &self.0 else { return };
        let passed = to.get();
        let end = usize::try_from(seq).unwrap_or(usize::MAX).min(map.len()) / PIECE * PIECE;
        if end <= passed {
            return;
        }
        to.set(end);
        os::give_back(map, passed, end - passed);
    }

    /// A reader of it.
    pub fn reader(&self) -> Result<Reader<'_>, TraceError> {
        match &self.0 {
            Content::Mapped { map, .. } => Reader::new(map),
            Content::Packed(packed) => Reader::packed(packed),
        }
    }

    /// Likewise, for whoever has the plan.
    pub fn reader_with(&self, plan: Plan) -> Result<Reader<'_>, TraceError> {
        match &self.0 {
            Content::Mapped { map, .. } => Reader::with_plan(map, plan),
            Content::Packed(packed) => Reader::packed(packed),
        }
    }
}
