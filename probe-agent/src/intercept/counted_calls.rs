//! Calls that the probe only counts. If one fails, or changes who holds memory or a raw monitor, it is recorded nevertheless.

use std::sync::OnceLock;

use jni_sys::jint;
use jvmti_wire::trace::{HotArg, HotBody};

use super::allocations::{self, Allocation};
use super::count::Count;
use super::environments::AgentEnvironment;
use super::function_kinds::{Brief, brief, plain_blocks};
use super::held_monitors::Told;
use super::lasting::Inside;
use super::poison::{self, Deallocated};
use super::watched_threads::{self, WatchedThread};
use super::{call_numbers, call_sites, lasting, local_references};
use crate::ffi::stub::Entered;
use crate::ffi::{self, error};
use crate::marshal::{MOST_PARAMS, Passed};
use crate::recording::{self, clock, guarded, record_hot};

/// A counted call, and what the thread has noted of it.
pub struct Counted<'e> {
    /// The environment.
    pub agent: &'static AgentEnvironment,
    /// The call.
    pub entered: &'e Entered,
    /// The count of its call site.
    pub count: &'static Count,
    /// What it does with memory or raw monitors.
    pub brief: Brief,
    /// The thread, if it is watched.
    pub thread: Option<&'static WatchedThread>,
}

/// Records a counted call that has failed: `calls` does that.
type Failed = fn(&'static AgentEnvironment, &Entered, jint);

static FAILED: OnceLock<Failed> = OnceLock::new();

/// Sets what records counted calls that have failed.
pub fn install(failed: Failed) {
    let _ = FAILED.set(failed);
}

/// The words of a call of an agent's.
pub fn passed(entered: &Entered) -> Option<Passed<'_>> {
    let descriptor = ffi::descriptor(entered.slot)?;
    // SAFETY: the agent passes these to the function.
    Some(unsafe { Passed::new(descriptor, &entered.words[1..], entered.float) })
}

