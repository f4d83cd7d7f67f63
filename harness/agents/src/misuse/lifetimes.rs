//! Rules on references that an agent uses after their end.
//!
//! The trace tells who creates and deletes global and weak global references, so that a deleted one is known until somebody gets
//! its value again. Local references end when the callback returns that got them, or when they are deleted; later ones may have
//! the same values. So the rule blames a call for a local reference only if the trace has all those that the thread has got
//! since then ([`Body::LocalsKnown`]).

use jvmti_wire::trace::{Body, NativeCode, Record, ReferenceKind};
use rustc_hash::FxHashMap;

use super::errors::rejects_reference;
use super::globals::Globals;
use super::handles::{handles, origin};
use super::{End, Info, MisuseRule, Related, Severity, Violations, When};
use crate::agent_state::{AgentState, Call, TraceEvent};

pub(super) static DELETED: Info = Info {
    id: "reference/deleted",
    severity: Severity::Error,
    anchor: "refs",
    says: "do not use a reference after it was deleted",
};
pub(super) static RETURNED: Info = Info {
    id: "reference/returned",
    severity: Severity::Error,
    anchor: "refs",
    says: "use a local reference only until the callback returns that got it: create a global reference to keep an object",
};
pub(super) static CLEARED: Info = Info {
    id: "reference/cleared",
    severity: Severity::Warning,
    anchor: "refs",
    says: "create a local reference from a weak global one, and check that it is not null, before you use it",
};
pub(super) static KIND: Info = Info {
    id: "reference/kind",
    severity: Severity::Error,
    anchor: "refs",
    says: "delete each reference with the function for its kind: DeleteLocalRef, DeleteGlobalRef or DeleteWeakGlobalRef",
};

/// The number of references that the rules track at most.
const MOST: usize = 1 << 20;

/// Where a local reference comes from that was deleted, and that no record has told of.
const UNSEEN: &str = "JNI";

/// A local reference that is no more.
struct EndedReference {
    turn: u64,
    from: String,
    how: Ending,
}

/// How a local reference ended.
enum Ending {
    /// It was deleted at this call site.
    Deleted(u32),
    /// The local frame was popped in which it was created.
    Popped,
    /// Its callback returned.
    Returned,
}

/// Native code of an agent.
#[derive(Default)]
struct Native {
    /// Whether it is a native method.
    method: bool,
    /// Whether the trace tells when it gets references from elsewhere.
    watched: bool,
    /// The last time that it got references which the trace does not have.
    unknown: Option<u64>,
    /// The references that the trace has, where they came from, and how many local frames there were.
    got: FxHashMap<u64, (String, usize)>,
    /// The number of local frames that it has pushed.
    frames: usize,
}

/// A thread: the native code that it is in, outermost first, and references that it had.
struct NativeThread {
    /// The first one is no callback: a native method, or the function of an agent thread.
    natives: Vec<Native>,
    ended: FxHashMap<u64, EndedReference>,
}

impl Default for NativeThread {
    fn default() -> NativeThread {
        NativeThread { natives: vec![Native::default()], ended: FxHashMap::default() }
    }
}

/// A violation that counts only if the trace has no gaps.
struct Suspicion {
    info: &'static Info,
    when: When,
    site: u32,
    function: String,
    what: String,
    deleted: Option<u32>,
}

/// Follows references from their creation to their end.
#[derive(Default)]
pub(super) struct Lifetimes {
    turn: u64,
    globals: Globals,
    threads: FxHashMap<u32, NativeThread>,
    /// Local references of threads that have ended, and where they came from: no thread has got the value since.
    orphans: FxHashMap<u64, String>,
    suspicions: Vec<Suspicion>,
}

