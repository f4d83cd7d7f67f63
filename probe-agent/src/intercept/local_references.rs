//! Counts the local references from JVM TI and JNI functions that an agent holds at the same time, in callbacks and on agent
//! threads.
//!
//! JNI has no function that tells which references still exist. So while a thread is in native code of an agent, the probe
//! replaces the thread's JNI function table ([`Cover`]) and watches the functions that delete references.
//!
//! The counts are lower bounds, since the probe leaves out what it is not sure of: references that unrecorded calls return, those
//! returned in native methods that Java code calls, and those returned in nested callbacks.

pub mod judged_jni;
mod known;

use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use jvmti_wire::plan::Interception;
use jvmti_wire::trace::{Body, EntryPoint, JNI_FUNCTION, ReferenceKind};
use smallvec::SmallVec;

pub use known::{unfollowed, unknown};

use super::call_sites;
use super::held_contents::HeldContents;
use super::held_references::{Counts, HeldReferences, Origin};
use super::jni_kinds::{
    DELETE_LOCAL_REF, ENSURE_LOCAL_CAPACITY, POP_LOCAL_FRAME, PUSH_LOCAL_FRAME, returns_local, runs_java,
    takes_reference, takes_second_reference,
};
use super::jni_misuse::CriticalRegions;
use super::jni_table::{Cover, Purpose};
use super::used_references::{self, UsedReferences};
use crate::ffi::{self, slot};
use crate::marshal::{self, Passed};
use crate::recording::{guarded, record};
use crate::vm::jni;
use crate::vm::probe_environment;
use crate::vm::stage;

/// More than any slot.
const SLOTS: usize = 256;

/// Whether the probe has seen all that agents have done so far.
static POSSIBLE: AtomicBool = AtomicBool::new(false);
/// The number of references for which all native code has room.
static ENSURED: AtomicU32 = AtomicU32::new(0);
/// The number of threads whose references the probe counts at present.
static WATCHED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// The native code that this thread is in, innermost last; empty unless the probe counts references in the outermost.
    static NATIVE: RefCell<Vec<Native>> = const { RefCell::new(Vec::new()) };
}

/// Native code of an agent.
struct Native {
    /// The event whose callback it is; `None`: it is the function of an agent thread, or a native method.
    event: Option<u16>,
    /// Whether it is a native method.
    method: bool,
    /// Whether the trace has its beginning and its end.
    watched: bool,
    /// `None`: the probe does not know what it holds.
    references: Option<HeldReferences>,
    /// The number of Java frames of the thread before the native code first used JNI to run Java code.
    frames: Option<u32>,
    /// Whether the native code used a JNI function that runs Java code, and that may not have returned.
    java: bool,
    /// Whether the trace has all local references that the native code has got since it began, last deleted one, or popped a frame.
    known: bool,
    critical: CriticalRegions,
    contents: HeldContents,
    /// Local frames that it has pushed and not popped.
    open_frames: u32,
    used: UsedReferences,
    /// The JNI function table in place of the JVM's; only the outermost native code has one.
    cover: Option<Cover>,
}

impl Native {
    /// Whether it is a thread of an agent, in no callback and no native method, and the probe knows what it does.
    fn is_thread(&self) -> bool {
        self.event.is_none() && !self.method && self.references.is_some()
    }

    fn unwatched() -> Native {
        Native {
            event: None,
            method: false,
            watched: false,
            references: None,
            frames: None,
            java: false,
            known: false,
            critical: CriticalRegions::default(),
            contents: HeldContents::default(),
            open_frames: 0,
            used: UsedReferences::default(),
            cover: None,
        }
    }
}

/// Interception begins.
pub fn install(wanted: &Interception, entry: EntryPoint) {
    let Interception { functions, events, libraries, ensured_references, .. } = wanted;
    let Some(ensured) = ensured_references else { return };
    ENSURED.store(*ensured, Ordering::Relaxed);
    let all = functions.is_none() && events.is_none() && libraries.is_none();
    POSSIBLE.store(all && entry == EntryPoint::OnLoad, Ordering::Release);
}

