//! Remembers references that native code has got or passed to JNI functions, so that a record tells only of others. Whether a
//! use is wrong is for the harness to judge.

use std::sync::atomic::AtomicU32;

use jvmti_wire::trace::{Body, NativeCode};

use super::count::take;
use super::{call_sites, global_references};
use crate::recording::record;

/// A power of two: native code rarely has more references at a time, and what is forgotten costs a record.
const PLACES: usize = 16;

/// The probe records this many uses at most.
const MOST: u32 = 1 << 16;

/// The references, each at the place that its value says.
#[derive(Clone, Copy, Default)]
pub struct UsedReferences([u64; PLACES]);

impl UsedReferences {
    fn place(&mut self, handle: u64) -> &mut u64 {
        // JVMs align them to words.
        &mut self.0[(handle >> 3) as usize % PLACES]
    }

    /// The native code has got the reference, or a record has told of its use.
    pub fn got(&mut self, handle: u64) {
        *self.place(handle) = handle;
    }

    /// The reference has ended.
    pub fn lost(&mut self, handle: u64) {
        let place = self.place(handle);
        if *place == handle {
            *place = 0;
        }
    }

    /// Whether a record has to tell of the use of the reference.
    pub fn is_news(&mut self, handle: u64) -> bool {
        *self.place(handle) != handle || global_references::is_deleted(handle)
    }
}

/// Records that the native code of an agent passes a reference to the JNI function of that index.
#[cold]
pub fn record_use(index: usize, handle: u64, caller: u64) {
    static RECORDED: AtomicU32 = AtomicU32::new(0);
    if take(&RECORDED, u32::MAX, MOST).is_some() {
        let (function, site) = (index as u16, call_sites::number(caller));
        record(&Body::Native(NativeCode::ReferenceUsed { function, site, handle }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_remembered_is_news() {
        let mut used = UsedReferences::default();
        assert!(used.is_news(0x7f00));
        used.got(0x7f00);
        used.got(0x7f08);
        assert!(!used.is_news(0x7f00) && !used.is_news(0x7f08) && used.is_news(0x7f10));
        used.lost(0x7f10);
        used.lost(0x7f08);
        assert!(!used.is_news(0x7f00) && used.is_news(0x7f08));
        // The later one takes the place.
        used.got(0x7f00 + 8 * PLACES as u64);
        assert!(used.is_news(0x7f00));
    }
}
