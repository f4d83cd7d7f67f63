//! Native methods that the Java scenarios need, which the JVM has to find in this library by their names.

mod cast;
mod image;
mod native_catches;
mod natives;
pub mod wrapped;