/// Whether the probe can know what native code holds.
pub fn is_possible() -> bool {
    POSSIBLE.load(Ordering::Acquire)
}

/// An agent asks for the JNI function table, or sets it. From now on it may bypass the probe, and its own table must not
/// contain functions of the probe, so the probe stops counting.
pub fn end() {
    POSSIBLE.store(false, Ordering::Release);
    lift();
}

/// Gives the JVM's JNI function table back to this thread.
fn lift() {
    let _ = NATIVE.try_with(|native| {
        let native = native.try_borrow().ok();
        if let Some(cover) = native.as_ref().and_then(|native| native.first()?.cover.as_ref()) {
            cover.lift();
        }
    });
}

/// The thread is in native code of an agent as long as this exists.
pub struct Inside(());

/// A callback begins. The probe counts its references if it records the callback `closely`.
#[inline]
pub fn callback(event: u16, closely: bool) -> Option<Inside> {
    if closely && is_possible() && !stage::is_restricted() {
        return Inside::watched(Some(event), false);
    }
    extension_callback()
}

/// A callback begins whose references the probe does not count.
#[inline]
pub fn extension_callback() -> Option<Inside> {
    if WATCHED.load(Ordering::Relaxed) == 0 {
        return None;
    }
    Inside::within(Native::unwatched())
}

/// The function of an agent thread begins, or an agent has attached the thread.
pub fn agent_thread() -> Option<Inside> {
    if is_possible() { Inside::watched(None, false) } else { None }
}

/// Whether the probe follows the references of any thread at present.
#[inline]
pub fn is_any_followed() -> bool {
    WATCHED.load(Ordering::Relaxed) > 0
}

/// Whether the probe follows the references of this thread, or may do so further out.
pub fn is_followed_here() -> bool {
    NATIVE.try_with(|native| native.try_borrow().map_or(true, |native| !native.is_empty())).unwrap_or(true)
}

/// A native method of an agent begins. The probe follows its references if it records the call `closely`.
pub fn native_method(closely: bool) -> Option<Inside> {
    if closely && is_possible() { Inside::watched(None, true) } else { extension_callback() }
}

impl Inside {
    /// Keeps it until [`Inside::end`] is called on the same thread.
    pub fn stay(self) {
        std::mem::forget(self);
    }

    /// The innermost native code ends, which stayed.
    pub fn end() {
        drop(Inside(()));
    }

    fn watched(event: Option<u16>, method: bool) -> Option<Inside> {
        let ensured = usize::try_from(ENSURED.load(Ordering::Relaxed)).unwrap_or(usize::MAX);
        let references = Some(HeldReferences::new(ensured));
        let native = Native { event, method, watched: true, references, known: true, ..Native::unwatched() };
        let is_outermost = NATIVE.try_with(|outer| outer.try_borrow().is_ok_and(|outer| outer.is_empty()));
        if !is_outermost.ok()? {
            return Inside::within(native);
        }
        // The agent may keep a function of the replaced table. It can only be passed on to the JVM's own.
        jni::function(0)?;
        let cover = guarded(|| Cover::new(Purpose::References)).flatten()?;
        let inside = Inside::push(Native { cover: Some(cover), ..native })?;
        WATCHED.fetch_add(1, Ordering::Relaxed);
        Some(inside)
    }

    /// Native code begins within native code whose references the probe counts.
    fn within(native: Native) -> Option<Inside> {
        let is_watched = NATIVE.try_with(|outer| outer.try_borrow().is_ok_and(|outer| !outer.is_empty()));
        if is_watched.ok()? { Inside::push(native) } else { None }
    }

