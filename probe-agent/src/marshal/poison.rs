//! Values that mean nothing and are recognised: in outputs of calls that failed, whose content the specification leaves
//! undefined, and in memory that has been deallocated.
//!
//! A mark tells the call that left it. As an address it belongs to nobody, as a number it is negative.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::{Mutex, PoisonError};

use jvmti_wire::trace::HotArg;

use super::marks::{MEMORY, OUTPUT, ShortMarks};
use super::memory;
use super::passed::{Block, Passed};
use crate::ffi::{CType, Count, Dir, slot};

static SHORT_MARKS: ShortMarks = ShortMarks::new();
/// Elements of an array of the agent's that are marked.
const MARKED: usize = 64;

/// A block of memory that the VM gave, and its size in bytes.
pub type Sized = (u64, usize);

impl Passed<'_> {
    /// After failure: marks what the agent wanted to be told. Gives the marks, by parameter.
    pub fn mark_outputs(&self, call: u32) -> Vec<(u16, HotArg<'static>)> {
        let mut marks = Vec::new();
        for (index, param, word) in
            self.params().filter(|(_, param, word)| param.dir.is_output() && *word != 0)
        {
            let Some(element) = param.ty.pointee() else { continue };
            let elements = match param.dir {
                // A count that stands behind a pointer is not to be relied on.
                Dir::OutBuf if matches!(param.count, Some(Count::Value(_))) => {
                    self.count(param).unwrap_or(0).min(MARKED)
                }
                Dir::OutBuf => 0,
                _ => 1,
            };
            for i in 0..elements {
                let mut marking =
                    Marking { call, param: index as u16, next: marks.len() as u64, marks: &mut marks };
                marking.place(word + (i * element.size()) as u64, element);
            }
        }
        marks
    }

    /// After success: the memory that the VM gave, as far as its size is known.
    pub fn sized_blocks(&self, found: &mut dyn FnMut(Sized)) {
        if self.descriptor.slot == slot::ALLOCATE {
            // SAFETY: the VM has written the address through the agent's pointer.
            let at = unsafe { memory::load_pointer(self.words[1]) };
            return found((at, usize::try_from(self.words[0]).unwrap_or(0)));
        }
        self.each_block(&mut |block| found((block.at, size(&block))));
    }
}

fn size(block: &Block) -> usize {
    match (block.element, block.count) {
        // SAFETY: the VM gave a terminated string.
        (CType::Char, None) => unsafe { memory::c_string(block.at) }.len() + 1,
        (element, count) => element.size() * count.unwrap_or(1),
    }
}

struct Marking<'m> {
    call: u32,
    param: u16,
    next: u64,
    marks: &'m mut Vec<(u16, HotArg<'static>)>,
}

impl Marking<'_> {
    fn place(&mut self, at: u64, ty: CType) {
        match ty {
            CType::Struct(layout) if !layout.union && !layout.is_bits() => {
                for field in layout.fields {
                    self.place(at + field.offset as u64, field.ty);
                }
            }
            CType::Int => {
                if let Some(mark) = SHORT_MARKS.next().filter(|mark| write(at, &mark.to_ne_bytes())) {
                    self.marks.push((self.param, HotArg::Int(mark.into())));
                }
            }
            CType::Long
            | CType::Reference(_)
            | CType::Method
            | CType::Field
            | CType::Monitor
            | CType::Pointer(_) => {
                let mark = OUTPUT << 48 | (self.next & 0xffff) << 32 | u64::from(self.call);
                self.next += 1;
                if write(at, &mark.to_ne_bytes()) {
                    let value = if ty == CType::Long {
                        HotArg::Int(mark.cast_signed())
                    } else {
                        HotArg::Pointer(mark)
                    };
                    self.marks.push((self.param, value));
                }
            }
            _ => {}
        }
    }
}

/// Writes where the agent said that there is room: that may be wrong.
fn write(at: u64, bytes: &[u8]) -> bool {
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

/// Fills memory that has been deallocated with the mark of that call. Gives the mark.
///
/// # Safety
/// The memory has to be of that size, and nobody's.
pub unsafe fn fill((at, size): Sized, call: u32) -> u64 {
    let mark = MEMORY << 48 | u64::from(call);
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::write(at, &pattern(mark, size)) };
    mark
}

/// How far behind the beginning of memory that was filled with a mark something else stands.
///
/// # Safety
/// The memory has to be readable.
pub unsafe fn changed((at, size): Sized, mark: u64) -> Option<usize> {
    // SAFETY: the caller vouches for the memory.
    let now = unsafe { memory::borrowed(at, size) };
    now.iter().zip(pattern(mark, size)).position(|(now, then)| *now != then)
}

fn pattern(mark: u64, size: usize) -> Vec<u8> {
    mark.to_ne_bytes().into_iter().cycle().take(size).collect()
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
