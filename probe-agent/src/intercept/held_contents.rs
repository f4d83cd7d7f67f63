//! Counts the strings and arrays whose contents native code gets by JNI, and those that it releases; and tells whether it releases
//! contents twice, or by the function for others.

use jvmti_wire::trace::{Body, NativeCode};
use smallvec::SmallVec;

use super::call_sites;

/// The number of addresses of contents that are remembered.
const MOST: usize = 64;

/// Contents that native code has got.
#[derive(Clone, Copy)]
struct Contents {
    at: u64,
    /// Index of the function that got them.
    function: usize,
    /// How many times they were got and not released: a JVM may give the same address for the same array.
    alive: u32,
}

/// What native code has got and released since it was entered.
#[derive(Default)]
pub struct HeldContents {
    got: u32,
    released: u32,
    contents: SmallVec<[Contents; 4]>,
    /// The address that was released last.
    last: u64,
    /// Index of the function that got the first ones, and where the call returns to.
    first: Option<(u16, u64)>,
    /// Whether it was recorded that a thread holds many.
    told: bool,
}

/// If a thread of an agent holds so many at a time, this is recorded, and again if it holds less than half of them.
const MANY: u32 = 64;

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

    /// The JNI function of that index has returned contents.
    pub fn given(&mut self, function: usize, at: u64) {
        let is_it = |known: &&mut Contents| (known.at, known.function) == (at, function);
        if let Some(known) = self.contents.iter_mut().find(is_it) {
            known.alive = known.alive.saturating_add(1);
            return;
        }
        if self.contents.len() == MOST {
            self.contents.remove(0);
        }
        self.contents.push(Contents { at, function, alive: 1 });
    }

    /// The JNI function of that index is about to release contents. Whether they have been released before, or it is not for them.
    pub fn is_misuse(&mut self, index: usize, at: u64) -> bool {
        let Some(function) = gotten_by(index) else { return false };
        self.last = at;
        let is_other = |known: &Contents| known.at == at && known.function != function && known.alive > 0;
        let others = self.contents.iter().any(is_other);
        let is_it = |known: &&mut Contents| (known.at, known.function) == (at, function);
        match self.contents.iter_mut().find(is_it) {
            Some(known) if known.alive > 0 => {
                known.alive -= 1;
                false
            }
            Some(_) => true,
            // Other native code may have got them.
            None => others,
        }
    }

    /// The release that was told last has released nothing: it has only copied the contents back.
    pub fn committed(&mut self) {
        self.released = self.released.saturating_sub(1);
        let last = self.last;
        let known = self.contents.iter_mut().filter(|known| known.at == last);
        known.for_each(|known| known.alive = known.alive.saturating_add(1));
    }

    /// What is to be recorded of a thread that goes on.
    pub fn grown(&mut self) -> Option<Body> {
        let held = self.got.saturating_sub(self.released);
        let is_news = if self.told { held < MANY / 2 } else { held >= MANY };
        self.told ^= is_news;
        is_news.then(|| self.kept())
    }

    /// What is to be recorded when a callback returns, or a thread ends.
    pub fn at_return(&self) -> Option<Body> {
        (self.got != self.released || self.told).then(|| self.kept())
    }

    fn kept(&self) -> Body {
        let (function, site) = match self.first {
            Some((function, caller)) => (function, call_sites::number(caller)),
            None => (0, 0),
        };
        Body::Native(NativeCode::ContentsKept { function, site, got: self.got, released: self.released })
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
pub fn releases(index: usize) -> bool {
    gotten_by(index).is_some()
}

/// The function that gets what the one of that index releases.
fn gotten_by(index: usize) -> Option<usize> {
    match index {
        166 => Some(165),
        170 => Some(169),
        191..=198 => Some(index - 8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_released_once_and_by_their_function() {
        let mut held = HeldContents::default();
        // Somebody else has got them.
        assert!(!held.is_misuse(170, 0x7000));
        held.given(169, 0x7000);
        assert!(held.is_misuse(166, 0x7000));
        assert!(!held.is_misuse(170, 0x7000));
        assert!(held.is_misuse(170, 0x7000));
        held.given(169, 0x7000);
        assert!(!held.is_misuse(170, 0x7000));
        // The same address twice, copied back once.
        held.given(187, 0x8000);
        held.given(187, 0x8000);
        assert!(!held.is_misuse(195, 0x8000));
        held.committed();
        assert!(!held.is_misuse(195, 0x8000) && !held.is_misuse(195, 0x8000) && held.is_misuse(195, 0x8000));
    }

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
