//! Tells uses of JNI that the state of the thread forbids: while an exception is pending, and in critical regions.

use jvmti_wire::trace::JniMisuse;

use super::poison;
use crate::vm::jni::Jni;

/// Critical regions that the native code of an agent is in.
#[derive(Default)]
pub struct CriticalRegions(u32);

impl CriticalRegions {
    /// What is wrong with the use of the JNI function of that index with that argument.
    pub fn misuse(&self, jni: Jni, index: usize, argument: u64) -> Option<JniMisuse> {
        if self.0 > 0 {
            return (!begins(index) && !ends(index)).then_some(JniMisuse::CriticalRegion);
        }
        if takes_text(index) && poison::is_deallocated(argument) {
            return Some(JniMisuse::Deallocated);
        }
        (!is_safe(index) && jni.exception_pending()).then_some(JniMisuse::ExceptionPending)
    }

    /// The function of that index is used. The result tells whether native code enters its outermost region, or leaves it.
    pub fn used(&mut self, index: usize) -> Option<bool> {
        let before = self.0;
        if begins(index) {
            self.0 = self.0.saturating_add(1);
        } else if ends(index) {
            self.0 = self.0.saturating_sub(1);
        }
        ((before > 0) != (self.0 > 0)).then_some(self.0 > 0)
    }
}

/// Whether the first argument is text in memory of the caller: DefineClass, FindClass, FatalError, NewStringUTF.
fn takes_text(index: usize) -> bool {
    matches!(index, 5 | 6 | 18 | 167)
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
    fn regions_nest() {
        let mut regions = CriticalRegions::default();
        let changes = [222, 224, 31, 225, 223, 223].map(|index| regions.used(index));
        assert_eq!(changes, [Some(true), None, None, None, Some(false), None]);
    }
}
