//! Makes calls from hot call sites that are only counted, as fast as can be: all that the probe has to note lies in one place of
//! the thread's own, and no step is one that other processors have to know of.
//!
//! What is not as usual is left to [`super::calls`]: the first calls, those that are recorded or measured, a call that changes
//! what the trace has to tell, and all calls while somebody looks at what the thread has noted.

use std::ffi::c_void;

use jni_sys::jint;

use super::allocations;
use super::counted_calls::{Counted, record_given};
use super::function_kinds::Brief;
use super::held_monitors::Told;
use super::lasting::Inside;
use super::leases::Leased;
use super::watched_threads::{self, WatchedThread};
use super::{global_references, local_references, poison};
use crate::ffi::error;
use crate::ffi::stub::Entered;
use crate::recording::guarded;

/// Makes the call by `forward`, which gets the JVM's function; `counted`: it has been counted. `None`: it is not made.
#[inline(always)]
pub fn made(
    entered: &Entered,
    counted: Option<Leased>,
    forward: impl Fn(*const c_void) -> jint,
) -> Option<jint> {
    let thread = watched_threads::quick()?;
    if !thread.inspection.change() {
        return None;
    }
    let leased = counted.or_else(|| thread.leases.of(entered));
    let args = &entered.words[1..];
    let usable = |_: &Leased| {
        !global_references::is_use_after_deletion(entered.slot, args) && !poison::may_be_taken(args)
    };
    let Some(leased) = leased.filter(usable) else {
        thread.inspection.changed();
        return None;
    };
    let call = Hot { thread, entered, leased };
    match leased.brief {
        Brief::Exits => call.exits(forward),
        Brief::Enters => call.enters(forward),
        Brief::Returns => call.returns(forward),
        Brief::No | Brief::Gives | Brief::Held => Some(call.lasts(forward)),
    }
}

/// A call that may be made; nobody looks at the notes of the thread.
struct Hot<'e> {
    thread: &'static WatchedThread,
    entered: &'e Entered,
    leased: Leased,
}

// What has to be copied from one place to another takes longer here than to compute it.
impl Hot<'_> {
    #[inline(always)]
    fn exits(&self, forward: impl Fn(*const c_void) -> jint) -> Option<jint> {
        let is_unseen = self.thread.monitors.exits_unseen(self.entered.words[1]);
        if is_unseen {
            self.leased.take();
            self.thread.calls.pass();
        }
        self.thread.inspection.changed();
        if !is_unseen {
            return None;
        }
        let code = forward(self.leased.function);
        if code != error::NONE {
            self.counted().undoes_nothing(None, code);
        }
        Some(code)
    }

    #[inline(always)]
    fn returns(&self, forward: impl Fn(*const c_void) -> jint) -> Option<jint> {
        let given = allocations::release(self.entered.words[1]);
        if given.is_some() {
            self.leased.take();
            self.thread.calls.pass();
        }
        self.thread.inspection.changed();
        given?;
        let code = forward(self.leased.function);
        if code != error::NONE {
            self.counted().undoes_nothing(given, code);
        }
        Some(code)
    }

    #[inline(always)]
    fn enters(&self, forward: impl Fn(*const c_void) -> jint) -> Option<jint> {
        if !self.thread.monitors.may_enter_unseen(self.entered.words[1]) {
            self.thread.inspection.changed();
            return None;
        }
        // The environment and the monitor.
        let inside = self.begin(2);
        let code = forward(self.leased.function);
        if code != error::NONE || !self.end(inside.as_ref()) {
            self.counted().lasted(inside, Told::No, code);
            return Some(code);
        }
        let told = self.thread.monitors.entered(self.leased.agent.number, self.entered, Told::No);
        self.thread.inspection.changed();
        if told == Told::Yes {
            self.counted().enters_seen();
        }
        Some(code)
    }

    #[inline(always)]
    fn lasts(&self, forward: impl Fn(*const c_void) -> jint) -> jint {
        let inside = self.begin(self.entered.words.len());
        let code = forward(self.leased.function);
        if code != error::NONE || !self.end(inside.as_ref()) {
            self.counted().lasted(inside, Told::No, code);
            return code;
        }
        self.thread.inspection.changed();
        local_references::returned_unseen(self.entered.slot);
        if self.leased.brief != Brief::No {
            let who = self.leased.site.map(|site| (self.thread.number(), site));
            guarded(|| record_given(self.leased.agent, self.entered, self.leased.brief, who));
        }
        code
    }

    /// The thread notes that it is in the call, which has so many words.
    #[inline(always)]
    fn begin(&self, words: usize) -> Option<Inside> {
        self.leased.take();
        let inside = self.thread.calls.call(self.leased.agent.number, self.entered, words);
        self.thread.inspection.changed();
        inside
    }

    /// The thread is no longer in the call, and nobody looks at the notes. `false`: they are as before, because somebody does, or
    /// has.
    #[inline(always)]
    fn end(&self, inside: Option<&Inside>) -> bool {
        if !self.thread.inspection.change() {
            return false;
        }
        let is_unseen = inside.is_none_or(Inside::leave_unseen);
        if !is_unseen {
            self.thread.inspection.changed();
        }
        is_unseen
    }

    #[cold]
    fn counted(&self) -> Counted<'_> {
        let Hot { thread, entered, leased } = *self;
        let Leased { agent, count, brief, .. } = leased;
        Counted { agent, entered, count, brief, thread: Some(thread) }
    }
}
