//! Memory of which it is not known whether it is there.

use std::ops::Range;
use std::ptr::{null_mut, with_exposed_provenance};

use windows_sys::Win32::System::Diagnostics::Debug::{ReadProcessMemory, WriteProcessMemory};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

/// Copies the words from that address on, up to the first one that cannot be read.
pub(crate) fn read_words(at: usize, words: &mut [usize]) {
    for (index, word) in words.iter_mut().enumerate() {
        let from = with_exposed_provenance(at + index * size_of::<usize>());
        let mut read = 0usize;
        // SAFETY: the system reads only where there is memory, and writes no more than the word.
        let done = unsafe {
            let into = (&raw mut read).cast();
            ReadProcessMemory(GetCurrentProcess(), from, into, size_of::<usize>(), null_mut())
        };
        if done == 0 {
            return;
        }
        *word = read;
    }
}

/// None are read: nobody needs it, as agents are not recorded here.
pub(crate) fn read(_at: u64, _length: usize) -> Option<Vec<u8>> {
    None
}

/// It is not known: nobody needs it, as agents are not recorded here.
pub(crate) fn executable() -> Option<Vec<Range<usize>>> {
    None
}

/// Writes the bytes to that address. `false`: this process may not write there.
pub(crate) fn write(at: u64, bytes: &[u8]) -> bool {
    let to = with_exposed_provenance(at as usize);
    // SAFETY: the system reads from our bytes, and writes only where there is memory.
    let done = unsafe {
        WriteProcessMemory(GetCurrentProcess(), to, bytes.as_ptr().cast(), bytes.len(), null_mut())
    };
    done != 0
}
