//! Windows.

use std::fs::File;
use std::io;
use std::os::windows::fs::FileExt;

use memmap2::{Mmap, MmapRaw};

/// Fills `bytes` with what lies in the file from `at` on.
pub(crate) fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_read(bytes, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                bytes = &mut bytes[read..];
                at += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes `bytes` into the file from `at` on.
pub(crate) fn write_all_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_write(bytes, at) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = &bytes[written..];
                at += written as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Nothing to do: a file that is not sparse has its room on the disk once it has its length.
pub(crate) fn allocate(_file: &File, _at: u64, _len: u64) -> io::Result<()> {
    Ok(())
}

/// Only files that were made sparse can have parts without room on the disk; traces are none.
pub(crate) fn free(_file: &File, _at: u64, _len: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Mappings are not limited.
pub(crate) fn addressable() -> Option<u64> {
    None
}

/// The system gets memory ready as it is used, and offers no way to do so before for a mapping of a file.
pub(crate) fn populate(_window: &MmapRaw) -> Option<()> {
    None
}

/// The system takes memory back by itself where it is short.
pub(crate) fn give_back(_map: &Mmap, _from: usize, _len: usize) {}
