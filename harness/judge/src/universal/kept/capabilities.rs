//! An environment possesses the capabilities that it has added and not relinquished, and with those that a function needs it may call
//! the function.

use jvmti_spec::Edition;
use jvmti_traces::Names;
use jvmti_wire::trace::{Body, Record};
use jvmti_wire::value::Value;
use rustc_hash::FxHashMap;

use super::super::{Begun, Observed, Returned, UniversalRule};
use super::{Ended, Kept};

enum Role {
    Adds,
    Relinquishes,
    Tells,
    /// Needs all of these.
    Needs(u128),
    /// Enables events: by number, those of which one is enough.
    Enables(FxHashMap<i64, u128>),
    Disposes,
}

pub(in super::super) struct Possessed {
    roles: FxHashMap<u16, Role>,
    kept: Kept<u32, u128>,
    refusal: Option<i32>,
    /// Whether the probe is in one of its entry points: the environments that it makes there are new. Later, a case may get one that
    /// another case has added capabilities to.
    entered: bool,
    blind: bool,
    observed: Observed,
}

impl Possessed {
    pub(in super::super) fn new(spec: &Edition) -> Self {
        let bit = |name: &String| spec.capability(name).map_or(0, |capability| 1u128 << capability.bit);
        let role = |function: &jvmti_spec::edition::Function| {
            let capabilities = &function.capabilities;
            Some(match function.name.as_str() {
                "AddCapabilities" => Role::Adds,
                "RelinquishCapabilities" => Role::Relinquishes,
                "GetCapabilities" => Role::Tells,
                "DisposeEnvironment" => Role::Disposes,
                "SetEventNotificationMode" => {
                    let mut events: FxHashMap<i64, u128> = FxHashMap::default();
                    for (capability, enables) in &capabilities.event_enabling {
                        for event in enables.iter().filter_map(|name| spec.event(name)) {
                            *events.entry(event.number.into()).or_default() |= bit(capability);
                        }
                    }
                    Role::Enables(events)
                }
                _ if capabilities.required.is_empty() => return None,
                _ => Role::Needs(capabilities.required.iter().map(bit).fold(0, |all, one| all | one)),
            })
        };
        Possessed {
            roles: spec.functions.iter().filter_map(|f| Some((f.slot, role(f)?))).collect(),
            kept: Kept::default(),
            refusal: spec.error("MUST_POSSESS_CAPABILITY").map(|error| error.number),
            entered: false,
            blind: false,
            observed: Observed::default(),
        }
    }

    fn told(&mut self, call: &Returned<'_>, ended: Ended<u32, u128>) {
        let Some(told) = bits(call.names.spec(), call.output(0)).filter(|_| call.code == 0) else {
            return;
        };
        match ended.known {
            Some(known) => {
                self.observed.occasions += 1;
                if told != known {
                    let place = || call.place();
                    let expected = format!("{known:#x}, what was added and not relinquished");
                    self.observed.broken(place, &expected, || format!("{told:#x}"));
                }
            }
            None => self.kept.set(ended.key, ended.undisturbed.then_some(told)),
        }
    }
}

/// The capabilities in such a structure. What becomes of bits without a name is not said.
fn bits(spec: &Edition, value: Option<&Value>) -> Option<u128> {
    let Some(Value::Bytes(bytes)) = value else { return None };
    Some(spec.capabilities_in(bytes).fold(0, |all, capability| all | 1 << capability.bit))
}

impl UniversalRule for Possessed {
    fn assertion(&self) -> &'static str {
        "universal/capabilities-decide"
    }

    fn begun(&mut self, call: &Begun<'_>) {
        if let Some(role) = self.roles.get(&call.function.slot) {
            let changes = matches!(role, Role::Adds | Role::Relinquishes | Role::Disposes);
            self.kept.begin(call.number, call.environment, changes);
        }
    }

    fn returned(&mut self, call: &Returned<'_>) {
        let Some(role) = self.roles.get(&call.function.slot) else { return };
        let Some(ended) = self.kept.end(call.call.number, |_| true) else { return };
        let asked = bits(call.names.spec(), call.call.args.first());
        let (needed, one_is_enough) = match role {
            Role::Needs(all) => (*all, false),
            Role::Enables(events) => match call.call.args.as_slice() {
                [Value::Int(1), Value::Int(event), ..] => (events.get(event).copied().unwrap_or(0), true),
                _ => (0, true),
            },
            Role::Tells => return self.told(call, ended),
            Role::Adds | Role::Relinquishes => {
                let adds = matches!(role, Role::Adds);
                let value = ended.known.zip(asked).map(|(known, asked)| match (call.code, adds) {
                    (0, true) => known | asked,
                    (0, false) => known & !asked,
                    _ => known,
                });
                return self.kept.set(ended.key, value);
            }
            Role::Disposes => return self.kept.set(ended.key, None),
        };
        let Some(known) = ended.known.filter(|_| needed != 0) else { return };
        let possesses = if one_is_enough { known & needed != 0 } else { known & needed == needed };
        let is_refused = Some(call.code) == self.refusal;
        // That one is missing, a JVM need not detect.
        if possesses && (call.code == 0 || is_refused) {
            self.observed.occasions += 1;
            if is_refused {
                let place = || call.place();
                let expected = "an environment that possesses the capability";
                self.observed.broken(place, expected, || call.names.error(call.code));
            }
        }
    }

    fn other(&mut self, record: &Record, _names: &Names<'_>) {
        match &record.body {
            Body::Entry(_) => self.entered = true,
            Body::EntryReturned { .. } => self.entered = false,
            Body::EnvironmentMade { environment, code: 0, .. } if self.entered => {
                self.kept.set(*environment, Some(0));
            }
            Body::AgentEnvironment { environment, .. } => self.kept.set(*environment, Some(0)),
            Body::CallsCounted { function, .. } => {
                let role = self.roles.get(function);
                self.blind |= matches!(role, Some(Role::Adds | Role::Relinquishes | Role::Disposes));
            }
            _ => {}
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        if self.blind { Observed::default() } else { self.observed }
    }
}
