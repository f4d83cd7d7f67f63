//! A trace, compressed: a file of the zstd format that any `zstd` turns back into the trace, byte for byte.
//!
//! It begins with a frame that holds the trace's header as it is, so that it can be brought up to date in place. The
//! rest comes in chunks, each a frame of its own, behind a skippable frame that tells where in the trace the chunk
//! belongs and how long it is. Damage costs the chunks that it is in.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, MAGICNUMBER};

use super::TraceError;
use super::file::{self, HEADER, Header};
use crate::os;

/// The ending of the file's name, after that of a trace.
pub const ENDING: &str = "zst";

/// What begins each file: a frame with one block of 128 bytes that are stored as they are.
const FIRST: [u8; 9] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, HEADER as u8, 0x01, 0x04, 0x00];
/// The mark of the skippable frame before a chunk.
const MARK: [u8; 4] = [0x5a, 0x2a, 0x4d, 0x18];
/// Bytes of that frame: mark, length, and four numbers.
const INDEX: usize = 40;
/// The most bytes of a trace in one chunk: what damage costs.
const CHUNK: usize = 64 << 10;
/// How hard is tried to compress: a trace is written as fast as it is recorded.
const LEVEL: i32 = 1;

/// Whether a file that begins like this is a compressed one.
pub(super) fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGICNUMBER.to_le_bytes())
}

/// Writes a compressed trace.
pub(super) struct Packer {
    file: File,
    path: PathBuf,
    end: u64,
    compressor: Compressor<'static>,
}

impl Packer {
    /// Makes the file, which must not exist yet, with the trace's header in it.
    pub(super) fn create(path: &Path, header: &[u8; HEADER]) -> Result<Packer, TraceError> {
        let io = |doing| move |error| TraceError::Io { doing, path: path.to_owned(), error };
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(io("create"))?;
        let mut compressor = Compressor::new(LEVEL).map_err(io("compress"))?;
        compressor.set_parameter(CParameter::ChecksumFlag(true)).map_err(io("compress"))?;
        let mut packer =
            Packer { file, path: path.to_owned(), end: (FIRST.len() + HEADER) as u64, compressor };
        packer.write(&FIRST, 0)?;
        packer.header(header)?;
        Ok(packer)
    }

    /// Brings the header up to date.
    pub(super) fn header(&mut self, header: &[u8; HEADER]) -> Result<(), TraceError> {
        self.write(header, FIRST.len() as u64)
    }

    /// Adds a part of the trace, which belongs at that offset. It is added as a whole or not at all.
    pub(super) fn append(&mut self, mut offset: u64, part: &[u8]) -> Result<(), TraceError> {
        let mut bytes = Vec::with_capacity(part.len() / 2);
        for chunk in part.chunks(CHUNK) {
            let packed = self.compressor.compress(chunk).map_err(|error| self.failed("compress", error))?;
            bytes.extend_from_slice(&index(offset, chunk.len() as u64, packed.len() as u64));
            bytes.extend_from_slice(&packed);
            offset += chunk.len() as u64;
        }
        if let Err(error) = self.write(&bytes, self.end) {
            // A part of a chunk would be in the way of the next one; should this fail too, it is passed over as damage.
            let _ = self.file.set_len(self.end);
            return Err(error);
        }
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn write(&self, bytes: &[u8], at: u64) -> Result<(), TraceError> {
        os::write_all_at(&self.file, bytes, at).map_err(|error| self.failed("write", error))
    }

    fn failed(&self, doing: &'static str, error: std::io::Error) -> TraceError {
        TraceError::Io { doing, path: self.path.clone(), error }
    }
}

fn index(offset: u64, len: u64, packed: u64) -> [u8; INDEX] {
    let mut bytes = [0; INDEX];
    bytes[..4].copy_from_slice(&MARK);
    bytes[4..8].copy_from_slice(&(INDEX as u32 - 8).to_le_bytes());
    for (at, number) in [(8, offset), (16, len), (24, packed)] {
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    }
    let check = xxh3_64(&bytes[..32]);
    bytes[32..].copy_from_slice(&check.to_le_bytes());
    bytes
}

/// Offset, length and compressed length of the chunk, if these bytes are the index of one.
fn parse(bytes: &[u8]) -> Option<(u64, usize, usize)> {
    let number = |at: usize| bytes.get(at..at + 8)?.first_chunk().map(|raw| u64::from_le_bytes(*raw));
    let (offset, len, packed) = (number(8)?, number(16)?, number(24)?);
    (bytes.starts_with(&index(offset, len, packed)) && len <= CHUNK as u64)
        .then_some((offset, len as usize, usize::try_from(packed).ok()?))
        .filter(|(_, len, packed)| *packed <= zstd::zstd_safe::compress_bound(*len))
}

/// A compressed trace to be read.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    file: Arc<File>,
    len: u64,
    /// What the recorder left behind when it was killed.
    left: Option<Left>,
}

/// The part of a trace that was not compressed, in the file that the JVM wrote.
#[derive(Clone, Debug)]
struct Left {
    file: Arc<File>,
    header: Vec<u8>,
    /// Up to where there may be records.
    end: u64,
}

