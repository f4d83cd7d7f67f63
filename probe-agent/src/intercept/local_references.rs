//! Counts the local references that agents hold at once, in callbacks and on agent threads, of those that JVM TI functions
//! return to them.
//!
//! JNI cannot be asked which references are still there. So the JNI functions by which they end are watched for as long as
//! the thread is in native code of the agent's that is looked at ([`Cover`]). What is not certain is not counted: code in
//! Java that the agent calls may be in native methods, with references of their own; callbacks within callbacks have their
//! own, too; references that JNI functions give are not seen at all, nor those of calls that are only counted. So there
//! are at least as many as are told of.

use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use jvmti_wire::plan::Between;
use jvmti_wire::trace::{Body, EntryPoint};
use smallvec::SmallVec;

use super::capacity::{Capacity, Excess};
use super::jni_table::{Cover, Purpose};
use crate::ffi::{self, slot};
use crate::marshal::{self, Passed};
use crate::recording::{guarded, record};
use crate::vm::jni;
use crate::vm::probe_environment;
use crate::vm::stage;

/// More than any slot.
const SLOTS: usize = 256;

/// Places of functions in the table of JNI.
const PUSH_LOCAL_FRAME: usize = 19;
const POP_LOCAL_FRAME: usize = 20;
const DELETE_LOCAL_REF: usize = 23;
const ENSURE_LOCAL_CAPACITY: usize = 26;

/// Whether agents can have done nothing yet that goes unseen.
static POSSIBLE: AtomicBool = AtomicBool::new(false);
/// How many threads are being watched.
static WATCHED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// The native code that this thread is in, innermost last; empty unless the outermost is watched.
    static NATIVE: RefCell<Vec<Native>> = const { RefCell::new(Vec::new()) };
}

/// Native code of an agent's.
struct Native {
    /// The event that it is told of; `None`: it is an agent thread.
    event: Option<u16>,
    /// `None`: what it holds cannot be told.
    capacity: Option<Capacity>,
    /// How many frames of Java the thread had when it was asked first.
    frames: Option<u32>,
    /// Whether a function of JNI was used that runs code in Java, and may not have returned.
    java: bool,
    /// What the outermost has put into the place of the JNI functions.
    cover: Option<Cover>,
}

impl Native {
    fn unwatched() -> Native {
        Native { event: None, capacity: None, frames: None, java: false, cover: None }
    }
}

/// Interception begins.
pub fn install(wanted: &Between, entry: EntryPoint) {
    let Between { functions, events, libraries, .. } = wanted;
    let all = functions.is_none() && events.is_none() && libraries.is_none();
    POSSIBLE.store(all && entry == EntryPoint::OnLoad, Ordering::Release);
}

/// Whether what native code holds can be told.
pub fn is_possible() -> bool {
    POSSIBLE.load(Ordering::Acquire)
}

/// An agent asks for the table of JNI functions, or sets it: it may go past the probe from now on, and gets none of its
/// functions.
pub fn end() {
    POSSIBLE.store(false, Ordering::Release);
    lift();
}

/// Takes this thread's table away.
fn lift() {
    let _ = NATIVE.try_with(|native| {
        let native = native.try_borrow().ok();
        if let Some(cover) = native.as_ref().and_then(|native| native.first()?.cover.as_ref()) {
            cover.lift();
        }
    });
}

/// While it lives, the thread is in native code of an agent's.
pub struct Inside(());

/// A callback begins. `closely`: what it holds is looked at.
#[inline]
pub fn callback(event: u16, closely: bool) -> Option<Inside> {
    if closely && is_possible() && !stage::is_restricted() {
        return Inside::watched(Some(event));
    }
    extension_callback()
}

/// A callback begins that is not looked at.
#[inline]
pub fn extension_callback() -> Option<Inside> {
    if WATCHED.load(Ordering::Relaxed) == 0 {
        return None;
    }
    Inside::within(Native::unwatched())
}

/// The function of an agent thread begins.
pub fn agent_thread() -> Option<Inside> {
    if is_possible() { Inside::watched(None) } else { None }
}

impl Inside {
    fn watched(event: Option<u16>) -> Option<Inside> {
        let native = Native { event, capacity: Some(Capacity::new()), ..Native::unwatched() };
        let is_outermost = NATIVE.try_with(|outer| outer.try_borrow().is_ok_and(|outer| outer.is_empty()));
        if !is_outermost.ok()? {
            return Inside::within(native);
        }
        // Without the JVM's own functions at hand, those that the agent has kept might lead nowhere.
        jni::function(0)?;
        let cover = guarded(|| Cover::new(Purpose::References)).flatten()?;
        let inside = Inside::push(Native { cover: Some(cover), ..native })?;
        WATCHED.fetch_add(1, Ordering::Relaxed);
        Some(inside)
    }

    /// Native code within what is watched.
    fn within(native: Native) -> Option<Inside> {
        let is_watched = NATIVE.try_with(|outer| outer.try_borrow().is_ok_and(|outer| !outer.is_empty()));
        if is_watched.ok()? { Inside::push(native) } else { None }
    }

