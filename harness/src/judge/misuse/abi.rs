//! What agent and JVM have to agree on in binary: the size of the callbacks, the version asked for.

use jvmti_spec::{Edition, Release};
use jvmti_wire::Value;
use jvmti_wire::trace::Record;

use super::{Findings, Info, Rule, Severity};
use crate::agent::scene::{Moment, Scene};

pub(super) static SIZE: Info = Info {
    id: "abi/callbacks-size",
    severity: Severity::Error,
    anchor: "SetEventCallbacks",
    says: "the size given for the callbacks is that of a jvmtiEventCallbacks of some version",
};
pub(super) static NEWER: Info = Info {
    id: "abi/callbacks-newer",
    severity: Severity::Note,
    anchor: "SetEventCallbacks",
    says: "an agent is built for the JVM that it is used on: events that came later are not sent here",
};
pub(super) static VERSION: Info = Info {
    id: "abi/version",
    severity: Severity::Note,
    anchor: "environments",
    says: "the version asked for is one that has the functions which are used",
};

pub(super) struct Abi;

/// The release that a version of the interface belongs to.
fn release(version: i32) -> Release {
    match (version >> 16) & 0xfff {
        0 | 1 => Release(8),
        major => Release(u16::try_from(major).unwrap_or(u16::MAX)),
    }
}

/// Bytes of the callbacks that this JVM knows.
fn largest(spec: &Edition) -> Option<i64> {
    let fields = spec.structure("jvmtiEventCallbacks")?.fields.len();
    i64::try_from(fields * size_of::<usize>()).ok()
}

impl Rule for Abi {
    fn see(&mut self, scene: &Scene<'_>, record: &Record, moment: &Moment<'_>, found: &mut Findings) {
        let Moment::Begun(call) = moment else { return };
        let spec = scene.names.spec();
        let name = scene.names.function(call.function);
        if let ("SetEventCallbacks", Some(Value::Pointer(_)), Some(Value::Int(size))) =
            (name.as_str(), call.args.first(), call.args.get(1))
        {
            let word = size_of::<usize>() as i64;
            let known = largest(spec).unwrap_or(i64::MAX);
            let broken = match () {
                () if *size <= 0 || size % word != 0 => Some(&SIZE),
                () if *size > known => Some(&NEWER),
                () => None,
            };
            if let Some(info) = broken {
                found.add(info, (scene, record), (call.site, &name), || {
                    format!("the size is {size} bytes; that of this JVM is {known}")
                });
            }
        }
        let Some(environment) = scene.environments.get(&call.environment) else { return };
        let since = spec.functions.iter().find(|f| f.slot == call.function);
        let since = since.and_then(|function| Release::of_since(&function.since));
        let asked = release(environment.version);
        if let Some(since) = since.filter(|since| *since > asked) {
            found.add(&VERSION, (scene, record), (call.site, &name), || {
                format!(
                    "{name} is of version {since}; the environment was asked for as {:#x}",
                    environment.version
                )
            });
        }
    }
}
