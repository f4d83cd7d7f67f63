//! The state bits of a thread obey the rules of GetThreadState, whichever function returns them.

use jvmti_wire::value::Value;

use super::{Observed, Returned, UniversalRule};
use crate::thread_state;

#[derive(Default)]
pub(super) struct ThreadStates {
    observed: Observed,
}

impl UniversalRule for ThreadStates {
    fn assertion(&self) -> &'static str {
        "universal/thread-state-bits"
    }

    fn returned(&mut self, call: &Returned<'_>) {
        // After an error the outputs hold anything.
        if call.code != 0 {
            return;
        }
        match call.function.name.as_str() {
            "GetThreadState" => call.outputs.iter().for_each(|(i, value)| {
                if let Value::Int(state) = value {
                    self.state(call, *i, *state);
                }
            }),
            "GetAllStackTraces" | "GetThreadListStackTraces" => {
                for (i, value) in call.outputs {
                    let Value::List(infos) = value else { continue };
                    for state in infos.iter().filter_map(|info| info.field("state")?.as_int()) {
                        self.state(call, *i, state);
                    }
                }
            }
            _ => {}
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}

impl ThreadStates {
    fn state(&mut self, call: &Returned<'_>, param: u16, state: i64) {
        self.observed.occasions += 1;
        let bits = state as u32;
        if thread_state::violations(bits).next().is_none() {
            return;
        }
        let place = || call.place();
        self.observed.broken(place, "a valid thread state", || {
            let broken: Vec<&str> = thread_state::violations(bits).collect();
            // Within GetThreadState the parameter tells how to name the bits; a stack info's field is shown alike.
            let shown = match call.function.name.as_str() {
                "GetThreadState" => call.names.parameter(call.function.slot, param, &Value::Int(state)),
                _ => call.names.thread_state(bits),
            };
            format!("{shown}, against {}", broken.join(", "))
        });
    }
}
