//! Finds JVMs, packs cases into launches, starts the JVMs, and watches over them until they have ended.
//!
//! - [`jvm`] finds the JVMs of the machine and identifies them.
//! - [`plan`] packs cases into as few launches as the specification lets them share.
//! - [`launch`] starts a JVM with the probe; [`launch::process`] is the one place where the harness starts programs.
//! - [`run`] does all of it: from cases and JVMs to verdicts. What a crash or a hang left over runs again.
//! - [`os`] has what depends on the operating system.
//! - [`results`] turns the verdicts into the results that reports show; [`shell`] quotes the commands in them.
//!
//! ```
//! use jvmti_runner::launch::process::{Command, Streams};
//! use jvmti_runner::launch::{Status, Stop};
//! use std::time::Duration;
//!
//! let command = Command { streams: Streams::Captured { mark: None }, ..Command::new("/bin/echo", vec!["hello".into()]) };
//! let child = command.start()?;
//! let status = child.wait(Duration::from_millis(50), None, &Stop::new(), &mut || false)?;
//! let (stdout, _) = child.finish();
//! assert_eq!((status, stdout.text().as_str()), (Status::Exited(0), "hello\n"));
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod jvm;
pub mod launch;
pub mod os;
pub mod plan;
pub mod results;
pub mod run;
pub mod shell;
