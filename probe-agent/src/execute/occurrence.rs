//! What a step may wait for, when it occurs.

use crate::ffi::RawArg;
use crate::vm::environments::OwnEnvironment;
use crate::vm::event::Event;
use crate::vm::jni::Jni;

/// An occurrence that a step may wait for.
#[derive(Clone, Copy)]
pub enum Occurrence<'a> {
    /// In `Agent_OnLoad`.
    OnLoad,
    /// In `Agent_OnAttach`.
    OnAttach,
    /// In `Agent_OnUnload`.
    OnUnload,
    /// In an event that came in the primordial phase.
    Primordial,
    /// In the probe's own VMStart event.
    VmStart,
    /// In the probe's own VMInit event.
    VmInit,
    /// In the probe's own VMDeath event.
    VmDeath,
    /// None that a step could wait for.
    Elsewhere,
    /// The case's scenario run begins.
    RunBegin,
    /// The case's scenario run ends.
    RunEnd,
    /// The scenario reached a checkpoint of that name.
    Checkpoint(&'a str),
    /// An event arrived.
    Event(EventAt<'a>),
    /// A callback given to a call of a step was invoked.
    Callback {
        /// Index of the case.
        case: u32,
        /// Name under which the step is saved.
        of: &'a str,
        /// C type name of the callback.
        callback: &'static str,
        /// Its parameters.
        args: &'a [RawArg],
    },
}

/// An event that arrived.
#[derive(Clone, Copy)]
pub struct EventAt<'a> {
    /// The environment that it was sent to.
    pub environment: &'static OwnEnvironment,
    /// The event.
    pub event: Event<'a>,
}

/// An occurrence on a thread.
#[derive(Clone, Copy)]
pub struct Firing<'a> {
    /// What occurs.
    pub occurrence: Occurrence<'a>,
    /// JNI environment of the thread, where JNI may be used.
    pub jni: Option<Jni>,
}
