//! What records consist of.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Kinds of JNI references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ReferenceKind {
    /// A local reference.
    Local,
    /// A global reference.
    Global,
    /// A weak global reference.
    Weak,
}

/// What is wrong with the use of a JNI function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum JniMisuse {
    /// An exception is pending, and the function is none of those that may be called then.
    ExceptionPending,
    /// The thread is in a critical region.
    CriticalRegion,
    /// The `JNIEnv` is that of another thread.
    OtherThread,
    /// The function was passed memory that the agent had deallocated; seen in recordings that poison.
    Deallocated,
    /// The class of the object, or the class, does not have the method or field whose id the function was passed.
    OtherClass,
    /// The method whose id the function was passed has another result than the function, or is static if the function is for others,
    /// or the other way round; or it is no constructor.
    OtherKind,
    /// The text that the function was passed is not modified UTF-8.
    Text,
    /// The function releases contents of a string or an array that have been released before, or that it is not for.
    Contents,
    /// The JVM is in its dead phase, and the thread is the one that calls `Agent_OnUnload`.
    DeadPhase,
    /// The function was passed a weak global reference whose object is gone.
    Cleared,
}

/// What a thread does with the monitor of a Java object by JNI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MonitorChange {
    /// It is about to enter the monitor.
    Wanted,
    /// It has entered it.
    Entered,
    /// It could not enter it.
    Refused,
    /// It is about to exit it.
    Exited,
    /// From now on the probe records no more of these.
    Unfollowed,
}

/// Agent entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EntryPoint {
    /// `Agent_OnLoad`
    OnLoad,
    /// `Agent_OnAttach`
    OnAttach,
    /// `Agent_OnUnload`
    OnUnload,
}

/// What an output parameter handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handed {
    /// Index of the parameter.
    pub param: u16,
    /// How many.
    pub count: u32,
    /// What is to be said of them; what it means depends on what they are.
    pub code: i32,
}

/// A place in the code of a library or program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CodePlace {
    /// Path of the library; empty if the address is in none.
    pub library: String,
    /// Distance from where the library is loaded; the address itself if it is in none.
    pub offset: u64,
    /// The function that it is in, if the library names it.
    pub symbol: String,
}

/// What a function table has in place of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MissingEntry {
    /// Nothing: the table ends before the function's slot.
    BeyondTable {
        /// Number of slots of the table.
        length: u16,
    },
    /// A null pointer.
    Null,
}

impl fmt::Display for MissingEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MissingEntry::BeyondTable { length } => {
                write!(f, "the JVM's function table ends at slot {length}")
            }
            MissingEntry::Null => f.write_str("the JVM's function table has a null pointer in its slot"),
        }
    }
}
