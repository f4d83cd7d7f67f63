//! Rules whose violation the JVM itself proves by the error code that it returns.

use jvmti_spec::edition::Phase;
use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::FxHashSet;

use super::capabilities::Lacking;
use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, Call, TraceEvent};
use crate::digest::named_in;

/// A rule whose violation an error code proves.
pub(super) struct Row {
    errors: &'static [&'static str],
    /// The functions that the rule applies to; empty: all.
    functions: &'static [&'static str],
    pub(super) info: Info,
}

const fn row(
    errors: &'static [&'static str],
    functions: &'static [&'static str],
    id: &'static str,
    severity: Severity,
    anchor: &'static str,
    says: &'static str,
) -> Row {
    Row { errors, functions, info: Info { id, severity, anchor, says } }
}

/// The rules on references that the JVM rejects.
pub(super) static REFERENCES: [&str; 4] =
    ["thread/invalid", "class/invalid", "object/invalid", "thread-group/invalid"];

/// What a JVM returns for changes of a class that it does not support.
const UNSUPPORTED_CHANGES: &[&str] = &[
    "UNSUPPORTED_REDEFINITION_METHOD_ADDED",
    "UNSUPPORTED_REDEFINITION_SCHEMA_CHANGED",
    "UNSUPPORTED_REDEFINITION_HIERARCHY_CHANGED",
    "UNSUPPORTED_REDEFINITION_METHOD_DELETED",
    "UNSUPPORTED_REDEFINITION_CLASS_MODIFIERS_CHANGED",
    "UNSUPPORTED_REDEFINITION_METHOD_MODIFIERS_CHANGED",
    "UNSUPPORTED_REDEFINITION_CLASS_ATTRIBUTE_CHANGED",
];