impl MisuseRule for Lifetimes {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        self.turn += 1;
        match trace_event {
            // The value of a global reference may have been that of a local one.
            TraceEvent::Begun(call) if state.globals_known => {
                let function = state.names.function(call.function);
                for handle in handles(&call.args) {
                    self.used(record, handle, (&function, call.site));
                }
            }
            TraceEvent::Begun(_) => {}
            TraceEvent::Returned { call, code: 0, outputs, .. } => {
                let name = state.names.function(call.function);
                let values = outputs.iter().map(|(_, value)| std::slice::from_ref(value));
                self.got(record.thread, values.flat_map(handles), &name);
            }
            TraceEvent::Returned { call, code, .. } => self.refused(state, record, (call, *code)),
            TraceEvent::Entered(delivery, args) => {
                self.thread(record.thread).natives.push(Native::default());
                self.got(record.thread, handles(args), &delivery.name);
            }
            TraceEvent::Left { delivery, .. } => self.left(record.thread, &delivery.name),
            TraceEvent::Other => self.other(state, record),
            TraceEvent::Brief(_) => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        // A lost record may have told that somebody got the value again.
        for Suspicion { info, when, site, function, what, deleted } in self.suspicions.drain(..) {
            if !end.gapless {
                continue;
            }
            found.add(info, (state, when), (site, &function), || what);
            if let Some(deleted) = deleted {
                found.relate(info, (site, &function), || Related {
                    what: "deleted here".to_owned(),
                    place: super::Place::Site(deleted).stack(state),
                });
            }
        }
    }
}

impl Lifetimes {
    fn thread(&mut self, thread: u32) -> &mut NativeThread {
        self.threads.entry(thread).or_default()
    }

    /// The thread gets local references.
    fn got(&mut self, thread: u32, handles: impl IntoIterator<Item = u64>, from: &str) {
        for handle in handles {
            // The memory of a global reference that is gone may hold local ones.
            self.globals.forget(handle);
            self.orphans.remove(&handle);
            let thread = self.threads.entry(thread).or_default();
            thread.ended.remove(&handle);
            if let Some(native) = thread.natives.last_mut().filter(|native| native.got.len() < MOST) {
                native.got.insert(handle, (from.to_owned(), native.frames));
            }
        }
    }

    /// A callback returns.
    fn left(&mut self, thread: u32, event: &str) {
        // Native methods whose end was lost are within it.
        while self.thread(thread).natives.last().is_some_and(|native| native.method) {
            self.thread(thread).natives.pop();
        }
        self.returned(thread, |from| match from == event {
            true => format!("the callback of {event}"),
            false => format!("{from} in the callback of {event}"),
        });
    }

    /// A native method returns.
    fn method_left(&mut self, thread: u32) {
        if self.thread(thread).natives.last().is_some_and(|native| native.method) {
            self.returned(thread, str::to_owned);
        }
    }

    /// The innermost native code of a thread returns, and its references end; `shown` tells where they come from.
    fn returned(&mut self, thread: u32, shown: impl Fn(&str) -> String) {
        let turn = self.turn;
        let thread = self.thread(thread);
        if thread.natives.len() < 2 {
            return;
        }
        for (handle, (from, _)) in thread.natives.pop().map(|native| native.got).unwrap_or_default() {
            if thread.ended.len() < MOST
                && !thread.natives.iter().any(|native| native.got.contains_key(&handle))
            {
                let ended = EndedReference { turn, from: shown(&from), how: Ending::Returned };
                thread.ended.insert(handle, ended);
            }
        }
    }

    /// The native code pops a local frame, with the references that it got in it.
    fn popped(&mut self, thread: u32) {
        let turn = self.turn;
        let thread = self.thread(thread);
        let Some(native) = thread.natives.last_mut() else { return };
        let Some(outer) = native.frames.checked_sub(1) else {
            native.unknown = Some(turn);
            return;
        };
        let frame = std::mem::replace(&mut native.frames, outer);
        let is_in = |(_, (_, of)): &(&u64, &(String, usize))| *of == frame;
        let ended: Vec<u64> = native.got.iter().filter(is_in).map(|(handle, _)| *handle).collect();
        for handle in ended {
            if let Some((from, _)) = native.got.remove(&handle).filter(|_| thread.ended.len() < MOST) {
                thread.ended.insert(handle, EndedReference { turn, from, how: Ending::Popped });
            }
        }
    }

    /// Whether a deleted local reference came from JNI unseen: it may have come again, unseen.
    fn may_be_back(&self, thread: u32, handle: u64) -> bool {
        self.local(thread, handle).is_some_and(|ended| ended.from == UNSEEN)
    }

