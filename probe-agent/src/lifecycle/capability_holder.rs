//! Possesses capabilities and does nothing else, so that their cost can be measured: one environment, no event, no
//! callback, nothing recorded after `Agent_OnLoad`.

use crate::vm::probe_environment::{ProbeEnvironment, record_capabilities};

/// Makes the environment, adds the capabilities (given by bit), and records which the JVM offers and which the environment
/// then has. Fails with what `GetEnv` returned if this JVM offers no JVM TI.
pub fn hold(capabilities: &[u16]) -> Result<(), i32> {
    let (environment, _) = ProbeEnvironment::bare()?;
    environment.record_properties();
    record_capabilities("capabilities.onload", &environment.potential_capabilities());
    if !capabilities.is_empty() {
        // Whether they were granted shows below.
        environment.add_capabilities(capabilities);
    }
    record_capabilities("capabilities.held", &environment.held_capabilities());
    Ok(())
}
