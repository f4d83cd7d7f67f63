//! Tells uses of JNI that the state of the thread forbids: while an exception is pending, and in critical regions; and texts that are
//! not what JNI takes.

use std::ffi::{CStr, c_char};

use jvmti_wire::trace::JniMisuse;

use super::poison;
use crate::ffi::RawArg;
use crate::vm::jni::Jni;

/// Critical regions that the native code of an agent is in, and whether an exception is pending.
#[derive(Default)]
pub struct CriticalRegions {
    depth: u32,
    /// It has used JNI with an exception pending, and goes on to do so.
    is_told: bool,
}

impl CriticalRegions {
    /// What is wrong with the use of the JNI function of that index with that argument.
    pub fn misuse(&mut self, jni: Jni, index: usize, argument: u64) -> Option<JniMisuse> {
        if self.depth > 0 {
            return (!begins(index) && !ends(index)).then_some(JniMisuse::CriticalRegion);
        }
        if takes_text(index) && poison::is_deallocated(argument) {
            return Some(JniMisuse::Deallocated);
        }
        if makes_string(index) && !is_modified_utf8(argument) {
            return Some(JniMisuse::Text);
        }
        if is_safe(index) {
            self.is_told &= index != EXCEPTION_CLEAR;
            return None;
        }
        // One that goes on with the same exception pending has the same cause.
        let was_told = std::mem::replace(&mut self.is_told, jni.exception_pending());
        (self.is_told && !was_told).then_some(JniMisuse::ExceptionPending)
    }

    /// The function of that index is used. The result tells whether native code enters its outermost region, or leaves it.
    pub fn used(&mut self, index: usize) -> Option<bool> {
        let before = self.depth;
        if begins(index) {
            self.depth = before.saturating_add(1);
        } else if ends(index) {
            self.depth = before.saturating_sub(1);
        }
        ((before > 0) != (self.depth > 0)).then_some(self.depth > 0)
    }
}

const EXCEPTION_CLEAR: usize = 17;

/// Whether the first argument is text in memory of the caller: DefineClass, FindClass, FatalError, NewStringUTF.
fn takes_text(index: usize) -> bool {
    matches!(index, 5 | 6 | 18 | 167)
}

/// FindClass and NewStringUTF: what the other functions that take text do with it does not matter.
fn makes_string(index: usize) -> bool {
    matches!(index, 6 | 167)
}

/// Whether the text at that address is modified UTF-8. None at all is for the JVM to judge.
fn is_modified_utf8(address: u64) -> bool {
    let text = RawArg(address).pointer().cast::<c_char>();
    // SAFETY: native code passes it to a function that takes terminated text.
    text.is_null() || is_well_formed(unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// Whether each character has as many bytes as its first one says, and no more than three.
fn is_well_formed(text: &[u8]) -> bool {
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let more = match *first {
            0x00..=0x7f => 0,
            0xc0..=0xdf => 1,
            0xe0..=0xef => 2,
            _ => return false,
        };
        let Some((others, next)) = after.split_at_checked(more) else { return false };
        if others.iter().any(|byte| byte & 0xc0 != 0x80) {
            return false;
        }
        rest = next;
    }
    true
}

/// GetPrimitiveArrayCritical and GetStringCritical.
fn begins(index: usize) -> bool {
    matches!(index, 222 | 224)
}

/// ReleasePrimitiveArrayCritical and ReleaseStringCritical.
fn ends(index: usize) -> bool {
    matches!(index, 223 | 225)
}

/// Whether the function may be called while an exception is pending.
fn is_safe(index: usize) -> bool {
    matches!(
        index,
        15..=20 // ExceptionOccurred, -Describe, -Clear, FatalError, PushLocalFrame, PopLocalFrame
        | 22 | 23 | 227 // deletion of references
        | 166 | 170 | 191..=198 | 223 | 225 // release of strings and arrays
        | 218 | 228 // MonitorExit, ExceptionCheck
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_modified_utf8() {
        // A null character, and a character of two surrogates.
        let right: [&[u8]; 4] =
            [b"", b"java/lang/String", b"caf\xc3\xa9 \xc0\x80", b"\xed\xa0\xbd\xed\xb8\x80"];
        assert!(right.into_iter().all(is_well_formed));
        // UTF-8 of a character beyond U+FFFF, Latin-1, and half a character.
        let wrong: [&[u8]; 4] = [b"\xf0\x9f\x98\x80", b"caf\xe9", b"caf\xe9 au lait", b"\xe2\x82"];
        assert!(!wrong.into_iter().any(is_well_formed));
    }

    #[test]
    fn regions_nest() {
        let mut regions = CriticalRegions::default();
        let changes = [222, 224, 31, 225, 223, 223].map(|index| regions.used(index));
        assert_eq!(changes, [Some(true), None, None, None, Some(false), None]);
    }
}
