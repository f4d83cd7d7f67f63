//! What crosses the process boundary between the harness and the probe agent: the [`plan`] going in, the [`trace`]
//! coming out. Both live in one file: the harness makes the trace file with the plan in its head, the agent maps it
//! and appends records. Every verdict can be recomputed from that file alone.

pub mod plan;
pub mod trace;
pub mod value;

pub use plan::Plan;
pub use value::Value;
