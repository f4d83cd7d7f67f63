//! Records what native code of an agent does wrong with JNI, or has to do again, where its local references are followed.

use jvmti_wire::trace::{Body, JniMisuse, NativeCode};

use super::{Native, innermost, is_running, note};
use crate::intercept::{call_sites, held_contents, jni_ids};
use crate::recording::record;
use crate::vm::jni::Jni;

/// Records that the innermost native code misuses JNI, if it does.
pub fn judge(index: usize, args: [u64; 3], caller: u64) {
    let Some(jni) = Jni::current() else { return };
    let forbidden = innermost(|native| native.critical.misuse(jni, index, args[0]));
    let misuse = forbidden.or_else(|| jni_ids::misuse(jni, index, args, caller)).filter(|_| is_running());
    let misuse = misuse.or_else(|| wrong_release(index, args[1]));
    if let Some(misuse) = misuse {
        let site = call_sites::number(caller);
        call_sites::record_misuse(caller);
        record(&Body::JniMisused { function: index as u16, site, misuse });
    }
    if let Some(entered) = innermost(|native| native.critical.used(index)) {
        record(&Body::Native(NativeCode::CriticalRegion { entered }));
    }
    if held_contents::matters(index) && is_running() {
        note(|native| native.contents.used(index, caller));
    }
}

/// The native code is about to release contents of a string or an array, unless the function of that index does something else.
fn wrong_release(index: usize, at: u64) -> Option<JniMisuse> {
    let is_release = held_contents::releases(index) && is_running();
    let misuse = |native: &mut Native| native.contents.is_misuse(index, at).then_some(JniMisuse::Contents);
    is_release.then(|| innermost(misuse)).flatten()
}

/// The native code has got contents of a string or an array.
pub fn contents_given(index: usize, at: u64) {
    if is_running() {
        note(|native| native.contents.given(index, at));
    }
}

/// The native code has pushed a local frame, or is about to pop one.
pub fn frame(pushed: bool) {
    if is_running() {
        record(&Body::Native(NativeCode::LocalFrame { pushed }));
    }
}

/// The native code has copied the contents of an array back, and keeps the memory that it got for them.
pub fn committed() {
    if is_running() {
        note(|native| native.contents.committed());
    }
}
