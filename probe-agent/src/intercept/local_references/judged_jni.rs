//! Records what native code of an agent does wrong with JNI, or has to do again, where its local references are followed.

use jvmti_wire::trace::{Body, JniMisuse, NativeCode};

use super::{Native, innermost, is_running, note};
use crate::intercept::{call_sites, held_contents, jni_ids};
use crate::recording::record;
use crate::vm::jni::{Jni, Ref};

/// `JNIWeakGlobalRefType`
const WEAK: i32 = 3;

/// Nobody nests so many local frames.
const MANY_FRAMES: u32 = 64;

/// Records that the innermost native code misuses JNI, if it does. `is_news`: it has not got the reference that it passes first, as far as
/// the probe remembers.
pub fn judge(index: usize, args: [u64; 3], caller: u64, is_news: bool) {
    let Some(jni) = Jni::current() else { return };
    let forbidden = innermost(|native| native.critical.misuse(jni, index, args[0]));
    let cleared = forbidden.is_none() && is_news && is_cleared(jni, index, args[0]);
    let forbidden = forbidden.or(cleared.then_some(JniMisuse::Cleared));
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
        let grown = innermost(|native| if native.is_thread() { native.contents.grown() } else { None });
        grown.iter().for_each(record);
    }
}

/// Whether the JNI function of that index must not be passed null, and the reference is a weak global one whose object is gone.
fn is_cleared(jni: Jni, index: usize, handle: u64) -> bool {
    // NewGlobalRef, IsSameObject, NewLocalRef, IsInstanceOf, NewWeakGlobalRef; critical sections are left alone.
    let takes_null = matches!(index, 21 | 24 | 25 | 32 | 222..=226);
    let reference = Ref::from_word(handle);
    // Exceptions and critical regions have been ruled out: these may be used.
    !takes_null
        && !jni.exception_pending()
        && jni.reference_type(reference) == WEAK
        && jni.is_same(reference, Ref::NULL)
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

/// The native code is about to push a local frame. On a thread of its own, nothing pops what it leaves.
pub fn pushes(caller: u64) {
    let open = innermost(|native| {
        native.open_frames = native.open_frames.saturating_add(1);
        native.is_thread().then_some(native.open_frames)
    });
    if open == Some(MANY_FRAMES) && is_running() {
        let site = call_sites::number(caller);
        record(&Body::Native(NativeCode::FramesOpen { site, open: MANY_FRAMES }));
    }
}

/// The native code has copied the contents of an array back, and keeps the memory that it got for them.
pub fn committed() {
    if is_running() {
        note(|native| native.contents.committed());
    }
}
