//! How far the VM has come, as the probe's own environment learns it, and what may be done there.

use std::cell::Cell;
use std::sync::atomic::{AtomicU8, Ordering};

use super::probe_environment;
use crate::ffi::event;

/// Stages in the life of the VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Stage {
    /// In `Agent_OnLoad`.
    Loading,
    /// Until VMStart.
    Primordial,
    /// Until VMInit.
    Start,
    /// Until the first VMDeath callback.
    Live,
    /// While or after the VMDeath callbacks run: whether it is dead already, only the VM knows.
    Ending,
}

static STAGE: AtomicU8 = AtomicU8::new(Stage::Loading as u8);

thread_local! {
    /// How many callbacks on this thread's stack allow nothing but callback-safe functions.
    static RESTRICTED: Cell<u32> = const { Cell::new(0) };
}

/// The VM reached a stage.
pub fn reached(stage: Stage) {
    STAGE.fetch_max(stage as u8, Ordering::AcqRel);
}

/// Whether `Agent_OnLoad` has returned and VMStart has not come.
pub fn is_primordial() -> bool {
    STAGE.load(Ordering::Acquire) == Stage::Primordial as u8
}

/// Whether the VM has come to its start phase; unlike others, this needs no answer of the VM, which it gives attached threads only.
pub fn has_started() -> bool {
    STAGE.load(Ordering::Acquire) >= Stage::Start as u8
}

/// Whether the VM is in its start or live phase, so that JNI may be used.
pub fn is_running() -> bool {
    let stage = STAGE.load(Ordering::Acquire);
    if stage < Stage::Ending as u8 {
        return stage >= Stage::Start as u8;
    }
    probe_environment::get().is_some_and(|own| own.phase().is_some_and(probe_environment::is_running_phase))
}

/// Whether the VM is in its live phase.
pub fn is_live() -> bool {
    let stage = STAGE.load(Ordering::Acquire);
    stage == Stage::Live as u8 || (stage > Stage::Live as u8 && is_running())
}

/// Whether objects can be looked at here: the phase allows it and so does the callback, if this is inside one.
pub fn objects_allowed() -> bool {
    !is_restricted() && is_running()
}

/// Whether this thread is inside a callback that allows nothing but callback-safe functions.
pub fn is_restricted() -> bool {
    RESTRICTED.try_with(Cell::get).unwrap_or(0) > 0
}

/// Whether the callback of that event allows nothing but callback-safe functions.
pub fn is_restricting(number: u16) -> bool {
    matches!(number, event::GARBAGE_COLLECTION_START | event::GARBAGE_COLLECTION_FINISH | event::OBJECT_FREE)
}

/// While it lives, this thread is inside a callback that allows nothing but callback-safe functions.
pub struct Restricted(());

impl Restricted {
    /// Enters.
    pub fn enter() -> Restricted {
        let _ = RESTRICTED.try_with(|depth| depth.set(depth.get() + 1));
        Restricted(())
    }
}

impl Drop for Restricted {
    fn drop(&mut self) {
        let _ = RESTRICTED.try_with(|depth| depth.set(depth.get().saturating_sub(1)));
    }
}
