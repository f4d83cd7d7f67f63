//! Frames: how a record lies in the log.
//!
//! A frame begins at a multiple of 8 with a word that holds its length and a tag. The tag depends on where the frame
//! lies, how long it is and what state it is in, so that a reader can tell a frame from other bytes anywhere in the
//! log. What follows a record's word is a checksum and the encoded record.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Bytes of the word that begins a frame.
pub(super) const WORD: usize = 8;
/// Bytes of the checksum that begins a record.
pub(super) const CHECK: usize = 4;

/// State of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// A writer is at work on it, or was when its process ended.
    Reserved = 1,
    /// It holds a whole record.
    Committed = 2,
    /// It holds nothing.
    Padding = 3,
}

/// Bytes that a frame takes whose word is followed by `len` bytes.
pub(super) fn size(len: u32) -> u64 {
    (WORD as u64 + u64::from(len)).next_multiple_of(8)
}

/// The word of a frame.
pub(super) fn word(offset: u64, len: u32, state: State) -> u64 {
    u64::from(len) | u64::from(tag(offset, len).wrapping_add(state as u32)) << 32
}

/// Length and state of the frame at `offset`, if `word` is the word of one.
pub(super) fn parse(offset: u64, word: u64) -> Option<(u32, State)> {
    let len = word as u32;
    let state = match ((word >> 32) as u32).wrapping_sub(tag(offset, len)) {
        1 => State::Reserved,
        2 => State::Committed,
        3 => State::Padding,
        _ => return None,
    };
    Some((len, state))
}

/// Every byte of offset and length reaches every byte of it: a word in which two bytes are damaged is no word.
fn tag(offset: u64, len: u32) -> u32 {
    let product =
        u128::from(offset ^ 0x6a76_6d74_6900_0001) * u128::from(u64::from(len) ^ 0x9e37_79b9_7f4a_7c15);
    ((product >> 64) as u64 ^ product as u64) as u32
}

/// Checksum of the encoded record of the frame at `offset`.
pub(super) fn check(offset: u64, payload: &[u8]) -> u32 {
    xxh3_64_with_seed(payload, offset) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_word_says_what_it_was_made_of(offset: u64, len: u32) {
            for state in [State::Reserved, State::Committed, State::Padding] {
                let word = word(offset, len, state);
                prop_assert_eq!(parse(offset, word), Some((len, state)));
                prop_assert_ne!(parse(offset.wrapping_add(8), word), Some((len, state)));
            }
        }
    }

    #[test]
    fn a_word_with_two_damaged_bytes_is_that_of_no_other_length() {
        let (offset, len) = (256, 20);
        let whole = word(offset, len, State::Committed);
        let damaged = |byte: usize, value: u64, word: u64| word & !(0xff << (8 * byte)) | value << (8 * byte);
        for (first, second) in (0..8).flat_map(|first| (0..first).map(move |second| (first, second))) {
            for values in 0..1 << 16 {
                let word = damaged(first, values >> 8, damaged(second, values & 0xff, whole));
                assert!(parse(offset, word).is_none_or(|(found, _)| found == len), "{word:#018x}");
            }
        }
    }

    #[test]
    fn zeros_are_no_frame_in_any_file() {
        assert!((0..1 << 20).all(|i| parse(i * 8, 0).is_none()));
    }

    /// Traces have to stay readable: `FORMAT` has to change along with these.
    #[test]
    fn words_and_checksums_stay_as_they_are() {
        assert_eq!(word(256, 20, State::Reserved), 0x49d7_1579_0000_0014);
        assert_eq!(word(256, 20, State::Committed), 0x49d7_157a_0000_0014);
        assert_eq!(word(1 << 40, 8 << 20, State::Padding), 0x5f06_9592_0080_0000);
        assert_eq!(check(0, b"abc"), 0x892f_3950);
    }
}
