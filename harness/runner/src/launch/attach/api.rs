//! Attaching by the attach API of the JVM's own JDK, in a process of its own: `jvmticheck.Attach` on the Java side.

use std::ffi::OsString;
use std::time::Duration;

use super::AttachError;
use crate::launch::process::{Command, EnvironmentVariables, Streams};
use crate::launch::{Launch, Status, Stop, options};

/// The Java side's main class.
const MAIN_CLASS: &str = "jvmticheck.Attach";
/// Its exit code if the JDK has no such API.
const NO_API: i32 = 3;
/// How often the end of the process is looked for.
const TICK: Duration = Duration::from_millis(50);

pub(super) fn load_agent(
    launch: &Launch,
    pid: u32,
    library: &str,
    agent_options: &str,
    timeout: Duration,
) -> Result<String, AttachError> {
    let failed = |doing: &str| {
        let doing = doing.to_owned();
        move |error| AttachError::Io { pid, doing, error }
    };
    // Both processes have the same temporary folder: some JVMs meet there.
    let mut args = options::standing(launch.family, &[], &launch.scratch);
    args.extend(["-cp".into(), launch.class_path_text()]);
    args.extend([MAIN_CLASS, &pid.to_string(), library, agent_options].map(OsString::from));
    let command = Command {
        folder: Some(launch.scratch.clone()),
        environment: EnvironmentVariables::Clean,
        streams: Streams::Captured { mark: None },
        leads_group: true,
        ..Command::new(&launch.java, args)
    };
    let child = command.start().map_err(failed("starting the JDK's attach API"))?;
    let status = child.wait(TICK, Some(timeout), &Stop::new(), &mut || false);
    let status = status.map_err(failed("waiting for the JDK's attach API"))?;
    if status == Status::TimedOut {
        child.end();
    }
    let (stdout, stderr) = child.finish();
    match status {
        Status::Exited(0) => Ok(stdout.text()),
        Status::Exited(NO_API) => Err(AttachError::NoApi),
        status => Err(AttachError::Api { pid, said: format!("{status}; {}", stderr.text().trim()) }),
    }
}
