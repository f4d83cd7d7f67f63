//! The settings of interception.

use std::sync::OnceLock;

use jvmti_wire::plan::Interception;

static SETTINGS: OnceLock<Interception> = OnceLock::new();

/// Turns interception on; `false`: it was on already.
pub fn set(settings: Interception) -> bool {
    SETTINGS.set(settings).is_ok()
}

/// The settings; `None`: the probe does not intercept agents.
#[inline]
pub fn get() -> Option<&'static Interception> {
    SETTINGS.get()
}
