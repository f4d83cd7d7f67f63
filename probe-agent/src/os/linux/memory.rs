//! Memory of which it is not known whether it is there.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};

/// Copies the words from that address on, up to the first one that cannot be read.
pub(crate) fn read_words(at: usize, words: &mut [usize]) {
    let Ok(memory) = File::open("/proc/self/mem") else { return };
    for (index, word) in words.iter_mut().enumerate() {
        let mut bytes = [0; size_of::<usize>()];
        if memory.read_exact_at(&mut bytes, (at + index * size_of::<usize>()) as u64).is_err() {
            return;
        }
        *word = usize::from_ne_bytes(bytes);
    }
}

/// A copy of as many bytes at that address; `None` if they cannot be read, or are too many.
pub(crate) fn read(at: u64, length: usize) -> Option<Vec<u8>> {
    const MOST: usize = 64 << 20;
    if at == 0 || length > MOST {
        return None;
    }
    let mut bytes = vec![0; length];
    File::open("/proc/self/mem").and_then(|memory| memory.read_exact_at(&mut bytes, at)).ok()?;
    Some(bytes)
}

/// Where there is code that can be executed; `None`: that is not known.
pub(crate) fn executable() -> Option<Vec<Range<usize>>> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let code = |line: &str| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let bound = |text| usize::from_str_radix(text, 16).ok();
        (rest.as_bytes().get(2) == Some(&b'x')).then_some(bound(start)?..bound(end)?)
    };
    Some(maps.lines().filter_map(code).collect())
}

/// Writes the bytes to that address. `false`: this process may not write there.
pub(crate) fn write(at: u64, bytes: &[u8]) -> bool {
    let from = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let to =
        libc::iovec { iov_base: std::ptr::with_exposed_provenance_mut(at as usize), iov_len: bytes.len() };
    // SAFETY: the kernel reads from our bytes, and writes only where this process may.
    let written = unsafe { libc::process_vm_writev(libc::getpid(), &from, 1, &to, 1, 0) };
    if usize::try_from(written) == Ok(bytes.len()) {
        return true;
    }
    // Containers can forbid this call, and emulators lack it.
    let is_denied =
        written < 0 && matches!(io::Error::last_os_error().raw_os_error(), Some(libc::ENOSYS | libc::EPERM));
    is_denied && through_pipe(at, bytes).unwrap_or(false)
}

/// Writes as [`write`] does, by reading from a pipe: the kernel refuses to do that to an address that nothing is at.
fn through_pipe(at: u64, bytes: &[u8]) -> io::Result<bool> {
    static PIPE: Mutex<Option<(PipeReader, PipeWriter)>> = Mutex::new(None);
    let mut pipe = PIPE.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut reader, mut writer) = match pipe.take() {
        Some(pipe) => pipe,
        None => io::pipe()?,
    };
    // Fits into a pipe of any size, so that it does not wait.
    writer.write_all(bytes)?;
    let place = std::ptr::with_exposed_provenance_mut(at as usize);
    // SAFETY: the kernel writes only where this process may.
    let read = unsafe { libc::read(reader.as_raw_fd(), place, bytes.len()) };
    let read = usize::try_from(read).unwrap_or(0);
    // What could not be written is left in the pipe.
    let mut left = bytes[read..].to_vec();
    reader.read_exact(&mut left)?;
    *pipe = Some((reader, writer));
    Ok(left.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_where_there_is_room_only() {
        let mut word = 0u64;
        let at = (&raw mut word).expose_provenance() as u64;
        for write in [write, |at, bytes: &[u8]| through_pipe(at, bytes).unwrap()] {
            assert!(write(at, &1u64.to_ne_bytes()));
            // SAFETY: it is there.
            assert_eq!(unsafe { (&raw const word).read_volatile() }, 1);
            assert!(!write(8, &2u64.to_ne_bytes()));
            assert!(write(at, &3u64.to_ne_bytes()), "what could not be written is gone");
            // SAFETY: as above.
            assert_eq!(unsafe { (&raw const word).read_volatile() }, 3);
        }
    }
}
