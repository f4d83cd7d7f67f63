//! A method id stays valid until the JVM unloads the class.
//!
//! No trace shows when that happens. So the rule covers only methods of classes that the JVM cannot unload: classes in
//! packages `java.*` that are not hidden. Only the bootstrap and the platform class loader may define these.

use jvmti_wire::value::Value;
use rustc_hash::FxHashSet;

use super::{Observed, Returned, Sent, UniversalRule};

const REFUSAL: &str = "INVALID_METHODID";

pub(super) struct MethodIds {
    /// Number of the error, in this release.
    refusal: Option<i32>,
    /// Ids that events passed and calls returned.
    told: FxHashSet<u64>,
    observed: Observed,
}

/// Whether a class of that signature lives as long as the VM. The name of a hidden class has a dot in it, before 15 a
/// segment that is a number.
fn is_permanent(signature: &str) -> bool {
    let is_number = |segment: &str| segment.trim_end_matches(';').bytes().all(|b| b.is_ascii_digit());
    signature.starts_with("Ljava/") && !signature.contains('.') && !signature.split('/').any(is_number)
}

impl MethodIds {
    pub(super) fn new(spec: &jvmti_spec::Edition) -> Self {
        let refusal = spec.error(REFUSAL).map(|error| error.number);
        MethodIds { refusal, told: FxHashSet::default(), observed: Observed::default() }
    }

    fn tell(&mut self, value: &Value) {
        match value {
            Value::Method(method) => {
                self.told.insert(*method);
            }
            Value::List(items) => items.iter().for_each(|item| self.tell(item)),
            Value::Struct(fields) => fields.iter().for_each(|(_, field)| self.tell(field)),
            _ => {}
        }
    }

    /// Whether a method of that id has been told, and can't have gone.
    fn is_good(&self, method: u64, call: &Returned<'_>) -> bool {
        self.told.contains(&method)
            && call.names.definitions().method(method).is_some_and(|m| is_permanent(&m.class))
    }
}

impl UniversalRule for MethodIds {
    fn assertion(&self) -> &'static str {
        "universal/method-id-valid-with-class"
    }

    fn returned(&mut self, call: &Returned<'_>) {
        let method = call.call.args.iter().find_map(|arg| match arg {
            Value::Method(method) => Some(*method),
            _ => None,
        });
        if let Some(method) = method
            && self.is_good(method, call)
        {
            self.observed.occasions += 1;
            if Some(call.code) == self.refusal {
                let place = || call.place();
                let expected = "a valid id, because its class cannot be unloaded";
                self.observed.broken(place, expected, || call.names.error(call.code));
            }
        }
        if call.code == 0 {
            call.outputs.iter().for_each(|(_, output)| self.tell(output));
        }
    }

    fn sent(&mut self, event: &Sent<'_>) {
        event.args.iter().for_each(|arg| self.tell(arg));
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
