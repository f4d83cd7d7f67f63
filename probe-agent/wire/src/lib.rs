//! What crosses the boundary between the harness and the probe agent: the [`plan`] goes in, the [`trace`] comes out.
//!
//! Both lie in one file. The harness makes the file with the plan in its head; the agent maps it into memory and appends
//! records. Every verdict can be recomputed from that file alone. [`trace::Definitions`] and [`trace::OpenCalls`] follow
//! what a trace has defined, and which calls have not returned.
//!
//! ```
//! use jvmti_wire::Plan;
//! use jvmti_wire::trace::{Body, Reader, Recorder, file};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("launch.jvmtitrace");
//! let plan = Plan { launch: "launch-1".into(), ..Plan::default() };
//! file::create(&path, &plan, 1 << 16).unwrap();
//!
//! // In the agent: thread 1, 500 ns after the start.
//! let recorder = Recorder::map(&path).unwrap();
//! recorder.record(1, 500, &Body::Checkpoint { name: "asleep".into() }).unwrap();
//!
//! // In the harness, whatever became of the JVM.
//! let bytes = std::fs::read(&path).unwrap();
//! let reader = Reader::new(&bytes).unwrap();
//! assert_eq!(reader.plan().launch, "launch-1");
//! let record = reader.records().next().unwrap();
//! assert_eq!((record.thread, record.at), (1, 500));
//! ```

// It runs in somebody's JVM, where a panic may end the process.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo)
)]

mod os;
pub mod plan;
pub mod trace;
pub mod value;

pub use plan::Plan;
pub use value::Value;
