//! Counts the strings and arrays whose contents native code gets by JNI, and those that it releases.

use jvmti_wire::trace::{Body, NativeCode};

use super::call_sites;

/// What native code has got and released since it was entered.
#[derive(Default)]
pub struct HeldContents {
    got: u32,
    released: u32,
    /// Index of the function that got the first ones, and where the call returns to.
    first: Option<(u16, u64)>,
}

impl HeldContents {
    /// The JNI function of that index is used.
    pub fn used(&mut self, index: usize, caller: u64) {
        if gets(index) {
            self.got = self.got.saturating_add(1);
            self.first.get_or_insert((index as u16, caller));
        } else if releases(index) {
            self.released = self.released.saturating_add(1);
        }
    }

    /// The release that was told last has released nothing: it has only copied the contents back.
    pub fn committed(&mut self) {
        self.released = self.released.saturating_sub(1);
    }

    /// What is to be recorded when a callback returns.
    pub fn at_return(&self) -> Option<Body> {
        let (function, site) = match self.first {
            _ if self.got == self.released => return None,
            Some((function, caller)) => (function, call_sites::number(caller)),
            None => (0, 0),
        };
        Some(Body::Native(NativeCode::ContentsKept {
            function,
            site,
            got: self.got,
            released: self.released,
        }))
    }
}

/// Whether the JNI function of that index gets contents, or releases them.
pub fn matters(index: usize) -> bool {
    gets(index) || releases(index)
}

/// GetStringChars, GetStringUTFChars, `Get…ArrayElements`
fn gets(index: usize) -> bool {
    matches!(index, 165 | 169 | 183..=190)
}

/// The functions that release what those get.
fn releases(index: usize) -> bool {
    matches!(index, 166 | 170 | 191..=198)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_kept_is_recorded() {
        let mut held = HeldContents::default();
        assert_eq!(held.at_return(), None);
        held.used(23, 7);
        held.used(170, 7);
        let released = Body::Native(NativeCode::ContentsKept { function: 0, site: 0, got: 0, released: 1 });
        assert_eq!(held.at_return(), Some(released));
        held.used(169, 7);
        assert_eq!(held.at_return(), None);
        // Copied back, but not released.
        held.used(187, 7);
        held.used(195, 7);
        held.committed();
        assert!(held.at_return().is_some());
    }
}
