//! The numbers of the calls that agents make.

use std::cell::Cell;

use crate::recording::{next_call, next_calls};

thread_local! {
    /// The range of numbers for this thread's next calls.
    static NUMBERS: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
}

/// The number of the next call, unique in the trace. A thread reserves many numbers at a time.
pub fn next() -> u32 {
    const MANY: u32 = 64;
    NUMBERS
        .try_with(|numbers| {
            let (next, end) = numbers.get();
            let (next, end) = if next == end {
                let first = next_calls(MANY);
                (first, first.wrapping_add(MANY))
            } else {
                (next, end)
            };
            numbers.set((next.wrapping_add(1), end));
            next
        })
        .unwrap_or_else(|_| next_call())
}
