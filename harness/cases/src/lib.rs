//! Cases: what is checked, read from YAML.
//!
//! [`load`] reads a folder; [`CaseSet::for_release`] gives the cases for one release of the specification. On the way
//! a text becomes a tree that knows its places ([`yaml`]), a behaviour file ([`case_file`]) or rule ([`rule`]) is read
//! from it step by step ([`step`], [`trigger`], [`argument`], [`expectation`], [`matcher`]), and everything wrong is
//! noted with its place ([`diagnostic`]).

mod argument;
mod arguments;
pub mod brief;
pub mod built_in;
mod case_file;
pub mod catalogue;
mod condition;
pub mod configuration;
mod constant;
mod context;
pub mod diagnostic;
mod event_expectation;
mod expectation;
mod files;
pub mod known;
mod life;
mod matcher;
pub mod model;
mod releases;
mod rule;
pub mod schema;
pub mod select;
mod set;
mod setting;
pub mod source;
mod step;
#[cfg(test)]
mod tests;
mod text;
mod trigger;
mod yaml;

pub use brief::{Brief, Culprit, Judged, LaunchEnd};
pub use case_file::Inapplicable;
pub use diagnostic::{Diagnostic, Diagnostics};
pub use files::Unreadable;
pub use releases::Releases;
pub use set::{CaseSet, LoadError, Selection, load};
