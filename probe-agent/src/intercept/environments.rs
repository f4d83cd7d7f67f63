//! The environments that agents hold.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use super::count::{Count, take};
use super::settings;
use crate::ffi::{EVENT_SLOTS, Env, FIRST_EVENT};
use crate::recording::record;
use crate::vm::environment_table::{Entry, EnvironmentTable, Last};
use jvmti_wire::trace::Body;

/// An environment that an agent holds.
#[derive(Debug)]
pub struct AgentEnvironment {
    /// Number in the trace.
    pub number: u32,
    env: Env,
    /// The agent's present callbacks by event.
    functions: [AtomicPtr<c_void>; EVENT_SLOTS],
    /// The number of callbacks of each event that the probe has recorded in detail.
    looked_at: [AtomicU32; EVENT_SLOTS],
    /// The number of callbacks of each event, if the probe samples them.
    counts: [Count; EVENT_SLOTS],
    gone: AtomicBool,
}

static TABLE: EnvironmentTable<AgentEnvironment> = EnvironmentTable::new();

thread_local! {
    static LAST: Last<AgentEnvironment> = const { Cell::new(None) };
}

impl Entry for AgentEnvironment {
    fn env(&self) -> Env {
        self.env
    }

    fn is_gone(&self) -> bool {
        AgentEnvironment::is_gone(self)
    }
}

/// The libraries that have requested environments.
static LIBRARIES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A library has requested an environment.
pub fn add_library(library: &str) {
    if let Ok(mut known) = LIBRARIES.lock()
        && !known.iter().any(|known| known == library)
    {
        known.push(library.to_owned());
    }
}

/// Whether that library has requested an environment.
pub fn is_agent(library: &str) -> bool {
    LIBRARIES.lock().is_ok_and(|known| known.iter().any(|known| known == library))
}

/// An agent has got an environment.
pub fn add(number: u32, env: Env) {
    TABLE.add(AgentEnvironment {
        number,
        env,
        functions: [const { AtomicPtr::new(std::ptr::null_mut()) }; EVENT_SLOTS],
        looked_at: [const { AtomicU32::new(0) }; EVENT_SLOTS],
        counts: [const { Count::new() }; EVENT_SLOTS],
        gone: AtomicBool::new(false),
    });
}

/// The environment of that pointer, if an agent holds it.
pub fn of(env: Env) -> Option<&'static AgentEnvironment> {
    TABLE.find(env, &LAST)
}

/// Visits each environment whose pointer the JVM has not reused.
pub fn each(visit: impl FnMut(&'static AgentEnvironment)) {
    TABLE.each(visit);
}

impl AgentEnvironment {
    /// Whether this is its pointer.
    #[inline]
    pub fn is_at(&self, pointer: u64) -> bool {
        self.env.0.addr() as u64 == pointer
    }

    /// Whether it has been disposed of.
    #[inline]
    pub fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    /// The agent has disposed of it. Records that, once.
    pub fn set_gone(&self) {
        if !self.gone.swap(true, Ordering::AcqRel) {
            record(&Body::EnvironmentGone { environment: self.number });
        }
    }

    /// The agent's callback for that event, which may be changed in place.
    pub fn function(&self, event: u16) -> Option<&AtomicPtr<c_void>> {
        self.functions.get(usize::from(event.checked_sub(FIRST_EVENT)?))
    }

    /// The number of callbacks of that event, if the probe samples them.
    pub fn count(&self, event: u16) -> Option<&Count> {
        self.counts.get(usize::from(event.checked_sub(FIRST_EVENT)?))
    }

    /// The same as [`count`](AgentEnvironment::count), for each event.
    pub fn counts(&self) -> impl Iterator<Item = (u16, &Count)> {
        (FIRST_EVENT..).zip(&self.counts)
    }

    /// Whether the probe records one more callback of that event in detail; and how many there were before.
    pub fn looks_closely(&self, event: u16) -> Option<u32> {
        let most = settings::get().map_or(0, |wanted| wanted.close);
        let looked_at = event.checked_sub(FIRST_EVENT).and_then(|i| self.looked_at.get(usize::from(i)));
        looked_at.and_then(|count| take(count, u32::MAX, most))
    }
}
