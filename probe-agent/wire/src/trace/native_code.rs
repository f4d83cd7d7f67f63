//! What native code of agents does, beside calls of JVM TI functions. The order is the file format (see [`super::FORMAT`]).

use serde::{Deserialize, Serialize};

/// What native code of an agent does, or has done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NativeCode {
    /// The native code of an agent is about to push a local frame, or to pop one; only where [`super::Body::LocalsKnown`] holds.
    LocalFrame {
        /// Whether it pushes one.
        pushed: bool,
    },
    /// The native code of an agent is about to enter a critical region, or to leave the outermost one.
    CriticalRegion {
        /// Whether it enters one.
        entered: bool,
    },
    /// The thread that writes this is about to be detached from the JVM, although it was not attached by AttachCurrentThread.
    Detached {
        /// The place that detaches it ([`super::Body::SiteSeen`]).
        site: u32,
    },
    /// The thread that writes this is about to be attached to the JVM, which has not started yet.
    AttachedEarly {
        /// The place that attaches it ([`super::Body::SiteSeen`]).
        site: u32,
    },
    /// The function of an agent thread has returned with a JNI exception pending.
    ThreadThrew {
        /// The place that started the thread ([`super::Body::SiteSeen`]).
        site: u32,
    },
    /// A callback of an agent has got the contents of more strings and arrays than it released, or of fewer. Comes before its end.
    ContentsKept {
        /// The function by which it got the first: an index in the table of JNI functions; 0 if it got none.
        function: u16,
        /// The place where it did ([`super::Body::SiteSeen`]).
        site: u32,
        /// How many it got.
        got: u32,
        /// How many it released.
        released: u32,
    },
    /// Memory that a counted call of Deallocate has returned was written to afterwards; seen in recordings that poison.
    WrittenAfterDeallocate {
        /// The place that the call came from ([`super::Body::SiteSeen`]).
        site: u32,
        /// Address of the memory.
        at: u64,
        /// How far behind that the first byte is that has changed.
        offset: u64,
    },
}
