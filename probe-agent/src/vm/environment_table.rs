//! Finds what the probe knows of a JVM TI environment by its pointer.

use std::cell::Cell;
use std::sync::LazyLock;
use std::thread::LocalKey;

use papaya::HashMap;
use rustc_hash::FxBuildHasher;

use crate::ffi::Env;

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
pub struct EnvironmentTable<T: Entry>(LazyLock<HashMap<usize, &'static T, FxBuildHasher>>);

impl<T: Entry + Sync> EnvironmentTable<T> {
    /// An empty table.
    pub const fn new() -> Self {
        EnvironmentTable(LazyLock::new(HashMap::default))
    }

    /// Adds an entry. The JVM may reuse the pointer of a disposed environment: the newer entry replaces the older one.
    pub fn add(&self, entry: T) -> &'static T {
        let entry: &'static T = Box::leak(Box::new(entry));
        self.0.pin().insert(entry.env().0.expose_provenance(), entry);
        entry
    }

    /// The entry for that pointer.
    #[inline]
    pub fn find(&self, env: Env, last: &'static LocalKey<Last<T>>) -> Option<&'static T> {
        let found = last.try_with(Cell::get).ok().flatten();
        if let Some(found) = found.filter(|found| found.env() == env && !found.is_gone()) {
            return Some(found);
        }
        let found = self.0.pin().get(&env.0.expose_provenance()).copied()?;
        let _ = last.try_with(|last| last.set(Some(found)));
        Some(found)
    }

    /// Visits all entries but those that were replaced.
    pub fn each(&self, visit: impl FnMut(&'static T)) {
        self.0.pin().values().copied().for_each(visit);
    }
}