/// The rules; the first one that matches counts.
pub(super) static TABLE: &[Row] = &[
    row(
        &["WRONG_PHASE"],
        &[],
        "phase/over",
        Severity::Warning,
        "VMDeath",
        "expect WRONG_PHASE in callbacks and on threads of the agent that outlive VMDeath, or end them before",
    ),
    row(
        &["WRONG_PHASE"],
        &[],
        "phase/wrong",
        Severity::Error,
        "",
        "call a function only in the phases that allow it",
    ),
    row(
        &["MUST_POSSESS_CAPABILITY"],
        &[],
        "capability/missing",
        Severity::Error,
        "",
        "possess the capability that a function or event requires",
    ),
    row(
        &["INVALID_ENVIRONMENT"],
        &[],
        "environment/invalid",
        Severity::Error,
        "DisposeEnvironment",
        "do not use an environment after disposing of it",
    ),
    row(
        &["UNATTACHED_THREAD"],
        &[],
        "thread/unattached",
        Severity::Error,
        "universal-error",
        "call functions only on threads that are attached to the JVM",
    ),
    row(
        &["NOT_MONITOR_OWNER"],
        &["RawMonitorExit", "RawMonitorWait", "RawMonitorNotify", "RawMonitorNotifyAll", "DestroyRawMonitor"],
        "monitor/not-owner",
        Severity::Error,
        "",
        "exit, wait on, notify and destroy a raw monitor on the thread that has entered it",
    ),
    row(
        &["INVALID_MONITOR"],
        &[],
        "monitor/invalid",
        Severity::Error,
        "",
        "use only raw monitors that were created and have not been destroyed",
    ),
    row(
        &["INVALID_MODULE"],
        &[],
        "module/invalid",
        Severity::Error,
        "",
        "pass only references to objects of java.lang.Module, and only as long as they are valid",
    ),
    row(
        &["NOT_FOUND"],
        &["ClearBreakpoint", "ClearFieldAccessWatch", "ClearFieldModificationWatch"],
        "event/not-set",
        Severity::Warning,
        "",
        "clear each breakpoint and each watch once, and where it was set: there is none, and another one may be left",
    ),
    row(
        &["INVALID_METHODID"],
        &[],
        "method/gone",
        Severity::Error,
        "jmethodID",
        "do not use a method id after its class has been unloaded",
    ),
    row(
        &["INVALID_METHODID"],
        &[],
        "method/invalid",
        Severity::Error,
        "jmethodID",
        "use only method ids that the JVM gave to the agent, and only until their class is unloaded",
    ),
    row(
        &["INVALID_THREAD"],
        &[],
        "thread/invalid",
        Severity::Error,
        "",
        "pass only references to threads, and only as long as they are valid",
    ),
    row(
        &["INVALID_CLASS"],
        &[],
        "class/invalid",
        Severity::Error,
        "",
        "pass only references to classes, and only as long as they are valid",
    ),
    row(
        &["INVALID_OBJECT"],
        &[],
        "object/invalid",
        Severity::Error,
        "",
        "pass only references to objects, and only as long as they are valid",
    ),
    row(
        &["INVALID_THREAD_GROUP"],
        &[],
        "thread-group/invalid",
        Severity::Error,
        "",
        "pass only references to thread groups, and only as long as they are valid",
    ),
    row(
        &["THREAD_NOT_SUSPENDED"],
        &[],
        "thread/not-suspended",
        Severity::Warning,
        "",
        "suspend a thread before you resume it, look into its frames or change them",
    ),
    row(
        &["CLASS_NOT_PREPARED"],
        &[],
        "class/not-prepared",
        Severity::Warning,
        "ClassLoad",
        "ask for what a class has when it is prepared in the callback of ClassPrepare, not in that of ClassLoad",
    ),
    row(
        &["INVALID_PRIORITY"],
        &[],
        "thread/priority",
        Severity::Warning,
        "",
        "give agent threads a priority that threads can have: otherwise they do not start",
    ),
    row(
        &["TYPE_MISMATCH"],
        &[],
        "frame/type",
        Severity::Warning,
        "",
        "read and write local variables and return values with the function for their type",
    ),
    row(
        &["INVALID_FIELDID"],
        &[],
        "field/invalid",
        Severity::Error,
        "jfieldID",
        "use a field id only with its class, and only until the class is unloaded",
    ),
    row(
        &["NULL_POINTER"],
        &[],
        "argument/null",
        Severity::Error,
        "",
        "do not pass a null pointer where null has no meaning",
    ),
    row(
        &["ILLEGAL_ARGUMENT"],
        &[],
        "argument/illegal",
        Severity::Warning,
        "",
        "pass only arguments in the range that the function accepts",
    ),
    row(
        &["INVALID_SLOT"],
        &[],
        "frame/slot",
        Severity::Note,
        "",
        "read and write only slots that the frame has, where the local variable is in scope",
    ),
    row(
        &["INVALID_LOCATION"],
        &[],
        "method/location",
        Severity::Warning,
        "",
        "use only locations at which an instruction of the method begins",
    ),
    row(
        &["UNMODIFIABLE_CLASS"],
        &["RedefineClasses", "RetransformClasses"],
        "class/unmodifiable",
        Severity::Warning,
        "IsModifiableClass",
        "ask IsModifiableClass first: one class that cannot be changed makes the call fail for all",
    ),
    row(
        &[
            "INVALID_CLASS_FORMAT",
            "FAILS_VERIFICATION",
            "CIRCULAR_CLASS_DEFINITION",
            "NAMES_DONT_MATCH",
            "UNSUPPORTED_VERSION",
        ],
        &["RedefineClasses", "RetransformClasses"],
        "class/malformed",
        Severity::Warning,
        "",
        "give the JVM class file data of that class, well-formed and in a version that it knows: it rejects other data",
    ),
    // The new class of RedefineClasses may be somebody else's, who is told of the error.
    row(
        UNSUPPORTED_CHANGES,
        &["RetransformClasses"],
        "class/change-unsupported",
        Severity::Warning,
        "RetransformClasses",
        "change only the bodies of methods when a class is retransformed: it may not get other members, modifiers or superclasses",
    ),
    row(&["INVALID_EVENT_TYPE"], &[], "event/type", Severity::Error, "", "use only event types that exist"),
    row(
        &["UNSUPPORTED_OPERATION"],
        &[],
        "thread/virtual",
        Severity::Note,
        "",
        "do not request of a virtual thread what the function does not offer for virtual threads",
    ),
    row(
        &["OPAQUE_FRAME"],
        &[],
        "frame/opaque",
        Severity::Note,
        "",
        "do not request information that a frame cannot provide, such as that of a native method or of an unmounted virtual thread",
    ),
];

/// The rules of the table.
#[derive(Default)]
pub(super) struct Errors {
    /// The method ids that the JVM has given to the agent.
    methods: FxHashSet<u64>,
    /// The thread on which the JVM ends, once it does.
    ending: Option<u32>,
    lacking: Lacking,
    /// Whether a class has been changed.
    redefines: bool,
}

