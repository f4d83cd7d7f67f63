//! Finds what the probe knows of a JVM TI environment by its pointer.

use std::cell::Cell;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread::LocalKey;

use papaya::HashMap;
use rustc_hash::FxBuildHasher;

use crate::ffi::Env;
use crate::recording::has_locals;

/// What a table holds: something about one environment.
pub trait Entry: 'static {
    /// The pointer.
    fn env(&self) -> Env;
    /// Whether the environment has been disposed of.
    fn is_gone(&self) -> bool;
}

/// The entry that a thread found last.
pub type Last<T> = Cell<Option<&'static T>>;

/// Entries by the pointers of their environments. They are never freed: a disposed environment may still be used.
pub struct EnvironmentTable<T: Entry> {
    by_pointer: LazyLock<HashMap<usize, &'static T, FxBuildHasher>>,
    /// The same, for threads that are about to end, in the order in which they came.
    all: Mutex<Vec<&'static T>>,
}

impl<T: Entry + Sync> EnvironmentTable<T> {
    /// An empty table.
    pub const fn new() -> Self {
        EnvironmentTable { by_pointer: LazyLock::new(HashMap::default), all: Mutex::new(Vec::new()) }
    }

    /// Adds an entry. The JVM may reuse the pointer of a disposed environment: the newer entry replaces the older one.
    pub fn add(&self, entry: T) -> &'static T {
        let entry: &'static T = Box::leak(Box::new(entry));
        self.all.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
        if has_locals() {
            self.by_pointer.pin().insert(entry.env().0.expose_provenance(), entry);
        }
        entry
    }

    /// The entry for that pointer.
    #[inline]
    pub fn find(&self, env: Env, last: &'static LocalKey<Last<T>>) -> Option<&'static T> {
        let found = last.try_with(Cell::get).ok().flatten();
        if let Some(found) = found.filter(|found| found.env() == env && !found.is_gone()) {
            return Some(found);
        }
        let found = match has_locals() {
            true => self.by_pointer.pin().get(&env.0.expose_provenance()).copied()?,
            false => self.newest(env)?,
        };
        let _ = last.try_with(|last| last.set(Some(found)));
        Some(found)
    }

    /// The same, without a map.
    #[cold]
    fn newest(&self, env: Env) -> Option<&'static T> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().rev().copied().find(|entry| entry.env() == env)
    }

    /// Visits all entries but those that were replaced.
    pub fn each(&self, visit: impl FnMut(&'static T)) {
        if has_locals() {
            self.by_pointer.pin().values().copied().for_each(visit);
        }
    }
}