    fn push(native: Native) -> Option<Inside> {
        let known = native.known;
        if !known {
            guarded(unknown);
        }
        NATIVE.try_with(|outer| outer.try_borrow_mut().ok().map(|mut outer| outer.push(native))).ok()??;
        if known {
            guarded(|| record(&Body::LocalsKnown { known }));
        }
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
            known::ended(&native);
            if let Some(kept) = native.references.as_ref().and_then(|_| native.contents.at_return()) {
                record(&kept);
            }
            let references = native.references.as_mut().filter(|_| is_possible());
            if let Some(counts) = references.and_then(HeldReferences::at_return) {
                write(native.event, counts);
            }
        });
    }
}

/// Applies `act` to the innermost native code.
fn innermost<T>(act: impl FnOnce(&mut Native) -> Option<T>) -> Option<T> {
    NATIVE
        .try_with(|native| native.try_borrow_mut().ok().and_then(|mut native| act(native.last_mut()?)))
        .ok()?
}

/// Notes something of the innermost native code.
fn note(note: impl FnOnce(&mut Native)) {
    innermost(|native| {
        note(native);
        Some(())
    });
}

/// Applies `act` to what the innermost native code holds, unless Java code that it called is running.
fn held<T>(act: impl FnOnce(&mut HeldReferences) -> T) -> Option<T> {
    if innermost(|native| Some(native.java && native.references.is_some()))? && !has_returned() {
        return None;
    }
    innermost(|native| native.references.as_mut().map(act))
}

/// Whether the Java code that the innermost native code called has returned. If the probe cannot tell, it stops counting
/// there.
fn has_returned() -> bool {
    let now = frames();
    innermost(|native| {
        match (native.frames, now) {
            (Some(before), Some(now)) if now == before => native.java = false,
            (Some(before), Some(now)) if now > before => {}
            _ => native.references = None,
        }
        Some(!native.java)
    })
    .unwrap_or(false)
}

/// The number of Java frames of this thread.
fn frames() -> Option<u32> {
    probe_environment::get().filter(|_| stage::is_live())?.frame_count()
}

/// A call of an agent has succeeded. A record tells which references it has returned if there are no more than `most_told`.
#[inline]
pub fn returned(passed: &Passed<'_>, site: u32, most_told: usize) {
    if WATCHED.load(Ordering::Relaxed) > 0 && returns_references(passed.descriptor().slot) {
        add(passed, site, most_told);
    }
}

/// A call of an agent has succeeded that no record tells of.
#[inline]
pub fn returned_unseen(slot: u16) {
    if WATCHED.load(Ordering::Relaxed) > 0 && returns_references(slot) {
        unknown();
    }
}

/// Whether the thread executes the innermost native code, as far as the probe can tell, and no Java code that it has called.
fn is_running() -> bool {
    let java = innermost(|native| native.references.as_ref().map(|_| native.java));
    java.is_some_and(|java| !java || has_returned())
}

/// The JNI function of that index has returned a local reference.
pub fn given_by_jni(handle: u64, index: usize, caller: u64) {
    if is_running() {
        record(&Body::ReferencesGiven { handles: vec![handle] });
        note(|native| native.used.got(handle));
        count((JNI_FUNCTION | index as u16, call_sites::number(caller)), &[handle]);
    } else if innermost(|native| Some(native.references.is_none())) == Some(true) {
        unknown();
    }
}

/// The native code passes a reference to the JNI function of that index. A record tells of those that it may not have got.
///
/// Whether it is one of those.
fn passed(index: usize, handle: u64, caller: u64) -> bool {
    let is_news = innermost(|native| native.used.is_news(handle).then_some(())).is_some() && is_running();
    if is_news {
        used_references::record_use(index, handle, caller);
        note(|native| native.used.got(handle));
    }
    is_news
}

/// The innermost native code deletes a reference. From then on the trace may have all that it gets.
fn deleted(handle: u64, caller: u64) {
    if handle != 0 && is_running() {
        let site = call_sites::number(caller);
        record(&Body::ReferenceDeleted { handle, kind: ReferenceKind::Local, site });
        note(|native| {
            native.known = true;
            native.used.lost(handle);
        });
    }
}

