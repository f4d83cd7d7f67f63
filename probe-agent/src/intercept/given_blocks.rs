//! Remembers memory that calls have given to agents, so that the probe sees when an agent passes it to another allocator.

use std::sync::atomic::{AtomicU64, Ordering};

use super::key_table::hash;

/// The number of blocks that it can remember, a power of two. A new one takes the place of one with the same hash.
const MOST: usize = 1 << 14;

/// Their addresses, each at its hash; 0: none. Stand-ins for `free` use it, so that it neither locks nor allocates.
static BLOCKS: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];

fn entry(at: u64) -> &'static AtomicU64 {
    &BLOCKS[hash(at, MOST.trailing_zeros()) % MOST]
}

/// A call has given the block to an agent.
pub fn given(at: u64) {
    entry(at).store(at, Ordering::Relaxed);
}

/// The block is about to be deallocated, belongs to the JVM, or goes to another allocator. The result tells whether it was remembered.
#[inline]
pub fn ended(at: u64) -> bool {
    let entry = entry(at);
    let is_it = at != 0 && entry.load(Ordering::Relaxed) == at;
    if is_it {
        // A block has one owner. If another one has just taken its place, that one is forgotten.
        entry.store(0, Ordering::Relaxed);
    }
    is_it
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_remembered_until_it_ends() {
        given(0x7000_1230);
        assert!(!ended(0x7000_1240) && !ended(0));
        assert!(ended(0x7000_1230));
        assert!(!ended(0x7000_1230));
    }
}
