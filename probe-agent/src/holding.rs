//! Possesses capabilities and does nothing else, so that what this costs can be measured: one environment, no event, no
//! callback, nothing recorded after `Agent_OnLoad`.

use jvmti_wire::trace::Body;

use crate::ffi::slot;
use crate::life;
use crate::recorder::record;
use crate::registrar::Registrar;
use crate::setup;

/// Makes the environment and adds the capabilities, by bit. What the VM offers and what the environment then has is
/// recorded. Fails with what `GetEnv` returned if this VM offers no JVM TI.
pub fn hold(capabilities: &[u16]) -> Result<(), i32> {
    let (registrar, _) = Registrar::bare()?;
    life::tell_vm(&registrar);
    tell("capabilities.onload", &registrar.potential_capabilities());
    if !capabilities.is_empty() {
        let wanted = setup::bits(capabilities);
        // Whether it was granted shows below.
        registrar.call(slot::ADD_CAPABILITIES, &[wanted.as_ptr().expose_provenance() as u64]);
    }
    tell("capabilities.held", &registrar.held_capabilities());
    Ok(())
}

fn tell(key: &str, names: &[&str]) {
    record(&Body::Identity { key: key.to_owned(), value: names.join(" ") });
}
