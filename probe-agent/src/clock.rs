//! Time since the agent was loaded.

use std::sync::OnceLock;
use std::time::Instant;

static START: OnceLock<Instant> = OnceLock::new();

/// Starts the clock, unless it runs.
pub fn start() {
    START.get_or_init(Instant::now);
}

/// Nanoseconds since [`start`]; 0 before.
pub fn now() -> u64 {
    START.get().map_or(0, |start| u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX))
}
