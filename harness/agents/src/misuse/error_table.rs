//! The rules whose violation the JVM itself proves by the error code that it returns.

use super::{Info, Severity};

/// A rule whose violation an error code proves.
pub(super) struct Row {
    pub(super) errors: &'static [&'static str],
    /// The functions that the rule applies to; empty: all.
    pub(super) functions: &'static [&'static str],
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

/// The rule on null where a class, an object or a thread group is expected.
pub(super) const NULL_REFERENCE: &str = "reference/null";

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
        &["INVALID_CLASS", "INVALID_OBJECT", "INVALID_THREAD_GROUP"],
        &[],
        NULL_REFERENCE,
        Severity::Warning,
        "",
        "look whether a reference is null before you pass it on: the local one of a weak reference whose object is gone is",
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
