//! The protocol by which HotSpot is asked to load an agent runs code in the JVM's process here, and is left to the JVM's own JDK.

use std::time::Duration;

use crate::launch::attach::AttachError;

/// Whether the harness knows the protocol.
pub(crate) const SUPPORTED: bool = false;

/// Never known here.
pub(crate) fn listens(_pid: u32) -> bool {
    false
}

/// Not to be called.
pub(crate) fn load_agent(
    _pid: u32,
    _library: &str,
    _options: &str,
    _timeout: Duration,
) -> Result<String, AttachError> {
    Err(AttachError::NoApi)
}
