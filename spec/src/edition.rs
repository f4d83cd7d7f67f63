//! The specification of one release: resolved facts, without any "since" conditions.
//!
//! All consumers work with an [`Edition`]: a rule applies to the items of one, the importer reads one from a published
//! HTML page, and a specification diff compares two. [`crate::Spec::at`] derives an edition from the merged facts of
//! all releases in [`crate::facts`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Release;

/// All facts of the JVM TI specification of one release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edition {
    /// The Java feature release that publishes this specification.
    pub release: Release,
    /// Chapters (the specification's function categories), in the order of the text.
    pub chapters: Vec<Chapter>,
    /// Functions, in the order of the text.
    pub functions: Vec<Function>,
    /// Events, in the order of the text.
    pub events: Vec<Event>,
    /// Capabilities, by bit.
    pub capabilities: Vec<Capability>,
    /// Error codes, in the order of the text.
    pub errors: Vec<ErrorCode>,
    /// Named constants, by group (`jvmtiThreadState`, `jvmtiEventMode`, …).
    pub constants: Vec<ConstantGroup>,
    /// Function types that an agent implements: heap callbacks, start function, extension handlers.
    pub callbacks: Vec<CallbackType>,
    /// Structures and unions, with their fields in order.
    pub structs: Vec<Struct>,
}

/// A function category of the specification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chapter {
    /// Short stable id in kebab case (`thread`, `stack-frame`, `heap-1.0`), also the name of the folder under `cases/`.
    pub id: String,
    /// Title as published.
    pub name: String,
    /// Anchor of the chapter in the published HTML.
    pub anchor: String,
    /// Whether the specification deprecates the chapter.
    pub deprecated: bool,
}

/// A phase of VM execution, as GetPhase returns it. Where the specification says "any phase", it means all five.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// While in `Agent_OnLoad`.
    OnLoad,
    /// From the return of `Agent_OnLoad` to VMStart.
    Primordial,
    /// From VMStart to VMInit.
    Start,
    /// From VMInit to the return of VMDeath.
    Live,
    /// After VMDeath.
    Dead,
}

impl Phase {
    /// All phases in the order a VM passes through them.
    pub const ALL: [Phase; 5] = [Phase::OnLoad, Phase::Primordial, Phase::Start, Phase::Live, Phase::Dead];

    /// Its name in lower case (`onload`), as in ids and YAML.
    pub fn name(self) -> &'static str {
        match self {
            Phase::OnLoad => "onload",
            Phase::Primordial => "primordial",
            Phase::Start => "start",
            Phase::Live => "live",
            Phase::Dead => "dead",
        }
    }
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A function of the interface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// C name (`GetThreadState`), also its anchor in the published HTML.
    pub name: String,
    /// Published title ("Get Thread State").
    pub title: String,
    /// Id of its [`Chapter`].
    pub chapter: String,
    /// Position in the function table, from 1.
    pub slot: u16,
    /// JVM TI version that introduced it, as printed (`1.0`, `9`, `21`).
    pub since: String,
    /// Phases in which it may be called.
    pub phases: Vec<Phase>,
    /// Whether heap, garbage collection and ObjectFree callbacks may call it.
    pub callback_safe: bool,
    /// Capabilities that it requires, and those that extend it.
    pub capabilities: Capabilities,
    /// Parameters after the environment.
    pub params: Vec<Param>,
    /// Errors that its own table lists, in order. See also [`Edition::universal_errors`].
    pub errors: Vec<ErrorRow>,
    /// Required state of the target thread, if any (`suspended_or_current`, …).
    #[serde(default)]
    pub thread_state_rule: Option<String>,
    /// Whether the heap must not change during the call.
    #[serde(default)]
    pub heap_frozen: bool,
    /// Whether the specification deprecates it.
    #[serde(default)]
    pub deprecated: bool,
    /// Whether its behaviour depends on preview features.
    #[serde(default)]
    pub preview_sensitive: bool,
    /// Whether its description mentions virtual threads.
    #[serde(default)]
    pub mentions_virtual_threads: bool,
}

