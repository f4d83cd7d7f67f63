//! What is done to a JVM from outside while its program waits.

use std::io::{PipeWriter, Write};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::capture::Drain;
use super::{Act, MARK};
use crate::launch::attach;

/// How long a JVM may take to listen, and then to answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// The acts still to be done, and what came of those that were.
pub(super) struct Visit<'a> {
    pid: u32,
    acts: &'a [Act],
    done: usize,
    stdin: Option<PipeWriter>,
    /// What came of each wish to attach.
    pub(super) attached: Vec<Result<String, String>>,
}

impl<'a> Visit<'a> {
    /// Of that process, which waits for lines from there.
    pub(super) fn new(pid: u32, acts: &'a [Act], stdin: Option<PipeWriter>) -> Visit<'a> {
        Visit { pid, acts, done: 0, stdin, attached: Vec::new() }
    }

    /// Does what the program has asked for by now.
    pub(super) fn go_on(&mut self, stdout: &Drain) {
        while let Some(act) = self.acts.get(self.done).filter(|_| stdout.count(MARK) > self.done) {
            self.done += 1;
            match act {
                Act::Attach { library, options } => {
                    let answer = attach::load_agent(self.pid, library, options, PATIENCE);
                    self.attached.push(answer.map_err(|error| error.to_string()));
                }
                Act::Terminate => {
                    if let Some(process) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) {
                        // It may have ended by itself.
                        let _ = kill_process(process, Signal::TERM);
                    }
                }
            }
            if let Some(stdin) = &mut self.stdin {
                // A program that has gone does not wait.
                let _ = stdin.write_all(b"\n");
            }
        }
    }
}
