//! Records, judges, compares and prices agents that other people wrote.
//!
//! - [`record`] starts a program with the probe and its agents; the probe writes a trace of everything that the agents
//!   do.
//! - [`Reading`] reads such a trace once. On the way an [`AgentState`] follows it record by record, and everything that
//!   wants to know observes the [`TraceEvent`](agent_state::TraceEvent)s: the [`Digest`] sums up what the agents did and how long it took, the
//!   [`Behaviour`] holds what two recordings are [compared](mod@compare) by, and [`misuse`] has the rules that agents
//!   must keep.
//! - [`suppressions`] and [`baseline`] leave out findings that a user does not want to see, or knows already.
//! - [`case`] is the language of agent cases, [`case_run`] runs them, [`verdict`] judges them.
//! - [`coverage`] counts what of the specification recordings exercise.
//! - [`price`] measures what the possession of a capability costs a program.
//!
//! ```
//! use jvmti_agents::Library;
//!
//! let agent = Library::parse("./libfoo.so=verbose");
//! assert_eq!(agent.option(), "-agentpath:./libfoo.so=verbose");
//! let rules = jvmti_agents::misuse::rules();
//! assert!(rules.iter().any(|rule| rule.id == "memory/double-free"));
//! ```

mod agent_libraries;
pub mod agent_state;
pub mod baseline;
pub mod behaviour;
pub mod case;
mod case_reading;
pub mod case_run;
pub mod case_schema;
pub mod child_jvms;
pub mod compare;
pub mod coverage;
mod crash_report;
pub mod digest;
pub mod java_agents;
pub mod library;
pub mod misuse;
mod native_methods;
mod os;
pub mod price;
pub mod reading;
pub mod record;
mod rounds;
pub mod show;
pub mod spec_names;
pub mod suppressions;
pub mod symbols;
pub mod times;
pub mod verdict;

pub use agent_state::AgentState;
pub use baseline::Baseline;
pub use behaviour::Behaviour;
pub use digest::Digest;
pub use library::Library;
pub use reading::Reading;
pub use suppressions::Suppressions;
pub use symbols::Symbols;
