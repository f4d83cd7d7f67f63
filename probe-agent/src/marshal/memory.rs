//! Memory that is shared with the VM: the blocks a call owns, and typed access by address.

use std::ffi::c_char;

use crate::ffi::CType;
use crate::ffi::raw::{Bits, jboolean};

/// What output storage is filled with, so that one can tell whether the VM wrote to it.
const PATTERN: u8 = 0xA5;
/// Bytes that may be written or read beyond the end of a block without harm to the process.
const MARGIN: usize = 64;
/// Longest C string that is read, in bytes.
const LONGEST_STRING: usize = 1 << 20;

/// Blocks of memory that stay where they are until the arena goes.
#[derive(Debug, Default)]
pub(super) struct Arena {
    blocks: Vec<*mut [u64]>,
}

// SAFETY: the arena alone owns its blocks.
unsafe impl Send for Arena {}

impl Arena {
    /// A block of that many bytes, all of one value, aligned for every C type. Gives its address.
    fn block(&mut self, bytes: usize, fill: u8) -> u64 {
        let words = bytes.saturating_add(MARGIN).div_ceil(size_of::<u64>());
        let block = Box::into_raw(vec![u64::from_ne_bytes([fill; 8]); words].into_boxed_slice());
        self.blocks.push(block);
        block.cast::<u8>().expose_provenance() as u64
    }

    /// A block of zeros.
    pub(super) fn zeroed(&mut self, bytes: usize) -> u64 {
        self.block(bytes, 0)
    }

    /// A block whose content is recognised by [`is_untouched`].
    pub(super) fn patterned(&mut self, bytes: usize) -> u64 {
        self.block(bytes, PATTERN)
    }

    /// A block that begins with this content and goes on with zeros.
    pub(super) fn holding(&mut self, content: &[u8]) -> u64 {
        let at = self.block(content.len(), 0);
        // SAFETY: the block is new and at least as long as the content.
        unsafe { pointer(at).copy_from_nonoverlapping(content.as_ptr(), content.len()) };
        at
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for block in self.blocks.drain(..) {
            // SAFETY: it came from `Box::into_raw` and is freed once.
            drop(unsafe { Box::from_raw(block) });
        }
    }
}

fn pointer(at: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(at as usize)
}

/// Reads a value of that type as bits, as [`crate::ffi::RawArg`] has them.
///
/// # Safety
/// Memory of the type's size has to be readable at the address.
pub(super) unsafe fn load(at: u64, ty: CType) -> u64 {
    let at = pointer(at);
    // SAFETY: the caller vouches for the memory; alignment is not asked for.
    unsafe {
        match ty {
            CType::Char => at.cast::<c_char>().read().bits(),
            CType::Boolean | CType::UnsignedChar => at.cast::<jboolean>().read().bits(),
            CType::Byte => at.cast::<i8>().read().bits(),
            CType::JChar => at.cast::<u16>().read_unaligned().bits(),
            CType::Short => at.cast::<i16>().read_unaligned().bits(),
            CType::Float => at.cast::<f32>().read_unaligned().bits(),
            CType::Int | CType::Enum(_) => at.cast::<i32>().read_unaligned().bits(),
            CType::Long | CType::Double | CType::JValue => at.cast::<u64>().read_unaligned(),
            CType::Void | CType::Opaque(_) | CType::Varargs | CType::Struct(_) => 0,
            _ => at.cast::<usize>().read_unaligned() as u64,
        }
    }
}

/// Writes the bits of a value of that type.
///
/// # Safety
/// Memory of the type's size has to be writable at the address.
pub(super) unsafe fn store(at: u64, ty: CType, bits: u64) {
    let bytes = match ty.size() {
        // The low bytes stand first or last, by the platform's order.
        size @ 1..8 if cfg!(target_endian = "big") => bits << (64 - 8 * size),
        _ => bits,
    }
    .to_ne_bytes();
    // SAFETY: the caller vouches for the memory; structures, longer than 8 bytes, are not stored as bits.
    unsafe { pointer(at).copy_from_nonoverlapping(bytes.as_ptr(), ty.size().min(bytes.len())) };
}

