//! What is done to a JVM from outside while its program waits, or before it runs.

use std::io::{PipeWriter, Write};
use std::time::Duration;

use super::process::Child;
use super::{Act, Launch, attach};
use crate::os;

/// How long a JVM may take to listen, and then to answer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A launch whose acts are still to be done, and what came of those that were.
pub(super) struct Visit<'a> {
    launch: &'a Launch,
    done: usize,
    /// How many requests of the program have been fulfilled.
    fulfilled: usize,
    input: Option<PipeWriter>,
    /// What came of each wish to attach.
    pub(super) attached: Vec<Result<String, String>>,
}

impl<'a> Visit<'a> {
    /// The program waits for lines from `input`.
    pub(super) fn new(launch: &'a Launch, input: Option<PipeWriter>) -> Visit<'a> {
        Visit { launch, done: 0, fulfilled: 0, input, attached: Vec::new() }
    }

    /// Does what is due by now, which may take a while. Returns whether there was anything to do.
    pub(super) fn go_on(&mut self, child: &Child) -> bool {
        let before = self.done;
        while let Some(act) = self.launch.acts.get(self.done) {
            let requested = child.marks() > self.fulfilled;
            match act {
                Act::Attach { library, options, early: true } => {
                    if attach::listens(self.launch, child.pid()) {
                        // The JVM may refuse it: whether the agent starts, and when, is in the trace.
                        let _ = attach::load_agent(self.launch, child.pid(), library, options, TIMEOUT);
                    } else if !requested {
                        break;
                    }
                }
                _ if !requested => break,
                Act::Attach { library, options, early: false } => {
                    let answer = attach::load_agent(self.launch, child.pid(), library, options, TIMEOUT);
                    self.attached.push(answer.map_err(|error| error.to_string()));
                    self.let_go_on();
                }
                Act::Terminate => {
                    // It may have ended by itself.
                    let _ = os::process::terminate(child.pid());
                    self.let_go_on();
                }
            }
            self.done += 1;
        }
        self.done > before
    }

    /// Tells the program that its request has been fulfilled.
    fn let_go_on(&mut self) {
        self.fulfilled += 1;
        if let Some(input) = &mut self.input {
            // A program that has gone does not wait.
            let _ = input.write_all(b"\n");
        }
    }
}
