//! The JVM passes to the callback of an extension event the environment in which the agent set it.

use jvmti_traces::Names;
use jvmti_wire::trace::{Body, Record};
use jvmti_wire::value::Value;
use rustc_hash::FxHashMap;

use super::{Begun, Observed, UniversalRule};

const FUNCTION: &str = "SetExtensionEventCallback";
const CALLBACK: &str = "jvmtiExtensionEvent";

#[derive(Default)]
pub(super) struct CallbackEnvironment {
    /// Environments in which functions were set, by call.
    set: FxHashMap<u32, u32>,
    observed: Observed,
}

impl UniversalRule for CallbackEnvironment {
    fn assertion(&self) -> &'static str {
        "extension-mechanism/callback-environment"
    }

    fn begun(&mut self, call: &Begun<'_>) {
        if call.function.name == FUNCTION {
            self.set.insert(call.number, call.environment);
        }
    }

    fn other(&mut self, record: &Record, _names: &Names<'_>) {
        let Body::Callback { call, callback, args, .. } = &record.body else { return };
        let Some(own) = self.set.get(call).filter(|_| callback == CALLBACK) else { return };
        self.observed.occasions += 1;
        let given = args.first().and_then(Value::as_int);
        if given != Some(i64::from(*own)) {
            self.observed.broken(
                || CALLBACK.to_owned(),
                "the environment in which the callback was set",
                || match given {
                    Some(0) | None => "not an environment of the probe".to_owned(),
                    Some(other) => format!("environment {other} instead of {own}"),
                },
            );
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
