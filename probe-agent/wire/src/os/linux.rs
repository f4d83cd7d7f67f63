//! Linux.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use memmap2::{Advice, Mmap, MmapRaw, UncheckedAdvice};
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

/// Fills `bytes` with what lies in the file from `at` on.
pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(bytes, at)
}

/// Writes `bytes` into the file from `at` on.
pub(crate) fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.write_all_at(bytes, at)
}

/// Reserves a part of the file on the disk; where the file system can't, the part stays a hole.
pub(crate) fn allocate(file: &File, at: u64, len: u64) -> io::Result<()> {
    loop {
        match fallocate(file, FallocateFlags::empty(), at, len) {
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Gives a part of the file back to the disk; it reads as zeros then.
pub(crate) fn free(file: &File, at: u64, len: u64) -> io::Result<()> {
    Ok(fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, at, len)?)
}

/// How many bytes a process may have mapped at once, if that is limited.
pub(crate) fn addressable() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// Gets the memory behind a mapping ready to be written to. `None`: the system can't.
pub(crate) fn populate(window: &MmapRaw) -> Option<()> {
    window.advise(Advice::PopulateWrite).ok()
}

/// Gives back the memory behind a part of the mapping of a file that nobody writes to. Without it, it stays in use.
pub(crate) fn give_back(map: &Mmap, from: usize, len: usize) {
    // SAFETY: the bytes of the mapping stay the same: they are fetched from the file again.
    let _ = unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, from, len) };
}
