//! The harness: finds JVMs, loads cases, packs them into launches, starts JVMs, reads traces, judges.

pub mod agent;
pub mod attach;
pub mod bundle;
pub mod case;
pub mod case_files;
pub mod describe;
pub mod judge;
pub mod jvm;
pub mod launch;
pub mod plan;
pub mod proposal;
pub mod render;
pub mod results;
pub mod run;
pub mod select;
pub mod timeline;
pub mod trace_text;
