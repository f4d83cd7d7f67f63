//! Values that mean nothing and are recognised: poison (see [`super::poison`]) consists of them.

/// Begins the marks in outputs.
pub(super) const OUTPUT: u64 = 0xbad0;
/// Begins the marks in memory.
pub(super) const MEMORY: u64 = 0xbadf;

/// Whether a word is a mark.
pub(super) fn is_mark(word: u64) -> bool {
    matches!(word >> 48, OUTPUT | MEMORY)
}
