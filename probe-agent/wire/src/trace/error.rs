//! What can be wrong with a trace file.

use std::path::PathBuf;

/// Why a trace could not be made, opened or read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The operating system refused something.
    #[error("cannot {doing} trace file {path}: {error}", path = path.display())]
    Io {
        /// What was being done (`create`, `map`, …).
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// The space for the trace could not be reserved.
    #[error(
        "no room for trace file {path}: {wanted} bytes are wanted; free some space or ask for a smaller trace",
        path = path.display()
    )]
    NoRoom {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        wanted: u64,
    },
    /// The bytes are something else.
    #[error("this is not a trace (it does not begin with the mark of one)")]
    NotATrace,
    /// It was written by an older or a newer version of this software.
    #[error(
        "the trace has format {found}; this version of jvmti-check reads format {known}: record the trace again, or read it \
         with the version that recorded it"
    )]
    OtherFormat {
        /// Its format.
        found: u32,
        /// The one that is known here.
        known: u32,
    },
    /// The file ends before its log begins.
    #[error("the trace is cut off after {len} bytes; its header and plan take {wanted}")]
    Truncated {
        /// What there is.
        len: u64,
        /// What header and plan need.
        wanted: u64,
    },
    /// The header contradicts itself.
    #[error("the trace's header is damaged: {0}")]
    Damaged(&'static str),
    /// The plan within is not a plan.
    #[error("the plan in the trace is unreadable: {0}")]
    Plan(#[from] serde_json::Error),
    /// The memory given to the recorder can't be written by this process as it is.
    #[error("cannot record into this trace: {0}")]
    NotWritable(&'static str),
}
