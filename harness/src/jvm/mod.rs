//! The Java virtual machines of this machine: where they are, and what they say of themselves.

pub mod architecture;
pub mod discover;
pub mod home;
pub mod places;

pub use discover::{Discovery, discover, named};
pub use home::{Jdk, JdkError};
