//! Class files: read, edited one thing at a time, and written again. JVMS, chapter 4.
//!
//! The probe edits class files ([`edited`]) that an agent is to redefine a class with; the judge reads them, to know what
//! the functions about classes, methods and fields have to answer.

// It runs in somebody's JVM, where a panic may end the process.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo)
)]

mod code;
mod constants;
mod edit;
mod file;
mod moved;
mod reader;

pub use code::{Code, Instruction, instructions};
pub use constants::{Constant, Constants};
pub use edit::{EditError, edited, slots};
pub use file::{Attribute, ClassFile, Member};
pub use reader::Reader;
