//! The plan: what the probe is to do inside one JVM, and when.
//!
//! A launch runs the Java scenarios of its [`ScenarioRun`]s one after the other. A case has environments of its own and a
//! sequence of [`PlannedStep`]s: a cursor stands at the first step not yet taken; when a trigger fires, the steps at the
//! cursor that wait for this trigger are taken, in order. [`Handler`]s stand beside the sequence and act each time.

mod argument;
mod field_access;
mod use_of_scenario;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::argument::{Arg, Callback, Invalid, PathPart, exact};
pub use self::field_access::{FieldAccess, FieldType};

/// Exit code of the launcher with the probe linked in where the system cannot load the JVM's library into it.
pub const NOT_LOADABLE: i32 = 97;

/// Environment variable that names the trace file. With it the probe takes any options and can be started again.
pub const TRACE_VARIABLE: &str = "JVMTI_PROBE_TRACE";
/// Environment variable with the id of the process that the JVM must not outlive.
pub const PARENT_VARIABLE: &str = "JVMTI_PROBE_PARENT";

/// Everything one launch of a JVM is to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the launch, for people.
    pub launch: String,
    /// The scenarios that the Java side runs, in order.
    pub scenario_runs: Vec<ScenarioRun>,
    /// The cases; they refer to their scenario run.
    pub cases: Vec<PlannedCase>,
    /// What the harness needs to judge the trace later (JSON); the agent does not look at it.
    pub brief: String,
    /// Intercept the agents that are loaded later, and record what they do; `None`: leave them alone.
    #[serde(default, alias = "between")]
    pub intercept: Option<Interception>,
    /// What the agent's start-up functions return, call by call; 0 where nothing is said.
    #[serde(default)]
    pub returns: Vec<i32>,
    /// Do nothing but possess these capabilities, by bit, in a single environment, from `Agent_OnLoad` to the end, and
    /// ignore the rest of the plan. `None`: execute the plan.
    #[serde(default, alias = "holding")]
    pub capability_holder: Option<Vec<u16>>,
}

/// What the probe records of foreign agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interception {
    /// Functions whose calls are recorded, by slot; `None`: all.
    pub functions: Option<Vec<u16>>,
    /// Events whose callbacks are recorded, by number; `None`: all.
    pub events: Option<Vec<u16>>,
    /// Only environments asked for by libraries with one of these in their path; `None`: all.
    pub libraries: Option<Vec<String>>,
    /// The number of calls from each call site, and of callbacks of each event, that the probe records in detail: it
    /// identifies references and copies arrays and structures. Of later ones it records only what costs next to nothing.
    pub close: u32,
    /// Fill the outputs of calls that fail, and memory that the agent deallocates, with values that are recognisable when
    /// the agent uses them.
    #[serde(default)]
    pub poison: bool,
    /// Once a call site has made so many calls, or an event has had so many callbacks, count them, and record only one
    /// in so many; rounded up to a power of two. `None`: record all.
    #[serde(default)]
    pub sample: Option<u32>,
    /// Count the local references that native code holds, and record the counts when it holds more than this many and as
    /// many as it has asked room for. `None`: do not count them.
    #[serde(default)]
    pub ensured_references: Option<u32>,
}

impl Default for Interception {
    fn default() -> Interception {
        Interception {
            functions: None,
            events: None,
            libraries: None,
            close: 1000,
            poison: false,
            sample: None,
            ensured_references: None,
        }
    }
}

/// One run of one Java scenario, shared by the cases that name it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioRun {
    /// Simple name of the scenario class.
    pub scenario: String,
}

/// One case, as far as the agent is concerned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedCase {
    /// Id, for people reading the trace.
    pub id: String,
    /// Index of the scenario run in which its checkpoints count; `None`: it needs no scenario.
    pub run: Option<u32>,
    /// Its JVM TI environments; steps refer to them by index.
    pub environments: Vec<PlannedEnvironment>,
    /// The sequence.
    pub steps: Vec<PlannedStep>,
    /// What is done each time a trigger fires.
    pub handlers: Vec<Handler>,
}

/// A JVM TI environment to be made for a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedEnvironment {
    /// Name within the case (`main` if there is one only).
    pub name: String,
    /// When to make it.
    pub made: Made,
    /// When to enable its events: then, or later, for one that only had to be made early to get its capabilities.
    #[serde(default)]
    pub enabled: Made,
    /// The chain of cases along which it passes, from one scenario run to the next, if it does. The first case of a chain makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<u32>,
    /// Version to ask `GetEnv` for (`0x30010000` and so on); `None`: the newest that the VM gives.
    pub version: Option<i32>,
    /// Capabilities to add right after, by bit.
    pub capabilities: Vec<u16>,
    /// Events to enable globally, by number. Callbacks for all events are set in any case.
    pub events: Vec<u16>,
}

/// When an environment is made. It is disposed of when its case's scenario run ends, or at VMDeath.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Made {
    /// In `Agent_OnLoad`.
    #[default]
    OnLoad,
    /// In the VMStart event.
    VmStart,
    /// In the VMInit event.
    VmInit,
    /// When the case's scenario run begins.
    ScenarioRun,
    /// Right before the case's first step, and disposed of right after its last one. Lets hundreds of cases share one
    /// checkpoint without being there at the same time (capabilities that only one environment may hold).
    FirstStep,
    /// It passes to the case when its scenario run begins, from the case before it in its chain.
    Inherited,
}

