//! The Java virtual machines of this machine: where they are, and what they say of themselves.

pub mod architecture;
mod cache;
mod census;
pub mod discover;
pub mod family;
pub mod home;
pub mod identity;
pub mod interpreter;
pub mod places;

pub use architecture::Target;
pub(crate) use cache::cache_folder;
pub use discover::{Discovery, discover, named};
pub use home::{Jdk, JdkError};
pub use identity::{Identity, IdentityError, Inquiry};