/// Capability table of a function or event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Whether every VM must offer the function or event ("Required Functionality").
    pub mandatory: bool,
    /// The environment must possess all of these.
    #[serde(default)]
    pub required: Vec<String>,
    /// Each of these adds an optional feature.
    #[serde(default)]
    pub optional: Vec<String>,
    /// For SetEventNotificationMode only: the events that each capability allows the agent to enable.
    #[serde(default)]
    pub event_enabling: BTreeMap<String, Vec<String>>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Param {
    /// Name as published.
    pub name: String,
    /// C type as published (`jthread`, `const jthread*`, `char**`).
    pub c_type: String,
    /// The kind of its C type.
    pub kind: ParamKind,
    /// The direction in which it passes data.
    pub dir: Dir,
    /// Element count of the array it points to: a parameter's name, or `*name` for an output count.
    #[serde(default)]
    pub count: Option<String>,
    /// What a null argument means.
    pub null: NullRule,
    /// The condition under which the output is null, if it can be (`no_generic_signature`, `none`, …).
    #[serde(default)]
    pub returns_null_when: Option<String>,
    /// Whether the output is a JNI local reference or an array of them.
    #[serde(default)]
    pub local_ref: bool,
    /// Fields of the output that are JNI local references (`jvmtiStackInfo.thread`).
    #[serde(default)]
    pub local_ref_fields: Vec<String>,
    /// Fields of the output that the agent must deallocate (`jvmtiThreadInfo.name`).
    #[serde(default)]
    pub alloc_fields: Vec<String>,
}

/// The kind of a C parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParamKind {
    /// Number or boolean.
    Scalar,
    /// Value of an enumeration.
    Enum,
    /// JNI reference (`jthread`, `jclass`, `jobject`, …).
    JniRef,
    /// `jmethodID`, `jfieldID`, `jrawMonitorID`.
    Id,
    /// Pointer to data.
    Pointer,
    /// Pointer to a function that the agent implements.
    FunctionPointer,
    /// The `...` of SetEventNotificationMode.
    Varargs,
}

/// Direction of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dir {
    /// Passed by value.
    In,
    /// Modified UTF-8 string.
    InString,
    /// Pointer that the VM passes on without reading it.
    InOpaque,
    /// Pointer to one structure.
    InPtr,
    /// Array.
    InBuf,
    /// Caller's storage for one value.
    Out,
    /// Caller's array, filled by the VM.
    OutBuf,
    /// Caller's pointer, which the VM sets to memory that the agent frees with Deallocate.
    OutAlloc,
    /// The same, and the agent also frees each element.
    OutAllocAlloc,
}

impl Dir {
    /// Whether the VM writes through the parameter.
    pub fn is_output(self) -> bool {
        matches!(self, Dir::Out | Dir::OutBuf | Dir::OutAlloc | Dir::OutAllocAlloc)
    }
}

/// What the specification says about a null argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum NullRule {
    /// Not a pointer or reference.
    Inapplicable,
    /// Null is allowed and means something (`current_thread`, `not_returned`, …).
    Means {
        /// What null means.
        meaning: String,
        /// The error for null under a further condition (`NULL_POINTER` if `except_count!=0`).
        #[serde(default)]
        unless: Option<NullUnless>,
    },
    /// The function returns this error for null (short name, `NULL_POINTER`).
    Forbidden {
        /// The error code.
        error: String,
    },
    /// The specification does not mention null, but an `INVALID_*` row of the error table covers the parameter.
    InvalidReference {
        /// The error code of that row.
        error: String,
    },
}

/// A condition under which an otherwise allowed null is an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NullUnless {
    /// The error code (short name).
    pub error: String,
    /// Condition on the other arguments (`except_count!=0`).
    pub when: String,
}