impl MisuseRule for Errors {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let (call, code) = match trace_event {
            _ if is_death(state, trace_event, &record.body) => {
                self.ending = Some(record.thread);
                return;
            }
            TraceEvent::Returned { call, code: 0, outputs, .. } => {
                self.know(&call.args);
                let name = state.names.function(call.function);
                self.redefines |= matches!(name.as_ref(), "RedefineClasses" | "RetransformClasses");
                if let Some(added) = named_in(state, call, "AddCapabilities") {
                    self.lacking.added(call.environment, added);
                }
                outputs.iter().for_each(|(_, value)| self.know(std::slice::from_ref(value)));
                return resumed(state, record, (call, outputs), found);
            }
            TraceEvent::Entered(_, args) => return self.know(args),
            TraceEvent::Returned { call, code, .. } => (call, *code),
            _ => return,
        };
        let Some(error) = state.names.spec().error_by_number(code) else { return };
        let name = state.names.function(call.function);
        let fits = |row: &&Row| {
            row.errors.contains(&error.name.as_str())
                && (row.functions.is_empty() || row.functions.contains(&name.as_ref()))
                && self.applies(row, state, call)
        };
        if let Some(row) = TABLE.iter().find(fits) {
            let (site, of) = match row.info.id {
                "capability/missing" => self.lacking.first(state, call, &name),
                _ => (call.site, name.clone().into_owned()),
            };
            found.add(&row.info, (state, record), (site, &of), || {
                let elsewhere = match row.info.id {
                    "capability/missing" => self.lacking.elsewhere(state, call),
                    _ => String::new(),
                };
                format!(
                    "{} → {}{elsewhere}",
                    state.names.call(call.function, &call.args),
                    state.names.error(code)
                )
            });
        }
    }
}

/// ResumeThreadList has succeeded: it tells for each thread whether it was suspended.
fn resumed(
    state: &AgentState<'_>,
    record: &Record,
    (call, outputs): (&Call, &[(u16, Value)]),
    found: &mut Violations,
) {
    let name = state.names.function(call.function);
    if name != "ResumeThreadList" {
        return;
    }
    let number = state.names.spec().error("THREAD_NOT_SUSPENDED").map(|error| i64::from(error.number));
    let row = TABLE.iter().find(|row| row.errors == ["THREAD_NOT_SUSPENDED"]);
    let codes = outputs.iter().find_map(|(param, value)| match value {
        Value::List(codes) if *param == 2 => Some(codes),
        _ => None,
    });
    let (Some(row), Some(number), Some(codes)) = (row, number, codes) else { return };
    if let Some(index) = codes.iter().position(|code| *code == Value::Int(number)) {
        found.add(&row.info, (state, record), (call.site, &name), || {
            format!(
                "{} → results[{index}]: THREAD_NOT_SUSPENDED",
                state.names.call(call.function, &call.args)
            )
        });
    }
}

/// Whether the JVM tells an agent that it ends, or the probe itself.
pub(super) fn is_death(state: &AgentState<'_>, trace_event: &TraceEvent<'_>, body: &Body) -> bool {
    match trace_event {
        TraceEvent::Entered(delivery, _) => delivery.name == "VMDeath",
        TraceEvent::Other => {
            matches!(body, Body::Event { event, .. } if state.names.event(*event) == "VMDeath")
        }
        _ => false,
    }
}

/// Whether a JVM returns the error of that name to reject a reference.
pub(super) fn rejects_reference(error: &str) -> bool {
    TABLE.iter().any(|row| row.errors.contains(&error) && REFERENCES.contains(&row.info.id))
}

/// Whether the argument is a reference that is not null. Null may stand for the current thread, for which some JVMs have no
/// object early on.
fn is_reference(arg: &Value) -> bool {
    matches!(arg, Value::Opaque | Value::Reference(_) | Value::Object(_))
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

    /// Whether the rule is about a call that has failed with one of its errors.
    fn applies(&self, row: &Row, state: &AgentState<'_>, call: &Call) -> bool {
        match row.info.id {
            "method/gone" => self.knows(&call.args),
            "class/not-prepared" => {
                state.delivery(call.thread).is_some_and(|delivery| delivery.name == "ClassLoad")
            }
            "event/not-set" => !self.redefines,
            "phase/over" => self.outlives(state, call.thread),
            // A JVM that has ended may refuse even what may be called in any phase.
            "phase/wrong" => state
                .names
                .facts(call.function)
                .is_none_or(|function| !function.phases.contains(&Phase::Dead)),
            id if REFERENCES.contains(&id) => call.args.iter().any(is_reference),
            _ => true,
        }
    }

    /// Whether the thread goes on in code of the agent although the JVM ends.
    fn outlives(&self, state: &AgentState<'_>, thread: u32) -> bool {
        let is_within = state.delivery(thread).is_some_and(|delivery| delivery.name != "VMDeath");
        self.ending.is_some_and(|ending| ending != thread || is_within)
    }

    /// Whether an argument is a method id that the JVM gave to the agent. Any other value never was a method id.
    fn knows(&self, args: &[Value]) -> bool {
        args.iter().any(|arg| matches!(arg, Value::Method(id) if self.methods.contains(id)))
    }
}
