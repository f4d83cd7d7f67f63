//! Agents that nobody here wrote: started under the probe's eyes, and what their traces tell.
//!
//! [`record`] starts a program with the probe and the agents in it. [`Scene`] follows a trace record by record and
//! knows, at each, who is calling what from where; [`Digest`] adds up what the agents did and what it took. The
//! [`Behaviour`] of an agent on one JVM is held against that on another by [`compare`]. What agents do wrong is judged by
//! [`crate::misuse`], what capabilities cost is found out by [`price`].

pub mod behaviour;
pub mod case;
pub mod compare;
pub mod digest;
pub mod library;
pub mod misuse;
pub mod price;
pub mod reading;
pub mod record;
pub mod scene;
pub mod show;
pub mod times;
pub mod verdict;

pub use behaviour::Behaviour;
pub use digest::Digest;
pub use library::Library;
pub use reading::Reading;
pub use scene::Scene;