/// Reads raw memory.
///
/// # Safety
/// That many bytes have to be readable at the address.
pub(super) unsafe fn bytes(at: u64, length: usize) -> Vec<u8> {
    // SAFETY: the caller vouches for the memory.
    unsafe { std::slice::from_raw_parts(pointer(at), length) }.to_vec()
}

/// Reads a pointer as bits.
///
/// # Safety
/// A pointer has to be readable at the address.
pub(crate) unsafe fn load_pointer(at: u64) -> u64 {
    // SAFETY: the caller vouches for it.
    unsafe { load(at, CType::Pointer(&CType::Void)) }
}

/// Reads raw memory as words, the last one filled up with zeros.
///
/// # Safety
/// That many bytes have to be readable at the address.
pub(crate) unsafe fn copied(at: u64, length: usize) -> Vec<u64> {
    let mut words = vec![0u64; length.div_ceil(size_of::<u64>())];
    // SAFETY: the caller vouches for the memory; the words have room for it.
    unsafe { words.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(pointer(at), length) };
    words
}

/// Writes raw memory.
///
/// # Safety
/// As many bytes as there are have to be writable at the address.
pub(super) unsafe fn write(at: u64, content: &[u8]) {
    // SAFETY: the caller vouches for the memory, which is none that Rust has borrowed.
    unsafe { pointer(at).copy_from_nonoverlapping(content.as_ptr(), content.len()) };
}

/// Reads a C string without its terminator; one that does not end is cut.
///
/// # Safety
/// There has to be a terminated string at the address.
pub(crate) unsafe fn c_string(at: u64) -> Vec<u8> {
    let start = pointer(at);
    // SAFETY: nothing beyond the terminator is read.
    let is_content = |i: &usize| unsafe { start.add(*i).read() } != 0;
    let length = (0..LONGEST_STRING).take_while(is_content).count();
    // SAFETY: that much has just been read.
    unsafe { bytes(at, length) }
}

/// Memory that stays as it is for as long as what borrows it is used.
///
/// # Safety
/// That many bytes have to be readable at the address, for that long.
pub(crate) unsafe fn borrowed<'a>(at: u64, length: usize) -> &'a [u8] {
    // SAFETY: the caller vouches for the memory.
    unsafe { std::slice::from_raw_parts(pointer(at), length) }
}

/// As [`borrowed`], for a C string without its terminator.
///
/// # Safety
/// There has to be a terminated string at the address, for that long.
pub(crate) unsafe fn borrowed_c_string<'a>(at: u64) -> &'a [u8] {
    // SAFETY: the caller vouches for the string.
    let string = unsafe { std::ffi::CStr::from_ptr(pointer(at).cast()) }.to_bytes();
    string.get(..LONGEST_STRING).unwrap_or(string)
}

/// Whether patterned memory is as it was.
///
/// # Safety
/// That many bytes have to be readable at the address.
pub(super) unsafe fn is_untouched(at: u64, length: usize) -> bool {
    // SAFETY: the caller vouches for the memory.
    length > 0
        && unsafe { std::slice::from_raw_parts(pointer(at), length) }.iter().all(|byte| *byte == PATTERN)
}

/// Reads patterned memory up to the last byte that was written.
///
/// # Safety
/// That many bytes have to be readable at the address.
pub(super) unsafe fn touched_bytes(at: u64, length: usize) -> Vec<u8> {
    // SAFETY: the caller vouches for the memory.
    let mut content = unsafe { bytes(at, length) };
    content.truncate(content.iter().rposition(|byte| *byte != PATTERN).map_or(0, |last| last + 1));
    content
}

/// What a value of that type keeps of these bits, as C converts.
pub(super) fn cut(ty: CType, bits: u64) -> u64 {
    match ty {
        CType::Char => c_char::of_bits(bits).bits(),
        CType::Boolean | CType::UnsignedChar => jboolean::of_bits(bits).bits(),
        CType::Byte => i8::of_bits(bits).bits(),
        CType::JChar => u16::of_bits(bits).bits(),
        CType::Short => i16::of_bits(bits).bits(),
        CType::Int | CType::Enum(_) => i32::of_bits(bits).bits(),
        CType::Float => f32::of_bits(bits).bits(),
        _ => bits,
    }
}