    /// A reference is about to be deleted with the function for references of that kind.
    fn deleted(&mut self, record: &Record, handle: u64, (kind, site): (ReferenceKind, u32)) {
        let thread = self.threads.get(&record.thread);
        let is_local =
            thread.is_some_and(|thread| thread.natives.iter().any(|native| native.got.contains_key(&handle)));
        let is_stale = self.globals.stale(handle).is_some();
        let (is, function) = match (self.globals.alive(handle), kind) {
            (_, ReferenceKind::Global) if is_stale => {
                return self.used(record, handle, ("DeleteGlobalRef", site));
            }
            (_, ReferenceKind::Weak) if is_stale => {
                return self.used(record, handle, ("DeleteWeakGlobalRef", site));
            }
            (Some(false), ReferenceKind::Local) => ("global", "DeleteLocalRef"),
            (Some(true), ReferenceKind::Local) => ("weak global", "DeleteLocalRef"),
            (Some(true), ReferenceKind::Global) => ("weak global", "DeleteGlobalRef"),
            (Some(false), ReferenceKind::Weak) => ("global", "DeleteWeakGlobalRef"),
            (None, ReferenceKind::Global) if is_local => ("local", "DeleteGlobalRef"),
            (None, ReferenceKind::Weak) if is_local => ("local", "DeleteWeakGlobalRef"),
            (None, ReferenceKind::Local)
                if !self.globals.knows(handle) && !is_local && !self.may_be_back(record.thread, handle) =>
            {
                return self.used(record, handle, ("DeleteLocalRef", site));
            }
            _ => return,
        };
        let (when, function) = (record.into(), function.to_owned());
        let what = format!("{function} was passed a {is} reference");
        self.suspicions.push(Suspicion { info: &KIND, when, site, function, what, deleted: None });
    }

    fn other(&mut self, state: &AgentState<'_>, record: &Record) {
        let turn = self.turn;
        if let Body::ReferenceDeleted { handle, kind, site } = &record.body
            && state.globals_known
            && !state.is_foreign(*site)
        {
            self.deleted(record, *handle, (*kind, *site));
        }
        match &record.body {
            Body::LocalsKnown { known } => {
                if let Some(native) = self.thread(record.thread).natives.last_mut() {
                    native.watched |= *known;
                    native.unknown = if *known { native.unknown } else { Some(turn) };
                }
            }
            Body::ReferencesGiven { handles } => {
                let from = origin(state, record.thread).unwrap_or_default();
                self.got(record.thread, handles.iter().copied(), &from);
            }
            // A library of the JVM, within a call of the native code: the next one to get the value may be the native code.
            Body::ReferenceDeleted { handle, kind: ReferenceKind::Local, site }
                if state.is_foreign(*site) =>
            {
                let thread = self.thread(record.thread);
                thread.natives.iter_mut().for_each(|native| drop(native.got.remove(handle)));
                thread.ended.remove(handle);
                if let Some(native) = thread.natives.last_mut() {
                    native.unknown = Some(turn);
                }
            }
            Body::ReferenceDeleted { handle, kind: ReferenceKind::Local, site } => {
                let thread = self.thread(record.thread);
                let from = thread.natives.iter_mut().rev().find_map(|native| native.got.remove(handle));
                let from = from.map_or_else(|| UNSEEN.to_owned(), |(from, _)| from);
                if thread.ended.len() < MOST {
                    thread.ended.insert(*handle, EndedReference { turn, from, how: Ending::Deleted(*site) });
                }
            }
            Body::ReferenceDeleted { handle, kind, site } => {
                self.globals.deleted(state, (*handle, *kind), *site);
            }
            Body::GlobalCreated { handle, weak } => self.globals.created(state, (*handle, *weak), 0),
            Body::Native(native) => self.native(state, record, native),
            // It may be attached again, and has other native code then.
            Body::ThreadEnds => self.ends(state, record.thread),
            _ => {}
        }
    }

    fn native(&mut self, state: &AgentState<'_>, record: &Record, native: &NativeCode) {
        match native {
            NativeCode::GlobalCreated { handle, weak, site } => {
                self.globals.created(state, (*handle, *weak), *site);
            }
            NativeCode::MethodEntered { name, handles, .. } => {
                self.thread(record.thread).natives.push(Native { method: true, ..Native::default() });
                self.got(record.thread, handles.iter().copied(), &format!("native method {name}"));
            }
            NativeCode::MethodLeft => self.method_left(record.thread),
            NativeCode::LocalFrame { pushed: true } => {
                if let Some(native) = self.thread(record.thread).natives.last_mut() {
                    native.frames += 1;
                }
            }
            NativeCode::LocalFrame { pushed: false } => self.popped(record.thread),
            NativeCode::ReferenceUsed { function, site, handle }
                if state.globals_known
                    && !state.is_foreign(*site)
                    && !self.may_be_back(record.thread, *handle) =>
            {
                self.used(record, *handle, (&jvmti_traces::jni::name(*function), *site));
            }
            _ => {}
        }
    }

