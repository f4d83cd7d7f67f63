//! Linux.

use rustix::process::Signal;

/// Why native agents cannot be recorded here.
pub(crate) const NO_RECORDING: Option<&str> = None;

/// Has a file that grows beyond the limit of the process be an error, and no longer the end of the process. The JVMs that it
/// starts do not inherit that.
pub(crate) fn outlive_large_files() {
    // It takes a handler of the signal. What cannot be had is done without.
    let _ = signal_hook::flag::register(Signal::XFSZ.as_raw(), std::sync::Arc::default());
}