/// A row of a function's error table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorRow {
    /// Short name of the error code (`INVALID_THREAD`).
    pub error: String,
    /// Machine-readable conditions (`invalid_thread:thread`, `no_more_frames:depth`).
    pub conditions: Vec<String>,
}

/// An error code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorCode {
    /// Short name, without `JVMTI_ERROR_`.
    pub name: String,
    /// Value of `jvmtiError`.
    pub number: i32,
    /// The group in which the specification lists it, which determines whether a VM must detect it.
    pub group: ErrorGroup,
}

/// The groups of error codes in the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorGroup {
    /// "Universal errors": any function may return them, and detection is recommended.
    Universal,
    /// "Function specific required errors": the VM must detect them.
    FunctionRequired,
    /// "Function specific agent errors": the VM need not detect them.
    FunctionAgent,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Name (`ThreadStart`), also its anchor in the published HTML.
    pub name: String,
    /// Published title ("Thread Start").
    pub title: String,
    /// C constant (`JVMTI_EVENT_THREAD_START`).
    pub constant: String,
    /// Value of `jvmtiEvent`.
    pub number: u16,
    /// JVM TI version that introduced it, as printed.
    pub since: String,
    /// Phases in which it may be sent.
    pub phases: Vec<Phase>,
    /// Capabilities that it requires, and those that extend it.
    pub capabilities: Capabilities,
    /// Whether it can be enabled for one thread.
    pub thread_filterable: bool,
    /// Whether its callback may call only callback-safe functions, and no JNI functions.
    pub callback_safe_only: bool,
    /// Parameters after the environment, including the JNI environment where there is one.
    pub params: Vec<EventParam>,
    /// Whether its behaviour depends on preview features.
    #[serde(default)]
    pub preview_sensitive: bool,
    /// Whether its description mentions virtual threads.
    #[serde(default)]
    pub mentions_virtual_threads: bool,
}

/// A parameter of an event or agent callback.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventParam {
    /// Name as published.
    pub name: String,
    /// C type as published.
    pub c_type: String,
    /// The kind of its C type.
    pub kind: ParamKind,
    /// When it may be null (`bootstrap_loader`, `no_known_catch`, …).
    #[serde(default)]
    pub null_when: Option<String>,
}

/// A capability bit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capability {
    /// Name (`can_tag_objects`).
    pub name: String,
    /// Bit in `jvmtiCapabilities`, from 0.
    pub bit: u16,
    /// JVM TI version that introduced it, as printed.
    pub since: String,
    /// Whether it belongs to a preview feature.
    #[serde(default)]
    pub preview: bool,
}

/// A group of named constants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstantGroup {
    /// Name of the group (`jvmtiThreadState`).
    pub name: String,
    /// Constants in order.
    pub constants: Vec<Constant>,
}

/// A named constant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constant {
    /// Full C name (`JVMTI_THREAD_STATE_ALIVE`).
    pub name: String,
    /// Value.
    pub value: i64,
}

/// A type of function that the agent implements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallbackType {
    /// C name (`jvmtiHeapIterationCallback`).
    pub name: String,
    /// Title of the chapter that defines it.
    pub chapter: String,
    /// C return type.
    pub returns: String,
    /// All parameters in order.
    pub params: Vec<EventParam>,
    /// Whether it may call only callback-safe functions.
    pub heap_callback: bool,
}

/// A structure, union or enumeration type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Struct {
    /// C name.
    pub name: String,
    /// `struct`, `union` or `enum`.
    pub kind: StructKind,
    /// Fields in order.
    pub fields: Vec<Field>,
}

/// The kind of a C aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StructKind {
    /// `struct`
    Struct,
    /// `union`
    Union,
    /// `enum`; the type of each field is its value.
    Enum,
}

/// A field of a structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Name; `None` for padding bits.
    pub name: Option<String>,
    /// C type.
    pub c_type: String,
    /// Width in bits, for bit fields.
    #[serde(default)]
    pub bits: Option<u8>,
    /// When it may be null.
    #[serde(default)]
    pub null_when: Option<String>,
}
