//! The JVM TI specification as data: functions, events, capabilities, error codes, constants, structures, and the
//! registry of assertions, each with the releases in which it holds.

pub mod assertion;
pub mod ctype;
mod cut;
pub mod derived;
pub mod diff;
pub mod edition;
pub mod facts;
#[cfg(feature = "import")]
pub mod import;
mod lookup;
pub mod prose;
pub mod registry;
mod release;
pub mod show;
pub mod span;
mod spec;
pub mod tables;
pub mod wording;

pub use assertion::{Assertion, Assertions, Promise, Strength};
pub use edition::Edition;
pub use release::Release;
pub use spec::Spec;
