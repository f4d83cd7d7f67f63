//! The language of cases: reads YAML files, checks them, and gives the cases for one release of the specification.
//!
//! A file is parsed into a tree whose nodes know their places (`yaml`). A behaviour file (`case_file`) or a rule over the
//! specification (`rule`) is read from the tree step by step (`step`, `trigger`, `argument`, `expectation`, `matcher`);
//! everything wrong is reported with its place ([`diagnostic`]). The result is the [`model`], in which every name is
//! resolved. [`load`] reads a folder, [`CaseSet::for_release`] expands it for a release. The known deviations of JVMs
//! ([`known`]) and the JSON Schema of the files ([`schema`]) belong here as well.
//!
//! ```
//! use jvmti_cases::CaseSet;
//! use jvmti_cases::source::SourceFile;
//! use jvmti_spec::{Release, Spec};
//!
//! let text = "
//! chapter: general
//! cases:
//! - id: phase/live
//!   about: VMInit begins the live phase
//!   at: vm_init
//!   call: GetPhase
//!   expect: {phase: LIVE}
//!   cites: GetPhase#success
//! ";
//! let file = SourceFile { name: "phase.yaml".into(), text: text.into() };
//! let set = CaseSet::read([file]).unwrap();
//! let cases = set.for_release(&Spec::embedded().at(Release(25))).unwrap().cases;
//! assert_eq!(cases[0].id, "phase/live");
//! assert_eq!(cases[0].subject, None);
//! assert_eq!(cases[0].steps[0].text, "GetPhase()");
//! ```

mod argument;
mod argument_check;
mod arguments;
pub mod brief;
pub mod built_in;
mod case_file;
pub mod catalogue;
pub mod configuration;
mod constant;
mod context;
pub mod diagnostic;
mod each;
mod event_expectation;
mod expectation;
mod files;
pub mod known;
mod layers;
mod life;
mod matcher;
pub mod model;
pub mod outline;
mod outlived;
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
mod unfounded;
pub mod yaml;

pub use argument::invalid_name;
pub use brief::{Brief, Culprit, Judged, LateStart, LaunchEnd};
pub use case_file::Inapplicable;
pub use diagnostic::{Diagnostic, Diagnostics};
pub use files::Unreadable;
pub use releases::Releases;
pub use set::{CaseSet, LoadError, Selection, load};
