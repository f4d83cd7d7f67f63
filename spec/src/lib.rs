//! The JVM TI specification as data: functions, events, capabilities, error codes, constants, structures, and the
//! registry of assertions, each with the releases it holds in.

pub mod assertion;
pub mod edition;
mod release;

pub use assertion::{Assertion, Strength};
pub use edition::Edition;
pub use release::Release;