/// A moment at which steps are taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Trigger {
    /// In `Agent_OnLoad`.
    OnLoad,
    /// In `Agent_OnAttach`.
    OnAttach,
    /// In `Agent_OnUnload`.
    OnUnload,
    /// In the VMStart event.
    VmStart,
    /// In the VMInit event.
    VmInit,
    /// In the VMDeath event.
    VmDeath,
    /// When the case's scenario run begins, before its scenario runs (on the main thread).
    RunBegin,
    /// When the case's scenario run ends, after its scenario returned.
    RunEnd,
    /// When the scenario calls `Probe.checkpoint(name)`, on the calling thread.
    Checkpoint(String),
    /// In the callback of an event sent to one of the case's environments.
    Event {
        /// Event number.
        event: u16,
        /// Index of the environment it has to be sent to; `None`: any of the case's.
        environment: Option<u8>,
        /// Conditions on parameters; all must hold.
        only: Vec<Filter>,
    },
    /// In an agent callback (heap callback, start function) that the named step's call was given.
    Callback {
        /// Name under which the step was saved.
        of: String,
        /// C type name of the callback (`jvmtiHeapIterationCallback`).
        callback: String,
    },
    /// In the first event that the VM sends in its primordial phase, if it sends any.
    Primordial,
}

/// Condition on one event parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Filter {
    /// Index of the parameter after the environment.
    pub param: u16,
    /// What it has to be.
    pub is: Arg,
}

/// One step of the sequence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedStep {
    /// When.
    pub at: Trigger,
    /// What.
    pub action: Action,
    /// Name under which its outputs can be referred to later.
    pub save: Option<String>,
}

/// Something done each time a trigger fires, beside the sequence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handler {
    /// When.
    pub on: Trigger,
    /// How many times at the most; `None`: always.
    pub times: Option<u32>,
    /// What, in order.
    pub actions: Vec<Action>,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Action {
    /// Call a JVM TI function.
    Call {
        /// Which environment's, by index.
        environment: u8,
        /// Slot in the function table, from 1.
        function: u16,
        /// One per parameter after the environment.
        args: Vec<Arg>,
        /// On which thread.
        on: OnThread,
    },
    /// Do something through JNI.
    Jni {
        /// What.
        op: JniOp,
        /// Its arguments.
        args: Vec<Arg>,
        /// On which thread; another one than the current for [`JniOp::GetEnv`] only.
        #[serde(default)]
        on: OnThread,
    },
    /// Write through an output parameter of the event being handled (`new_class_data`).
    Reply {
        /// Index of the parameter after the environment.
        param: u16,
        /// What to write.
        value: Arg,
    },
    /// Keep a parameter of the event being handled, as it is, beyond its callback. Saved and recorded like the result
    /// of a JNI operation. References are for `NewGlobalRef`.
    Keep {
        /// Which.
        value: Arg,
    },
    /// Dispose of an environment of the case now.
    Dispose {
        /// Which, by index.
        environment: u8,
    },
}

/// The thread that makes a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OnThread {
    /// The one on which the trigger fired.
    #[default]
    Current,
    /// A new native thread that is attached for the call; the trigger's thread waits for it.
    Attached,
    /// A new native thread that is not attached; the trigger's thread waits for it.
    Unattached,
}

/// The JNI operations that a plan may ask for. Results are saved like a call's outputs, as parameter 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum JniOp {
    /// (object) → global reference.
    NewGlobalRef,
    /// (object): a local reference, there until the native method returns in which the step is taken.
    NewLocalRef,
    /// (object) → weak global reference.
    NewWeakGlobalRef,
    /// (object): deletes a global or weak global reference saved earlier.
    DeleteRef,
    /// (class name, message): leaves an exception pending until `ExceptionClear` or the return to Java.
    ThrowNew,
    /// ()
    ExceptionClear,
    /// () → 1 if an exception is pending, else 0.
    ExceptionCheck,
    /// (object)
    MonitorEnter,
    /// (object)
    MonitorExit,
    /// (object) → its class.
    GetObjectClass,
    /// (a, b) → 1 if both refer to the same object.
    IsSameObject,
    /// (array) → its length.
    GetArrayLength,
    /// (byte array) → memory with its content.
    GetByteArrayRegion,
    /// () → what the JNI function of that name returns.
    GetVersion,
    /// (JNI function table): puts a `GetVersion` of the probe's into it, which returns [`INTERCEPTED_VERSION`].
    InterceptGetVersion,
    /// (class, name, descriptor): registers a function of the probe's, which returns 1, as that method's implementation
    /// → what `RegisterNatives` returned. An exception that it threw is cleared.
    RegisterNatives,
    /// () → the JNI environment of the current thread, as the invocation interface tells it.
    /// (version) → the version of the interface that it gave, or its answer, which is negative. An environment of JVM TI
    /// is disposed of again.
    GetEnv,
    /// (reference) → its `jobjectRefType`.
    GetObjectRefType,
    /// (field) → its id.
    GetFieldID,
    /// (object or class, field, the value if it is written) → the value, if it is read.
    Field(FieldAccess),
    /// (address) → what the extension function returned, called with storage for the output that is its only parameter
    /// after the environment, which is the case's first.
    CallExtensionFunction,
    /// (class file, edits) → the edited class file, as memory.
    EditClassFile,
    /// (class or array of classes, slots of functions) → what they answer about each class and all of its members.
    Survey,
    /// (class, name): calls a static method without parameters and result → 1 if it threw an exception, which is cleared,
    /// else 0.
    CallStaticVoidMethod,
    /// The same, but `ExceptionDescribe` clears the exception.
    CallAndDescribe,
    /// (parameter of an event): deletes the local reference.
    DeleteLocalRef,
}

/// The name by which cases call it.
impl fmt::Display for JniOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JniOp::Field(access) => access.fmt(f),
            other => write!(f, "{other:?}"),
        }
    }
}

/// What the probe's own `GetVersion` returns.
pub const INTERCEPTED_VERSION: i32 = 0x7e57;
