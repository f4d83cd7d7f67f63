//! Agents that nobody here wrote: started under the probe's eyes, and what their traces tell.
//!
//! [`record`] starts a program with the probe and the agents in it. [`Scene`] follows a trace record by record and
//! knows, at each, who is calling what from where; [`Digest`] adds up what the agents did and what it took. The
//! [`Behaviour`] of an agent on one JVM is held against that on another by [`compare`]. What agents do wrong is judged by
//! [`crate::judge::misuse`], what capabilities cost is found out by [`price`].

pub mod behaviour;
pub mod case;
pub mod compare;
pub mod digest;
pub mod library;
pub mod price;
pub mod record;
pub mod scene;
pub mod show;
pub mod times;
pub mod verdict;

pub use behaviour::Behaviour;
pub use digest::Digest;
pub use library::Library;
pub use scene::Scene;

use jvmti_spec::Release;
use jvmti_wire::trace::{Body, Record};

/// The release of the JVM that a trace is of, as its records tell.
pub fn release(records: impl IntoIterator<Item = Record>) -> Option<Release> {
    records.into_iter().find_map(|record| match record.body {
        Body::Identity { key, value } if key == "jvmti.version" => {
            let major: u16 = value.split('.').next()?.parse().ok()?;
            // Up to JDK 8 the version is 1.x.
            Some(Release(if major < 9 { 8 } else { major }))
        }
        _ => None,
    })
}
