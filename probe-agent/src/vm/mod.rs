//! The running JVM, as the probe uses it: JNI, JVM TI environments, how far the JVM has come, and the identity of its
//! objects.

pub mod environment_table;
pub mod environments;
pub mod event;
#[cfg(test)]
pub mod fake_jni;
pub mod held;
pub mod identity;
pub mod image;
pub mod jni;
pub mod native_method;
mod numbering;
pub mod pending_exception;
pub mod probe_environment;
pub mod resolver;
pub mod stage;