    /// The thread ends, and its references with it, although callbacks may follow on it.
    fn ends(&mut self, state: &AgentState<'_>, number: u32) {
        let Some(thread) = self.threads.get_mut(&number) else { return };
        let name = state.names.thread(number);
        let got = thread
            .natives
            .iter()
            .flat_map(|native| native.got.iter().map(|(handle, (from, _))| (handle, from)));
        let ended = thread.ended.iter().map(|(handle, ended)| (handle, &ended.from));
        for (handle, from) in got.chain(ended) {
            if self.orphans.len() < MOST {
                self.orphans.insert(*handle, format!("{from} on thread {name}"));
            }
        }
        thread.natives = vec![Native::default()];
    }

    /// An agent passes a reference to a function.
    fn used(&mut self, record: &Record, handle: u64, (function, site): (&str, u32)) {
        let (info, what, deleted) = match (self.globals.stale(handle), self.local(record.thread, handle)) {
            (Some(stale), _) => (&DELETED, stale.what.to_owned(), Some(stale.deleted)),
            _ if self.globals.knows(handle) => return,
            (_, Some(EndedReference { from, how: Ending::Deleted(site), .. })) => {
                (&DELETED, format!("a local reference from {from} that had been deleted"), Some(*site))
            }
            (_, Some(EndedReference { from, how: Ending::Popped, .. })) => {
                (&DELETED, format!("a local reference from {from}, whose local frame had been popped"), None)
            }
            (_, Some(EndedReference { from, how: Ending::Returned, .. })) => {
                (&RETURNED, format!("a local reference from {from}, which has returned"), None)
            }
            (_, None) => match self.of_another(record.thread, handle) {
                Some(from) => (&RETURNED, format!("a local reference from {from}, on another thread"), None),
                None => return,
            },
        };
        let what = format!("{function} was passed {what}");
        let when = record.into();
        self.suspicions.push(Suspicion { info, when, site, function: function.to_owned(), what, deleted });
    }

    /// Where the local reference comes from, if it is one of another thread, and not of this one: all that its callbacks have
    /// got are in the trace.
    fn of_another(&self, number: u32, handle: u64) -> Option<String> {
        let (_, callbacks) = self.threads.get(&number)?.natives.split_first()?;
        let has_all =
            |native: &Native| native.watched && native.unknown.is_none() && !native.got.contains_key(&handle);
        if callbacks.is_empty() || !callbacks.iter().all(has_all) {
            return None;
        }
        // What other threads have got since is in use, or another rule tells of it.
        let others = || self.threads.iter().filter(|(other, _)| **other != number).map(|(_, thread)| thread);
        if others().any(|other| other.natives.iter().any(|native| native.got.contains_key(&handle))) {
            return None;
        }
        let ended = others().find_map(|other| other.ended.get(&handle)).map(|ended| &ended.from);
        ended.or_else(|| self.orphans.get(&handle)).cloned()
    }

    /// The local reference, if it has ended, and its value cannot be that of another.
    fn local(&self, thread: u32, handle: u64) -> Option<&EndedReference> {
        let thread = self.threads.get(&thread)?;
        let ended = thread.ended.get(&handle)?;
        let outermost = if thread.natives.len() > 1 { thread.natives.get(1) } else { thread.natives.first() };
        let is_known =
            thread.natives.iter().all(|native| native.unknown.is_none_or(|unknown| unknown < ended.turn));
        (is_known && outermost?.watched).then_some(ended)
    }

    /// The JVM rejects an argument of a call.
    fn refused(&mut self, state: &AgentState<'_>, record: &Record, (call, code): (&Call, i32)) {
        let is_weak = |handle| self.globals.alive(handle) == Some(true);
        let Some(error) = state.names.spec().error_by_number(code) else { return };
        let is_about_weak = rejects_reference(&error.name) && handles(&call.args).any(is_weak);
        if !state.globals_known || !is_about_weak {
            return;
        }
        let function = state.names.function(call.function).into_owned();
        let what = format!(
            "{function} was passed a weak global reference → {}: its object is gone, or of another kind",
            state.names.error(code)
        );
        let (when, site) = (record.into(), call.site);
        self.suspicions.push(Suspicion { info: &CLEARED, when, site, function, what, deleted: None });
    }
}
