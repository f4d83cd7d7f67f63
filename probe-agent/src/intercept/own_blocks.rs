//! Remembers where memory lies that agents have allocated by the C library, in recordings that poison.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::key_table::hash;
use crate::os::memory;

/// The number of blocks that it can remember. A new one takes the place of one with the same hash, which is then not known any more.
const MOST: usize = 1 << 16;

/// Their addresses, each at its hash; 0: none. The stand-ins for `malloc` and `free` use it, so that it neither locks nor allocates.
static BLOCKS: OnceLock<Box<[AtomicU64]>> = OnceLock::new();

/// Begins to remember blocks.
pub fn begin() {
    BLOCKS.get_or_init(|| (0..MOST).map(|_| AtomicU64::new(0)).collect());
}

fn entry(at: u64) -> Option<&'static AtomicU64> {
    BLOCKS.get()?.get(hash(at, MOST.trailing_zeros()))
}

/// An agent has allocated the block there.
pub fn allocated(at: u64) {
    if let Some(entry) = entry(at) {
        entry.store(at, Ordering::Relaxed);
    }
}

/// An agent is about to free the block there.
pub fn freed(at: u64) {
    let _ = entry(at).map(|entry| entry.compare_exchange(at, 0, Ordering::Relaxed, Ordering::Relaxed));
}

/// The size of the block there, if an agent has allocated it and not freed it. Another library may have freed it, so the C library's own
/// note of the size is read as memory that may be gone.
pub fn size(at: u64) -> Option<u64> {
    const FLAGS: u64 = 7;
    const MAPPED: u64 = 2;
    /// The notes before a block, of which that of the size is the last one.
    const NOTE: u64 = size_of::<u64>() as u64;
    entry(at).filter(|entry| at != 0 && entry.load(Ordering::Relaxed) == at)?;
    let note = memory::read(at.checked_sub(NOTE)?, size_of::<u64>())?;
    let note = u64::from_ne_bytes(note.try_into().ok()?);
    // A block that has pages of its own begins with two notes. Any other one reaches into the first note of the next.
    let notes = if note & MAPPED == 0 { NOTE } else { 2 * NOTE };
    (note & !FLAGS).checked_sub(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_env = "gnu")]
    #[test]
    fn the_size_of_a_block_is_that_of_the_c_library() {
        begin();
        for asked in [1usize, 24, 25, 64, 4096, 1 << 20] {
            // SAFETY: asks for memory, and how much it is, and frees it.
            let (at, usable) = unsafe {
                let at = libc::malloc(asked);
                (at, libc::malloc_usable_size(at))
            };
            let address = at.expose_provenance() as u64;
            assert_eq!(size(address), None);
            allocated(address);
            assert_eq!(size(address), Some(usable as u64));
            freed(address);
            assert_eq!(size(address), None);
            // SAFETY: nobody else has it.
            unsafe { libc::free(at) };
        }
    }
}