    fn push(native: Native) -> Option<Inside> {
        NATIVE.try_with(|outer| outer.try_borrow_mut().ok().map(|mut outer| outer.push(native))).ok()??;
        Some(Inside(()))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        guarded(|| {
            let native =
                NATIVE.try_with(|outer| outer.try_borrow_mut().ok().and_then(|mut outer| outer.pop()));
            let Some(mut native) = native.ok().flatten() else { return };
            if native.cover.take().is_some() {
                WATCHED.fetch_sub(1, Ordering::Relaxed);
            }
            if let Some(excess) = native.capacity.as_mut().filter(|_| is_possible()).and_then(Capacity::left)
            {
                tell(native.event, excess);
            }
        });
    }
}

/// Does something with the innermost native code.
fn innermost<T>(act: impl FnOnce(&mut Native) -> Option<T>) -> Option<T> {
    NATIVE
        .try_with(|native| native.try_borrow_mut().ok().and_then(|mut native| act(native.last_mut()?)))
        .ok()?
}

/// Does something with what the innermost native code holds, if it is that itself which runs.
fn held<T>(act: impl FnOnce(&mut Capacity) -> T) -> Option<T> {
    if innermost(|native| Some(native.java && native.capacity.is_some()))? && !has_returned() {
        return None;
    }
    innermost(|native| native.capacity.as_mut().map(act))
}

/// Whether the innermost native code runs again after code in Java. If that cannot be told, nothing more is.
fn has_returned() -> bool {
    let now = frames();
    innermost(|native| {
        match (native.frames, now) {
            (Some(before), Some(now)) if now == before => native.java = false,
            (Some(before), Some(now)) if now > before => {}
            _ => native.capacity = None,
        }
        Some(!native.java)
    })
    .unwrap_or(false)
}

/// How many frames of Java this thread has.
fn frames() -> Option<u32> {
    probe_environment::get().filter(|_| stage::is_live())?.frame_count()
}

/// A call of an agent's has succeeded.
#[inline]
pub fn given(passed: &Passed<'_>, site: u32) {
    if WATCHED.load(Ordering::Relaxed) > 0 && gives(passed.descriptor().slot) {
        noted(passed, site);
    }
}

fn noted(passed: &Passed<'_>, site: u32) {
    if !is_possible() {
        return;
    }
    let mut references = SmallVec::<[u64; 8]>::new();
    passed.references(&mut |reference| references.push(reference));
    let origin = (passed.descriptor().slot, site);
    match held(|held| held.give(origin, &references).then(|| held.grown())) {
        Some(Some(Some(excess))) => {
            let event = innermost(|native| Some(native.event)).flatten();
            tell(event, excess);
        }
        // Something ends references that is not seen.
        Some(None) => drop(innermost(|native| native.capacity.take())),
        _ => {}
    }
}

/// Whether the function of that slot gives references of its own.
fn gives(slot: u16) -> bool {
    static GIVES: LazyLock<[bool; SLOTS]> = LazyLock::new(|| {
        let mut gives = [false; SLOTS];
        for function in ffi::FUNCTIONS {
            // It gives the caller's own references back.
            let is_own = function.slot != slot::GET_THREAD_LIST_STACK_TRACES;
            gives[usize::from(function.slot)] = is_own && marshal::gives_references(function);
        }
        gives
    });
    GIVES.get(usize::from(slot)).copied().unwrap_or(false)
}

/// A function of JNI is used on a thread that is covered; `argument` is its first one after the `JNIEnv`.
pub fn jni_used(env: *mut c_void, index: usize, argument: u64) {
    let cover = |native: &Vec<Native>| native.first().and_then(|native| Some(native.cover.as_ref()?.env()));
    let own = NATIVE.try_with(|native| native.try_borrow().ok().as_deref().and_then(cover)).ok().flatten();
    if own != Some(env) {
        return;
    }
    if !is_possible() {
        return lift();
    }
    let count = usize::try_from(argument as i32).unwrap_or(0);
    let _ = match index {
        DELETE_LOCAL_REF => innermost(|native| native.capacity.as_mut().map(|held| held.delete(argument))),
        PUSH_LOCAL_FRAME => held(|held| held.push(count)),
        POP_LOCAL_FRAME => held(Capacity::pop),
        ENSURE_LOCAL_CAPACITY => held(|held| held.ensure(count)),
        _ if runs_java(index) => into_java(),
        _ => None,
    };
}

/// Code in Java may run from here on.
fn into_java() -> Option<()> {
    let is_first = innermost(|native| native.capacity.as_ref().map(|_| native.frames.is_none()));
    let frames = is_first.filter(|is_first| *is_first).and_then(|_| frames());
    innermost(|native| {
        native.java = true;
        native.frames = native.frames.or(frames);
        Some(())
    })
}

/// Whether the function of JNI at that place in the table may run code in Java: all but those that are known not to.
fn runs_java(index: usize) -> bool {
    !matches!(
        index,
        4 // GetVersion
        | 10..=11 // GetSuperclass, IsAssignableFrom
        | 15 | 17 // ExceptionOccurred, ExceptionClear
        | 21..=25 // global and local references, IsSameObject
        | 31..=32 // GetObjectClass, IsInstanceOf
        | 95..=112 // fields
        | 145..=162 // static fields
        | 163..=214 // strings and arrays
        | 219..=228 // GetJavaVM, regions, critical sections, weak references, ExceptionCheck
        | 232 // GetObjectRefType
    )
}

fn tell(event: Option<u16>, excess: Excess) {
    let Excess { held, calls, room, origins } = excess;
    let given = origins.into_iter().map(|((function, site), count)| (function, site, count)).collect();
    record(&Body::ReferencesHeld { event, held, calls, room, given });
}
