//! What the JVM itself complains of: the code of a returned error is the proof.

use jvmti_wire::Value;
use jvmti_wire::trace::Record;
use rustc_hash::FxHashSet;

use super::{Findings, Info, Rule, Severity, callbacks};
use crate::scene::{Moment, Scene};

/// A rule that an error code proves broken.
pub(super) struct Row {
    error: &'static str,
    /// Functions that it is about; empty: all.
    functions: &'static [&'static str],
    pub(super) info: Info,
}

const fn row(
    error: &'static str,
    functions: &'static [&'static str],
    id: &'static str,
    severity: Severity,
    anchor: &'static str,
    says: &'static str,
) -> Row {
    Row { error, functions, info: Info { id, severity, anchor, says } }
}

/// The rules, the first that fits counts.
pub(super) static TABLE: &[Row] = &[
    row(
        "WRONG_PHASE",
        &[],
        "phase/wrong",
        Severity::Error,
        "",
        "a function is called in a phase that it is for",
    ),
    row(
        "MUST_POSSESS_CAPABILITY",
        &[],
        "capability/missing",
        Severity::Error,
        "",
        "what needs a capability is used by environments that possess it",
    ),
    row(
        "INVALID_ENVIRONMENT",
        &[],
        "environment/invalid",
        Severity::Error,
        "DisposeEnvironment",
        "an environment is not used once it has been disposed of",
    ),
    row(
        "UNATTACHED_THREAD",
        &[],
        "thread/unattached",
        Severity::Error,
        "universal-error",
        "functions are called on threads that are attached to the JVM",
    ),
    row(
        "NOT_MONITOR_OWNER",
        &["RawMonitorExit", "RawMonitorWait", "RawMonitorNotify", "RawMonitorNotifyAll", "DestroyRawMonitor"],
        "monitor/not-owner",
        Severity::Error,
        "",
        "a raw monitor is exited, waited for, notified and destroyed by the thread that has entered it",
    ),
    row(
        "INVALID_MONITOR",
        &[],
        "monitor/invalid",
        Severity::Error,
        "",
        "a raw monitor is one that was created, and has not been destroyed",
    ),
    row(
        "INVALID_METHODID",
        &[],
        "method/gone",
        Severity::Error,
        "jmethodID",
        "a method id is not used once its class is gone",
    ),
    row(
        "INVALID_FIELDID",
        &[],
        "field/invalid",
        Severity::Error,
        "jfieldID",
        "a field id is used with the class that it belongs to, as long as that is there",
    ),
    row(
        "NULL_POINTER",
        &[],
        "argument/null",
        Severity::Error,
        "",
        "pointers are not null where that means nothing",
    ),
    row(
        "ILLEGAL_ARGUMENT",
        &[],
        "argument/illegal",
        Severity::Warning,
        "",
        "arguments are in the range that the function takes",
    ),
    row(
        "INVALID_EVENT_TYPE",
        &[],
        "event/type",
        Severity::Error,
        "",
        "only events that there are are asked for",
    ),
    row(
        "UNSUPPORTED_OPERATION",
        &[],
        "thread/virtual",
        Severity::Warning,
        "",
        "nothing is asked of virtual threads that is not offered for them",
    ),
    row(
        "OPAQUE_FRAME",
        &[],
        "frame/opaque",
        Severity::Note,
        "",
        "frames are asked for what they can tell: not those of native methods and of unmounted virtual threads",
    ),
];

/// The rules of the table.
#[derive(Default)]
pub(super) struct Errors {
    /// Method ids that the JVM has given.
    methods: FxHashSet<u64>,
}

impl Rule for Errors {
    fn see(&mut self, scene: &Scene<'_>, record: &Record, moment: &Moment<'_>, found: &mut Findings) {
        let (call, code) = match moment {
            Moment::Returned { call, code: 0, outputs, .. } => {
                self.know(&call.args);
                outputs.iter().for_each(|(_, value)| self.know(std::slice::from_ref(value)));
                return;
            }
            Moment::Entered(_, args) => return self.know(args),
            Moment::Returned { call, code, .. } => (call, *code),
            _ => return,
        };
        if callbacks::is_unattached(scene, code) && callbacks::walking(scene).is_some() {
            return;
        }
        let Some(error) = scene.names.spec().error_by_number(code) else { return };
        let name = scene.names.function(call.function);
        let fits = |row: &&Row| {
            row.error == error.name
                && (row.functions.is_empty() || row.functions.contains(&name.as_ref()))
                && (row.info.id != "method/gone" || self.knows(&call.args))
        };
        if let Some(row) = TABLE.iter().find(fits) {
            found.add(&row.info, (scene, record), (call.site, &name), || {
                format!("{} → {}", scene.names.call(call.function, &call.args), scene.names.error(code))
            });
        }
    }
}

impl Errors {
    fn know(&mut self, values: &[Value]) {
        for value in values {
            match value {
                Value::Method(id) => drop(self.methods.insert(*id)),
                Value::List(items) => self.know(items),
                Value::Struct(fields) => {
                    fields.iter().for_each(|(_, value)| self.know(std::slice::from_ref(value)));
                }
                _ => {}
            }
        }
    }

    /// An id that the JVM never gave was not a method's at any time.
    fn knows(&self, args: &[Value]) -> bool {
        args.iter().any(|arg| matches!(arg, Value::Method(id) if self.methods.contains(id)))
    }
}
