//! The trace: what the probe saw, record by record, in the order in which space was reserved.

mod ahead;
mod body;
mod bulk;
pub mod child;
mod definitions;
mod encode;
mod error;
pub mod file;
mod follow;
mod frame;
mod hot;
mod mapped;
mod native_code;
mod open_calls;
mod packed;
mod parts;
mod process;
mod reader;
mod recorder;
mod step_ref;

pub use ahead::Ahead;
pub use body::Body;
pub use definitions::{DefinedMethod, Definitions, Owner};
pub use error::TraceError;
pub use file::FORMAT;
pub use follow::{Follower, pack};
pub use hot::{HotArg, HotBody, HotPlace};
pub use mapped::TraceFile;
pub use native_code::NativeCode;
pub use open_calls::{OpenCall, OpenCalls};
pub use packed::ENDING as PACKED_ENDING;
pub use parts::{CodePlace, EntryPoint, Handed, JniMisuse, MissingEntry, MonitorChange, ReferenceKind};
pub use process::{Exit, Process};
pub use reader::{Reader, Records, Summary};
pub use recorder::Recorder;
pub use step_ref::StepRef;

/// The name of the place in call stacks that signal handlers return to, as debuggers show it.
pub const SIGNAL_HANDLER: &str = "<signal handler called>";
/// The symbol of an address that an agent has given as that of a function, and at which there is no code.
pub const NO_CODE: &str = "<no code>";

/// The bit that tells indices of JNI functions from slots of JVM TI, where both may occur.
pub const JNI_FUNCTION: u16 = 1 << 15;

/// Begins the mark that fills memory which a counted call of Deallocate has returned, in recordings that poison. The number of the call
/// site follows in the lower half.
pub const COUNTED_DEALLOCATION: u64 = 0xbadf_0001 << 32;

/// The largest encoded record, in bytes; a larger one is lost, and a [`Body::Trouble`] says so.
pub const MAX_RECORD: usize = 8 << 20;

/// One record of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Place in the total order of the trace (the record's offset in the file).
    pub seq: u64,
    /// Nanoseconds since the agent was loaded.
    pub at: u64,
    /// Which thread wrote it (numbered by the probe from 1; 0: the probe could not tell).
    pub thread: u32,
    /// What.
    pub body: Body,
}
