//! Rules on the binary interface: the size of `jvmtiEventCallbacks`, and the version that an agent requests.

use jvmti_spec::Edition;
use jvmti_wire::Value;
use jvmti_wire::trace::Record;

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static SIZE: Info = Info {
    id: "abi/callbacks-size",
    severity: Severity::Error,
    anchor: "SetEventCallbacks",
    says: "pass SetEventCallbacks a size that jvmtiEventCallbacks has in some version",
};
pub(super) static PART: Info = Info {
    id: "abi/callbacks-part",
    severity: Severity::Warning,
    anchor: "SetEventCallbacks",
    says: "pass SetEventCallbacks the size of the structure, not that of a pointer or of a part: the JVM sets no callbacks beyond it",
};
pub(super) static NEWER: Info = Info {
    id: "abi/callbacks-newer",
    severity: Severity::Note,
    anchor: "SetEventCallbacks",
    says: "build the agent for the JVM that it runs on: this JVM does not send events that later versions added",
};
pub(super) static VERSION: Info = Info {
    id: "abi/version",
    severity: Severity::Note,
    anchor: "environments",
    says: "request a version of JVM TI that has the functions that you call",
};

/// The number of callbacks in `jvmtiEventCallbacks` of the first version.
const SMALLEST: i64 = 35;

pub(super) struct Abi;

/// Major and minor number of a version in the form that an agent passes to `GetEnv`.
fn asked(version: i32) -> (i32, i32) {
    ((version >> 16) & 0xfff, (version >> 8) & 0xff)
}

/// Major and minor number of a version as it is printed: `1.2`, `21`.
fn printed(since: &str) -> Option<(i32, i32)> {
    let (major, minor) = since.split_once('.').unwrap_or((since, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The size of `jvmtiEventCallbacks` in this JVM's release, in bytes.
fn largest(spec: &Edition) -> Option<i64> {
    let fields = spec.structure("jvmtiEventCallbacks")?.fields.len();
    i64::try_from(fields * size_of::<usize>()).ok()
}

impl MisuseRule for Abi {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let TraceEvent::Begun(call) = trace_event else { return };
        let spec = state.names.spec();
        let name = state.names.function(call.function);
        if let ("SetEventCallbacks", Some(Value::Pointer(_)), Some(Value::Int(size))) =
            (name.as_ref(), call.args.first(), call.args.get(1))
        {
            let word = size_of::<usize>() as i64;
            let known = largest(spec).unwrap_or(i64::MAX);
            let broken = match () {
                () if *size <= 0 || size % word != 0 => Some(&SIZE),
                () if *size > known => Some(&NEWER),
                () if *size < SMALLEST * word => Some(&PART),
                () => None,
            };
            if let Some(info) = broken {
                found.add(info, (state, record), (call.site, &name), || {
                    format!("the size is {size} bytes; in this JVM it is {known}")
                });
            }
        }
        let Some(environment) = state.environments.get(&call.environment) else { return };
        let since = state.names.facts(call.function);
        let newer = |since: &&String| printed(since).is_some_and(|since| since > asked(environment.version));
        if let Some(since) = since.map(|function| &function.since).filter(newer) {
            found.add(&VERSION, (state, record), (call.site, &name), || {
                format!(
                    "{name} was added in version {since}; the requested version of the environment is {:#x}",
                    environment.version
                )
            });
        }
    }
}
