//! The primordial phase: no event tells of its beginning, but the VM may send others there. An environment of its own
//! listens for one, if a step waits for it.

use std::sync::OnceLock;

use jvmti_wire::plan::Trigger;

use crate::execute::cases;
use crate::ffi::{error, event};
use crate::recording::trouble;
use crate::vm::environments::{self, OwnEnvironment};
use crate::vm::stage;

/// An event that needs no capability and comes early: VMs make their first code before there is a class.
const EARLIEST: u16 = event::DYNAMIC_CODE_GENERATED;

static LISTENER: OnceLock<&'static OwnEnvironment> = OnceLock::new();

/// The agent is loaded: listens, if a step waits for the primordial phase.
pub fn listen() {
    let mut steps = cases::get().into_iter().flat_map(|cases| cases.all()).flat_map(|case| &case.plan.steps);
    if !steps.any(|step| step.at == Trigger::Primordial) {
        return;
    }
    let Ok(listener) = environments::make(None, 0, None) else { return };
    environments::set_callbacks(listener.env);
    match listener.enable(EARLIEST) {
        Ok(error::NONE) => drop(LISTENER.set(listener)),
        Ok(code) => trouble(format!("enabling event {EARLIEST} gave error {code}")),
        Err(missing) => trouble(missing.to_string()),
    }
}

/// Whether an event came to the listener between `Agent_OnLoad` and VMStart; what phase the VM says that this is may be
/// what a case is about.
pub fn is_here(number: u16) -> bool {
    number == EARLIEST && LISTENER.get().is_some_and(|listener| !listener.is_gone()) && stage::is_primordial()
}

/// The phase is over.
pub fn end() {
    LISTENER.get().into_iter().for_each(|listener| listener.dispose());
}