impl<'e> Counted<'e> {
    /// A call that the probe has counted.
    pub fn new(agent: &'static AgentEnvironment, entered: &'e Entered, count: &'static Count) -> Counted<'e> {
        Counted { agent, entered, count, brief: brief(entered.slot), thread: watched_threads::own() }
    }

    /// Takes calls in advance.
    pub fn lease(&self, most: u64) {
        if let Some(thread) = watched_threads::hurry() {
            thread.lease(self.entered, self.agent, self.count, most);
        }
    }

    /// Makes the call by `forward`.
    pub fn make(&self, forward: &impl Fn() -> jint) -> jint {
        let about = self.entered.words[1];
        let monitors = self.thread.map(|thread| &thread.monitors);
        match self.brief {
            Brief::Exits => {
                let told = monitors.map_or(Told::Yes, |monitors| monitors.gives_up(about));
                self.undoes(forward, told, None)
            }
            Brief::Returns => {
                let given = allocations::release(about);
                let told = if given.is_some() { Told::No } else { Told::Yes };
                self.undoes(forward, told, given)
            }
            Brief::Enters | Brief::Gives | Brief::Held | Brief::No => {
                let enters = monitors.filter(|_| self.brief == Brief::Enters);
                let told = enters.map_or(Told::Yes, |monitors| monitors.wants(about));
                let inside = self.thread.and_then(|thread| {
                    thread.calls.call(self.agent.number, self.entered, self.entered.words.len())
                });
                let code = forward();
                self.lasted(inside, told, code);
                code
            }
        }
    }

    /// Makes a call that undoes what another one did, and which the trace has to tell or not; of memory, the one that allocated
    /// it unseen.
    fn undoes(&self, forward: &impl Fn() -> jint, told: Told, given: Option<Allocation>) -> jint {
        lasting::pass();
        if told == Told::No {
            let code = forward();
            if code != error::NONE {
                self.undoes_nothing(given, code);
            }
            return code;
        }
        let call = call_numbers::next();
        guarded(|| record_brief(self.agent, self.entered, call, &[]));
        let code = forward();
        if code != error::NONE {
            self.ended(call, code);
        }
        code
    }

    /// Keeps memory that the call passes to Deallocate, which is then not made.
    pub fn keeps(&self, memory: Deallocated) -> jint {
        lasting::pass();
        guarded(|| {
            let unseen = allocations::release(self.entered.words[1]);
            if unseen.is_none() {
                record_brief(self.agent, self.entered, call_numbers::next(), &[]);
            }
            memory.settle_counted(call_sites::number(self.entered.caller), unseen);
        });
        error::NONE
    }

    /// Such a call has failed.
    #[cold]
    pub fn undoes_nothing(&self, given: Option<Allocation>, code: jint) {
        if let Some(given) = given {
            guarded(|| given.record(self.entered.words[1]));
        }
        self.failed(code);
    }

    /// A call has returned, of which the thread has noted that it is in it.
    pub fn lasted(&self, inside: Option<Inside>, told: Told, code: jint) {
        let enters = self.thread.filter(|_| self.brief == Brief::Enters).map(|thread| &thread.monitors);
        let entered = |told| {
            enters.map_or(Told::Yes, |monitors| monitors.entered(self.agent.number, self.entered, told))
        };
        if let Some(call) = inside.and_then(Inside::leave) {
            self.ended(call, code);
            if self.brief == Brief::Enters && code == error::NONE {
                entered(Told::Yes);
            }
            if code != error::NONE || self.brief == Brief::Enters {
                return;
            }
        }
        if code != error::NONE {
            return self.failed(code);
        }
        local_references::returned_unseen(self.entered.slot);
        match self.brief {
            Brief::Gives | Brief::Held => {
                _ = guarded(|| record_given(self.agent, self.entered, self.brief, None))
            }
            Brief::Enters if entered(told) == Told::Yes => self.enters_seen(),
            Brief::Enters | Brief::No | Brief::Exits | Brief::Returns => {}
        }
    }

    /// A call has entered a monitor, and the trace has to tell.
    #[cold]
    pub fn enters_seen(&self) {
        guarded(|| record_brief(self.agent, self.entered, call_numbers::next(), &[]));
    }

    fn failed(&self, code: jint) {
        self.count.recorded();
        if let Some(failed) = FAILED.get() {
            failed(self.agent, self.entered, code);
        }
    }

    /// Records the end of the call, whose beginning is recorded.
    fn ended(&self, call: u32, code: jint) {
        self.count.recorded();
        let end = HotBody::CallEnd { call, code, outputs: &[], exception: (false, false) };
        guarded(|| record_hot(clock::now(), &end));
    }
}

/// Tracks the memory that a counted call has allocated, or records it if there is no room. `who`: the thread and the call
/// site, if that is known.
#[inline]
pub fn record_given(agent: &AgentEnvironment, entered: &Entered, brief: Brief, who: Option<(u32, u32)>) {
    if poison::is_on()
        && let Some(passed) = passed(entered)
    {
        poison::succeeded(&passed);
    }
    let mut blocks = match plain_blocks(entered.slot) {
        // SAFETY: the call of the function has succeeded with these.
        Some(plain) => unsafe { plain.of(&entered.words[1..]) },
        None => passed(entered).map(|passed| passed.blocks()).unwrap_or_default(),
    };
    if blocks.is_empty() {
        return;
    }
    let call = call_numbers::next();
    if brief == Brief::Held {
        let (thread, site) = who.unwrap_or_else(|| (recording::thread(), call_sites::number(entered.caller)));
        let (environment, function, about) = (agent.number, entered.slot, entered.words[1]);
        blocks.retain(|(param, at)| {
            let given = Allocation { thread, call, environment, site, function, param: *param, about };
            !allocations::hold(*at, &given)
        });
    }
    if !blocks.is_empty() {
        record_brief(agent, entered, call, &blocks);
    }
}

/// Records what a counted call does with memory or a raw monitor.
pub fn record_brief(agent: &AgentEnvironment, entered: &Entered, call: u32, blocks: &[(u16, u64)]) {
    let Some(passed) = passed(entered) else { return };
    let mut args = [HotArg::Null; MOST_PARAMS];
    passed.args(&mut args);
    let [about, ..] = args;
    let (environment, function, site) = (agent.number, entered.slot, call_sites::number(entered.caller));
    record_hot(clock::now(), &HotBody::CallBrief { call, environment, function, site, about, blocks });
}