fn add(passed: &Passed<'_>, site: u32, most_told: usize) {
    if !is_possible() {
        return;
    }
    let mut references = SmallVec::<[u64; 8]>::new();
    passed.references(&mut |reference| references.push(reference));
    if references.len() > most_told {
        unknown();
    }
    count((passed.descriptor().slot, site), &references);
}

/// The innermost native code holds more references.
fn count(origin: Origin, references: &[u64]) {
    match held(|held| held.add(origin, references).then(|| held.grown())) {
        Some(Some(Some(counts))) => {
            let event = innermost(|native| Some(native.event)).flatten();
            write(event, counts);
        }
        // Something deletes references that the probe does not see.
        Some(None) => drop(innermost(|native| native.references.take())),
        _ => {}
    }
}

/// Whether the function of that slot returns new references.
fn returns_references(slot: u16) -> bool {
    static RETURNS: LazyLock<[bool; SLOTS]> = LazyLock::new(|| {
        let mut returns = [false; SLOTS];
        for function in ffi::FUNCTIONS {
            // This one returns the references that the caller passed.
            let is_new = function.slot != slot::GET_THREAD_LIST_STACK_TRACES;
            returns[usize::from(function.slot)] = is_new && marshal::gives_references(function);
        }
        returns
    });
    RETURNS.get(usize::from(slot)).copied().unwrap_or(false)
}

/// A thread whose JNI function table is replaced uses a JNI function; `args` are the first three after the `JNIEnv`. `followed`: the
/// probe can follow what the function returns; the result tells whether it does.
pub fn jni_used(env: *mut c_void, index: usize, args: [u64; 3], caller: u64, followed: bool) -> bool {
    let argument = args[0];
    let cover = |native: &Vec<Native>| native.first().and_then(|native| Some(native.cover.as_ref()?.env()));
    let own = NATIVE.try_with(|native| native.try_borrow().ok().as_deref().and_then(cover)).ok().flatten();
    if own != Some(env) {
        return false;
    }
    if !is_possible() {
        lift();
        return false;
    }
    let is_news = argument != 0 && takes_reference(index) && passed(index, argument, caller);
    if args[1] != 0 && takes_second_reference(index) {
        passed(index, args[1], caller);
    }
    judged_jni::judge(index, args, caller, is_news);
    // Of a native method that the probe does not follow, the trace has not even the arguments.
    let gives = returns_local(index) || (runs_java(index) && !known::are_all_followed());
    if gives && !followed {
        unknown();
    }
    let count = usize::try_from(argument as i32).unwrap_or(0);
    let _ = match index {
        DELETE_LOCAL_REF => {
            deleted(argument, caller);
            innermost(|native| native.references.as_mut().map(|held| held.delete(argument)))
        }
        PUSH_LOCAL_FRAME => {
            judged_jni::pushes(caller);
            held(|held| held.push(count))
        }
        POP_LOCAL_FRAME => {
            judged_jni::frame(false);
            note(|native| {
                native.open_frames = native.open_frames.saturating_sub(1);
                native.used = UsedReferences::default();
                // What it gets unseen from now on may have the values of those that end.
                native.known = native.watched;
            });
            held(HeldReferences::pop)
        }
        ENSURE_LOCAL_CAPACITY => held(|held| held.ensure(count)),
        _ if runs_java(index) => into_java(),
        _ => None,
    };
    followed
}

/// The native code calls a JNI function that may run Java code.
fn into_java() -> Option<()> {
    let is_first = innermost(|native| native.references.as_ref().map(|_| native.frames.is_none()));
    let frames = is_first.filter(|is_first| *is_first).and_then(|_| frames());
    innermost(|native| {
        native.java = true;
        native.frames = native.frames.or(frames);
        Some(())
    })
}

fn write(event: Option<u16>, counts: Counts) {
    let Counts { held, calls, room, origins } = counts;
    let given = origins.into_iter().map(|((function, site), count)| (function, site, count)).collect();
    record(&Body::ReferencesHeld { event, held, calls, room, given });
}
