//! A process, alone or with all that it started.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

/// A process or a process group, to which signals are sent. When dropped, what is left of a group is killed.
#[derive(Debug)]
pub(super) enum Group {
    /// The group that this process leads.
    Led(Pid),
    /// This process only.
    Only(Pid),
    /// There is no such process.
    Empty,
}

impl Group {
    /// The group that is led by that process.
    pub(super) fn led_by(pid: u32) -> Group {
        process(pid).map_or(Group::Empty, Group::Led)
    }

    /// That process only.
    pub(super) fn only(pid: u32) -> Group {
        process(pid).map_or(Group::Empty, Group::Only)
    }

    /// Asks a JVM for a thread dump on its standard output.
    pub(super) fn ask_for_threads(&self) {
        self.signal(Signal::QUIT);
    }

    /// Ends all of it: by SIGTERM, and after `grace` by SIGKILL. `has_ended` waits so long for the leader, and says
    /// whether it has ended.
    pub(super) fn end(&self, grace: Duration, mut has_ended: impl FnMut(Duration) -> bool) {
        self.signal(Signal::TERM);
        let begun = Instant::now();
        while begun.elapsed() < grace {
            if has_ended(Duration::from_millis(20)) {
                break;
            }
        }
        match self {
            // What it started may still be there, and keeps the group's id from being given to others.
            Group::Led(_) => self.signal(Signal::KILL),
            Group::Only(_) if !has_ended(Duration::ZERO) => self.signal(Signal::KILL),
            Group::Only(_) | Group::Empty => {}
        }
        has_ended(Duration::from_secs(10));
    }

    fn signal(&self, signal: Signal) {
        // It may be gone by now, which is what is wanted.
        let _ = match self {
            Group::Led(pid) => kill_process_group(*pid, signal),
            Group::Only(pid) => kill_process(*pid, signal),
            Group::Empty => Ok(()),
        };
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Group::Led(pid) = self
            && test_kill_process_group(*pid).is_ok()
        {
            self.signal(Signal::KILL);
        }
    }
}

fn process(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}
