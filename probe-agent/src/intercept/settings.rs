//! What is to be recorded of agents.

use std::sync::OnceLock;

use jvmti_wire::plan::Interception;

static SETTINGS: OnceLock<Interception> = OnceLock::new();

/// Turns interception on; `false`: it was on already.
pub fn set(settings: Interception) -> bool {
    SETTINGS.set(settings).is_ok()
}

/// What is to be recorded; `None`: agents are not intercepted.
#[inline]
pub fn get() -> Option<&'static Interception> {
    SETTINGS.get()
}
