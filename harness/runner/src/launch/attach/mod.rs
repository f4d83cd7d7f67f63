//! Asks a running JVM to load an agent, in the way of its family.

mod api;

use std::time::Duration;

use thiserror::Error;

use super::Launch;
use crate::jvm::family::Attaching;
use crate::os::attach as os_attach;

/// Why the harness could not ask a process to load an agent.
#[derive(Debug, Error)]
pub enum AttachError {
    /// There is no such process.
    #[error("there is no process {0}; `jcmd` or `ps` lists those that run")]
    NoProcess(u32),
    /// The process belongs to another user.
    #[error(
        "process {pid} belongs to user {owner}, and this is user {own}: a JVM takes agents from its own user only. \
         Run this as that user"
    )]
    OtherUser {
        /// The process.
        pid: u32,
        /// Its user.
        owner: u32,
        /// The user of the harness.
        own: u32,
    },
    /// The process does not handle SIGQUIT, which would end it.
    #[error(
        "process {pid} ({name}) is not a JVM, or one that does not listen to agents yet (or never, by -Xrs): it does \
         not handle SIGQUIT, by which a JVM is asked to listen"
    )]
    NotAJvm {
        /// The process.
        pid: u32,
        /// What it runs.
        name: String,
    },
    /// The process does not open its socket.
    #[error(
        "process {pid} ({name}) did not begin to listen within {}: it is not a JVM, is stopped or hangs, or was started \
         with -XX:+DisableAttachMechanism", humantime::format_duration(*.waited)
    )]
    Silent {
        /// The process.
        pid: u32,
        /// What it runs.
        name: String,
        /// How long the harness waited.
        waited: Duration,
    },
    /// The process ended before it answered.
    #[error("process {0} ended before it answered")]
    Ended(u32),
    /// The request would contain a zero byte.
    #[error("there is a zero byte in {0:?}")]
    Zero(String),
    /// The JVM's own JDK has no attach API.
    #[error(
        "this JDK has no attach API (the module jdk.attach), by which a JVM of its family is asked to load an agent"
    )]
    NoApi,
    /// The attach API failed.
    #[error("the attach API could not reach process {pid}: {said}")]
    Api {
        /// The process.
        pid: u32,
        /// What it wrote.
        said: String,
    },
    /// A system call failed.
    #[error("cannot talk to process {pid}: {doing}: {error}")]
    Io {
        /// The process.
        pid: u32,
        /// What the harness tried to do.
        doing: String,
        /// The error of the system.
        error: std::io::Error,
    },
}

/// Whether the process, which came of that launch, listens to requests already. `false` where only a request can tell.
pub fn listens(launch: &Launch, pid: u32) -> bool {
    match launch.family.attaching() {
        Attaching::Socket => os_attach::listens(pid),
        Attaching::Api => false,
    }
}

/// Asks the process, which came of that launch, to load the library as an agent with these options. Returns the JVM's
/// answer.
///
/// `timeout` limits the time until the process listens, and then the time until it answers.
pub fn load_agent(
    launch: &Launch,
    pid: u32,
    library: &str,
    options: &str,
    timeout: Duration,
) -> Result<String, AttachError> {
    if let Some(part) = [library, options].into_iter().find(|part| part.contains('\0')) {
        return Err(AttachError::Zero(part.to_owned()));
    }
    match launch.family.attaching() {
        Attaching::Socket => os_attach::load_agent(pid, library, options, timeout),
        Attaching::Api => api::load_agent(launch, pid, library, options, timeout),
    }
}