impl Left {
    /// The file at that path, if it is of the recording with that header.
    fn of(path: &Path, header: &Header) -> Option<Left> {
        let file = File::open(path).ok()?;
        let mut bytes = vec![0; HEADER];
        os::read_exact_at(&file, &mut bytes, 0).ok()?;
        let own = Header::read(&bytes).ok()?;
        let id = |header: &Header| (header.order, header.started, header.log, header.plan.clone());
        let end = own.tail.min(own.room.saturating_add(file::SLACK)).min(file.metadata().ok()?.len());
        (id(&own) == id(header)).then(|| Left { file: Arc::new(file), header: bytes, end })
    }
}

impl Packed {
    /// Opens a file that [`is_packed`].
    pub(super) fn open(path: &Path, file: File) -> Result<Packed, TraceError> {
        let io = |doing| move |error| TraceError::Io { doing, path: path.to_owned(), error };
        let len = file.metadata().map_err(io("examine"))?.len();
        let mut packed = Packed { file: Arc::new(file), len, left: None };
        if packed.bytes(0, FIRST.len()).as_deref() != Some(&FIRST) {
            return Err(TraceError::NotATrace);
        }
        // The recorder removes the other file once it has all of it.
        let header = Header::read(&packed.header()).ok().filter(|header| !header.sealed);
        packed.left = header.and_then(|header| Left::of(&path.with_extension(""), &header));
        Ok(packed)
    }

    /// The compressed part of the trace at that path, which is not compressed, and its path, if the recorder was killed.
    pub(super) fn beside(path: &Path) -> Option<(PathBuf, Packed)> {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{ENDING}"));
        let path = PathBuf::from(name);
        let packed = Packed::open(&path, File::open(&path).ok()?).ok()?;
        packed.left.is_some().then_some((path, packed))
    }

    /// The trace's header; shorter if the file is.
    pub(super) fn header(&self) -> Vec<u8> {
        if let Some(left) = &self.left {
            return left.header.clone();
        }
        let first = FIRST.len() as u64;
        let len = self.len.saturating_sub(first).min(HEADER as u64) as usize;
        self.bytes(first, len).unwrap_or_default()
    }

    /// The chunks, from the first one on.
    pub(super) fn chunks(&self) -> Chunks {
        let at = (FIRST.len() + HEADER) as u64;
        Chunks { packed: self.clone(), at, reached: HEADER as u64, decompressor: Decompressor::new().ok() }
    }

    fn bytes(&self, at: u64, len: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; len];
        os::read_exact_at(&self.file, &mut bytes, at).ok().map(|()| bytes)
    }
}

/// Iterator over the chunks of a compressed trace: where each belongs, and its bytes. What is damaged is left out.
pub(super) struct Chunks {
    packed: Packed,
    at: u64,
    /// Where in the trace the last chunk ended.
    reached: u64,
    /// `None`: there was no memory for it.
    decompressor: Option<Decompressor<'static>>,
}

impl Iterator for Chunks {
    type Item = (u64, Vec<u8>);

    fn next(&mut self) -> Option<(u64, Vec<u8>)> {
        let (offset, chunk) = self.compressed().or_else(|| self.left())?;
        self.reached = offset + chunk.len() as u64;
        Some((offset, chunk))
    }
}

impl Chunks {
    /// The next part that was not compressed.
    fn left(&self) -> Option<(u64, Vec<u8>)> {
        let left = self.packed.left.as_ref()?;
        let len = left.end.checked_sub(self.reached).filter(|len| *len > 0)?.min(CHUNK as u64);
        let mut bytes = vec![0; len as usize];
        os::read_exact_at(&left.file, &mut bytes, self.reached).ok()?;
        Some((self.reached, bytes))
    }

    fn compressed(&mut self) -> Option<(u64, Vec<u8>)> {
        while self.at < self.packed.len {
            let index = self.packed.bytes(self.at, INDEX)?;
            let Some((offset, len, packed)) = parse(&index) else {
                self.at = self.mark(self.at + 1)?;
                continue;
            };
            let content = self.packed.bytes(self.at + INDEX as u64, packed);
            let decompressor = self.decompressor.as_mut()?;
            let chunk = content.and_then(|content| decompressor.decompress(&content, len).ok());
            match chunk {
                Some(chunk) if chunk.len() == len => {
                    self.at += (INDEX + packed) as u64;
                    return Some((offset, chunk));
                }
                _ => self.at = self.mark(self.at + 1)?,
            }
        }
        None
    }

    /// The next place from `at` on where a chunk may begin.
    fn mark(&self, mut at: u64) -> Option<u64> {
        const STEP: usize = 1 << 16;
        while at < self.packed.len {
            let len = STEP.min((self.packed.len - at) as usize);
            let bytes = self.packed.bytes(at, len)?;
            if let Some(found) = bytes.windows(MARK.len()).position(|window| window == MARK) {
                return Some(at + found as u64);
            }
            // A mark may lie across the end of the step.
            at += (len - (MARK.len() - 1).min(len - 1)) as u64;
        }
        None
    }
}
