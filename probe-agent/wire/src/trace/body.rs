//! What a record says. The index of a variant and the order of its fields are the file format (see [`super::FORMAT`]).

use serde::{Deserialize, Serialize};

use super::native_code::NativeCode;
use super::parts::{CodePlace, EntryPoint, Handed, JniMisuse, MissingEntry, MonitorChange, ReferenceKind};
use super::process::Process;
use super::step_ref::StepRef;
use crate::value::{ObjectId, Value};

/// What a record says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Body {
    /// An agent entry point was entered.
    Entry(EntryPoint),
    /// It returned.
    EntryReturned {
        /// Which.
        entry: EntryPoint,
        /// What it returned to the VM.
        code: i32,
    },
    /// What the VM says of itself, by key (`java.version`, `java.vm.name`, `jvmti.version`).
    Identity {
        /// Property name.
        key: String,
        /// Value.
        value: String,
    },
    /// First sight of a native thread by the probe.
    ThreadSeen {
        /// The `java.lang.Thread`, once known.
        object: Option<ObjectId>,
        /// The operating system's id.
        native: u64,
    },
    /// First sight of an object.
    ObjectSeen {
        /// Its identity.
        object: ObjectId,
        /// Signature of its class; for a class, that of `java.lang.Class`.
        class: String,
        /// For a thread its name, for a class its own signature, else empty.
        name: String,
    },
    /// First sight of a method.
    MethodSeen {
        /// The `jmethodID`.
        method: u64,
        /// Signature of the declaring class.
        class: String,
        /// Name.
        name: String,
        /// Descriptor.
        signature: String,
    },
    /// An environment was made (or could not be).
    EnvironmentMade {
        /// The probe's number for it, from 1.
        environment: u32,
        /// Index of the case in the plan; `None`: the probe's own or a foreign agent's.
        case: Option<u32>,
        /// Index among the case's environments.
        index: u8,
        /// What `GetEnv` returned.
        code: i32,
    },
    /// An environment was disposed of.
    EnvironmentGone {
        /// The probe's number for it.
        environment: u32,
    },
    /// A scenario run began.
    RunBegin {
        /// Its index in the plan.
        run: u32,
    },
    /// A scenario run ended.
    RunEnd {
        /// Its index in the plan.
        run: u32,
    },
    /// The scenario reached a checkpoint.
    Checkpoint {
        /// Its name.
        name: String,
    },
    /// The scenario bound an object to a name.
    Bind {
        /// The name.
        name: String,
        /// The object.
        value: Value,
    },
    /// The scenario states what it knows by itself (from reflection, say).
    Fact {
        /// What about.
        key: String,
        /// What it is.
        value: Value,
    },
    /// A JVM TI function is about to be called.
    CallBegin {
        /// Number of the call, unique in the trace; [`Body::CallEnd`] repeats it.
        call: u32,
        /// The probe's number of the environment.
        environment: u32,
        /// Slot of the function, from 1.
        function: u16,
        /// Which step asked for it.
        step: StepRef,
        /// Arguments after the environment.
        args: Vec<Value>,
    },
    /// It returned.
    CallEnd {
        /// Number of the call.
        call: u32,
        /// The `jvmtiError`.
        code: i32,
        /// Output parameters, by index, decoded also when the call failed.
        outputs: Vec<(u16, Value)>,
        /// Whether a JNI exception was pending before and after.
        exception: (bool, bool),
    },
    /// A JNI operation was done for a step.
    Jni {
        /// Which step asked for it.
        step: StepRef,
        /// Its result.
        result: Value,
    },
    /// An event callback was entered.
    Event {
        /// The probe's number of the environment it was sent to.
        environment: u32,
        /// Event number.
        event: u16,
        /// Parameters after the environment; `JNIEnv*` as a pointer.
        args: Vec<Value>,
    },
    /// The event callback returned to the VM.
    EventEnd {
        /// Event number.
        event: u16,
    },
    /// A callback given to a call was invoked.
    Callback {
        /// The call.
        call: u32,
        /// C type name.
        callback: String,
        /// Parameters, those that have names; `jvmti_env` is the probe's number of the environment, 0 if it is none.
        args: Vec<Value>,
        /// What the probe returned.
        returned: i64,
    },
    /// Callbacks that were counted rather than recorded.
    CallbacksCounted {
        /// The call.
        call: u32,
        /// C type name.
        callback: String,
        /// How many in all.
        count: u64,
    },
    /// A step could not be taken: an argument is not available, say.
    StepFailed {
        /// Which.
        step: StepRef,
        /// Why, for people.
        reason: String,
    },
    /// Trouble of the probe's own.
    Trouble {
        /// What happened.
        message: String,
    },
    /// What the VM gave to the caller in the outputs of a call, and what became of it.
    Given {
        /// The call.
        call: u32,
        /// Which step asked for it.
        step: StepRef,
        /// Blocks of memory that the probe has deallocated: `code` is the first error of Deallocate, else 0.
        memory: Vec<Handed>,
        /// JNI references: `code` is the first `jobjectRefType` other than that of a local reference, else that (1).
        references: Vec<Handed>,
    },
    /// An agent that nobody here wrote asked for an environment, which [`Body::EnvironmentMade`] has told of before.
    AgentEnvironment {
        /// The probe's number for it.
        environment: u32,
        /// The place that asked for it ([`Body::SiteSeen`]).
        site: u32,
        /// The version asked for.
        version: i32,
        /// The `jvmtiEnv*`.
        pointer: u64,
    },
    /// First sight of a place in an agent's code from which functions are called.
    SiteSeen {
        /// Its number, from 1; 0 stands for all those beyond the most that are told apart.
        site: u32,
        /// Where it and the functions that led to it return to, innermost first.
        stack: Vec<CodePlace>,
    },
    /// Memory of the JVM's that a call gave to its caller, to be deallocated by it. Comes before the call's end.
    Blocks {
        /// The call.
        call: u32,
        /// Index of the output parameter, and address.
        blocks: Vec<(u16, u64)>,
    },
    /// An agent set the functions that its events are delivered to. Comes before the end of its call.
    CallbacksSet {
        /// The environment.
        environment: u32,
        /// Event number and function, those that are not null.
        functions: Vec<(u16, CodePlace)>,
    },
    /// An extension event was delivered to an agent's function.
    ExtensionEvent {
        /// The environment.
        environment: u32,
        /// The `extension_event_index`.
        index: i32,
        /// Its name, as the JVM describes it.
        id: String,
        /// Parameters after the environment.
        args: Vec<Value>,
    },
    /// That function returned.
    ExtensionEventEnd {
        /// The `extension_event_index`.
        index: i32,
    },
    /// Keeps the number of a kind of record that is no longer written.
    Retired,
    /// A start-up or shutdown function of the probe was called.
    AgentCalled {
        /// Its name (`Agent_OnLoad`, `Agent_OnLoad_probe`).
        function: String,
        /// File name of the library or executable that the function is in.
        image: String,
        /// The options passed: a string, or null.
        options: Value,
    },
    /// How the process ended, as seen from outside. Appended by the harness.
    Ended(Process),
    /// An agent's callback returned, leaving memory of its own to the JVM. Comes before the callback's end.
    MemoryTaken {
        /// The event's number.
        event: u16,
        /// Address of the memory.
        at: u64,
    },
    /// The JVM invoked a heap callback while another invocation for the same call had not returned.
    CallbacksOverlap {
        /// The call.
        call: u32,
        /// C type name of the callback that was invoked second.
        callback: String,
    },
    /// An agent used JNI where it must not be used: while the heap is walked, or in a callback of that kind.
    JniUsed {
        /// Index in the table of JNI functions.
        function: u16,
        /// The place that used it ([`Body::SiteSeen`]).
        site: u32,
    },
    /// An agent was told of an extension function. Calls of it are recorded with that number for a slot.
    ExtensionFunctionSeen {
        /// The number, beyond all slots.
        function: u16,
        /// Its name, as the JVM describes it.
        id: String,
    },
    /// Memory that an agent had deallocated was written to afterwards; seen in recordings that poison.
    WrittenAfterDeallocate {
        /// The call of Deallocate.
        call: u32,
        /// Address of the memory.
        at: u64,
        /// How far behind that the first byte is that has changed.
        offset: u64,
    },
    /// The thread that writes this, and that agents have made calls on, is about to end. Callbacks for that may follow.
    ThreadEnds,
    /// So many of an agent's calls have been counted by now rather than recorded. One with a higher count replaces it.
    CallsCounted {
        /// The place that they come from.
        site: u32,
        /// Slot of the function.
        function: u16,
        /// How many.
        count: u64,
    },
    /// Likewise, of an agent's callbacks.
    EventsCounted {
        /// The environment.
        environment: u32,
        /// Event number.
        event: u16,
        /// How many.
        count: u64,
    },
    /// The local references from JVM TI and JNI functions that native code of an agent holds at this moment. The probe writes this
    /// when there are more than the room, and again each time that the numbers have doubled; before the callback's end.
    ReferencesHeld {
        /// The event in whose callback they are held; `None`: an agent thread holds them.
        event: Option<u16>,
        /// At least this many are held.
        held: u32,
        /// The number of calls that returned them; those of JNI functions only if they come from a loop.
        calls: u32,
        /// For how many there is room ([`crate::plan::Interception::ensured_references`] and what the agent asked for).
        room: u32,
        /// Where most come from: slot of the function (or [`super::JNI_FUNCTION`] and index), call site and number, largest first.
        given: Vec<(u16, u32, u32)>,
    },
    /// What one of an agent's counted calls did with memory or a raw monitor. It stands for the whole call, before it if the
    /// call gives something up, after it if it gets something; then it succeeded. A [`Body::CallEnd`] follows where it failed.
    CallBrief {
        /// Number of the call.
        call: u32,
        /// The probe's number of the environment.
        environment: u32,
        /// Slot of the function.
        function: u16,
        /// The place that it comes from.
        site: u32,
        /// The first argument, as in [`Body::CallBegin`].
        about: Value,
        /// Memory that it gave: index of the output parameter, and address.
        blocks: Vec<(u16, u64)>,
    },
    /// An agent handed memory of the JVM to another allocator, which knew nothing of it; seen in recordings that poison.
    FreedElsewhere {
        /// The place ([`Body::SiteSeen`]).
        site: u32,
        /// The function: `free`, `realloc`, `operator delete`.
        function: String,
        /// Address of the memory.
        at: u64,
    },
    /// A step could not be taken: this VM's function table does not have the function.
    FunctionMissing {
        /// Which.
        step: StepRef,
        /// Slot of the function.
        function: u16,
        /// What the table has in its place.
        entry: MissingEntry,
    },
    /// An agent's callback changed whether a JNI exception is pending in the thread. Comes before the callback's end.
    ExceptionChanged {
        /// The event's number.
        event: u16,
        /// Whether one is pending now; if not, one was before.
        pending: bool,
    },
    /// The JNI local references that the native code of an agent got on this thread: the parameters of the callback that has
    /// just begun, or what the call returned that is about to end. Only where a record of it has their identities instead.
    ReferencesGiven {
        /// The references themselves.
        handles: Vec<u64>,
    },
    /// A global or weak global reference was created, by whomever. Comes after its creation.
    GlobalCreated {
        /// The reference.
        handle: u64,
        /// Whether it is a weak one.
        weak: bool,
    },
    /// A reference is about to be deleted, by whomever; local ones only where [`Body::LocalsKnown`] holds.
    ReferenceDeleted {
        /// The reference.
        handle: u64,
        /// Its kind.
        kind: ReferenceKind,
        /// The place that deletes it ([`Body::SiteSeen`]).
        site: u32,
    },
    /// Whether the trace has all local references that the native code of an agent on this thread gets: the probe writes
    /// `true` when such code begins whose use of JNI the probe watches, and `false` when it has got others, from JNI.
    LocalsKnown {
        /// Whether all those that it has got since then are in the trace.
        known: bool,
    },
    /// Whether the probe records from now on each global reference that is created.
    GlobalsKnown {
        /// Whether it does.
        known: bool,
    },
    /// Where a failed call of an agent comes from, or a misuse of JNI: its place may have other callers than at first sight. Comes
    /// before its end, or before the record of the misuse.
    CallStack {
        /// The call; 0: the misuse that the thread records next.
        call: u32,
        /// As in [`Body::SiteSeen`].
        stack: Vec<CodePlace>,
    },
    /// What is in the time of an agent's call or callback. Comes before its end.
    TimeSpent {
        /// The nanoseconds that recording what happened within it took, on its thread: they belong to neither agent nor JVM.
        recording: u64,
        /// The nanoseconds that its thread had the processor, those of the recording not included; `None`: not measured.
        cpu: Option<u64>,
    },
    /// What it has taken up to now to record what agents do. A later one of these replaces an earlier one.
    RecordingCost {
        /// How many calls and callbacks were recorded.
        recorded: u64,
        /// How long all threads computed for that, in nanoseconds.
        took: u64,
        /// How long it takes to count a call, in nanoseconds; `None`: not measured.
        counting: Option<u64>,
    },
    /// The native code of an agent is about to use a JNI function that it must not use in the state that the thread is in.
    JniMisused {
        /// Index in the table of JNI functions.
        function: u16,
        /// The place that uses it ([`Body::SiteSeen`]).
        site: u32,
        /// What is wrong.
        misuse: JniMisuse,
    },
    /// A thread enters the monitor of a Java object by JNI, or exits it.
    JavaMonitor {
        /// The object; 0 for [`MonitorChange::Unfollowed`].
        object: ObjectId,
        /// What the thread does.
        change: MonitorChange,
        /// The place that does it ([`Body::SiteSeen`]).
        site: u32,
    },
    /// The thread that writes this ends, although it is attached to the JVM.
    LeftAttached {
        /// The place that attached it ([`Body::SiteSeen`]).
        site: u32,
    },
    /// The callback for ClassFileLoadHook has changed the class file data that it got. Comes before its end.
    ClassDataWritten {
        /// How far behind the beginning the first byte is that has changed.
        offset: u64,
    },
    /// What native code of an agent does, or has done.
    Native(NativeCode),
}
