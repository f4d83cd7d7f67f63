//! The environments that agents hold.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use jvmti_wire::trace::Body;
use papaya::HashMap;
use rustc_hash::FxBuildHasher;

use super::count::Count;
use super::settings;
use crate::ffi::{EVENT_SLOTS, Env, FIRST_EVENT};
use crate::recording::record;

/// An environment that an agent holds. Never freed: a disposed one may still be used.
#[derive(Debug)]
pub struct AgentEnvironment {
    /// Number in the trace.
    pub number: u32,
    env: Env,
    /// The agent's functions by event, as of now.
    functions: [AtomicPtr<c_void>; EVENT_SLOTS],
    /// How many callbacks of each event have been looked at closely.
    looked_at: [AtomicU32; EVENT_SLOTS],
    /// How many callbacks of each event there were, if they are sampled.
    counts: [Count; EVENT_SLOTS],
    gone: AtomicBool,
}

static BY_POINTER: LazyLock<HashMap<usize, &'static AgentEnvironment, FxBuildHasher>> =
    LazyLock::new(HashMap::default);

thread_local! {
    /// The environment that this thread asked for last.
    static LAST: Cell<Option<&'static AgentEnvironment>> = const { Cell::new(None) };
}

/// An agent has got an environment.
pub fn add(number: u32, env: Env) {
    let agent: &'static AgentEnvironment = Box::leak(Box::new(AgentEnvironment {
        number,
        env,
        functions: [const { AtomicPtr::new(std::ptr::null_mut()) }; EVENT_SLOTS],
        looked_at: [const { AtomicU32::new(0) }; EVENT_SLOTS],
        counts: [const { Count::new() }; EVENT_SLOTS],
        gone: AtomicBool::new(false),
    }));
    // The VM may give out the address of a disposed environment again: the newer one counts.
    BY_POINTER.pin().insert(env.0.expose_provenance(), agent);
}

/// The environment of that pointer, if an agent holds it.
pub fn of(env: Env) -> Option<&'static AgentEnvironment> {
    if let Some(last) =
        LAST.try_with(Cell::get).ok().flatten().filter(|last| last.env == env && !last.is_gone())
    {
        return Some(last);
    }
    let found = BY_POINTER.pin().get(&env.0.expose_provenance()).copied()?;
    let _ = LAST.try_with(|last| last.set(Some(found)));
    Some(found)
}

/// Visits each environment whose pointer was not given out again.
pub fn each(mut visit: impl FnMut(&'static AgentEnvironment)) {
    BY_POINTER.pin().values().for_each(|agent| visit(agent));
}

impl AgentEnvironment {
    /// It has been disposed of.
    pub fn set_gone(&self) {
        if !self.gone.swap(true, Ordering::AcqRel) {
            record(&Body::EnvironmentGone { environment: self.number });
        }
    }

    /// Whether it has been disposed of.
    pub fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    /// The agent's function for that event, as a place to change it.
    pub fn function(&self, event: u16) -> Option<&AtomicPtr<c_void>> {
        self.functions.get(usize::from(event.checked_sub(FIRST_EVENT)?))
    }

    /// How many callbacks of that event there were, if they are sampled.
    pub fn count(&self, event: u16) -> Option<&Count> {
        self.counts.get(usize::from(event.checked_sub(FIRST_EVENT)?))
    }

    /// As [`count`](AgentEnvironment::count), of each event.
    pub fn counts(&self) -> impl Iterator<Item = (u16, &Count)> {
        (FIRST_EVENT..).zip(&self.counts)
    }

    /// Whether one more callback of that event is to be looked at closely.
    pub fn looks_closely(&self, event: u16) -> bool {
        let most = settings::get().map_or(0, |wanted| wanted.close);
        let looked_at = event.checked_sub(FIRST_EVENT).and_then(|i| self.looked_at.get(usize::from(i)));
        looked_at.is_some_and(|count| {
            count.load(Ordering::Relaxed) < most && count.fetch_add(1, Ordering::Relaxed) < most
        })
    }
}
