//! Finds JVMs, packs cases into launches, starts the JVMs and watches over them.

pub mod jvm;
pub mod launch;
pub mod plan;
pub mod results;
pub mod run;
