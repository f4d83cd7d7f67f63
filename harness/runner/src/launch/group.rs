//! A process with all that it started, as one group that can be ended as a whole.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// How long a process may take to end after it was asked to.
const GRACE: Duration = Duration::from_millis(500);

/// A process group. When dropped, what is left of it is killed.
pub struct Group(Option<Pid>);

impl Group {
    /// The group led by that process.
    pub fn led_by(pid: u32) -> Group {
        Group(i32::try_from(pid).ok().and_then(Pid::from_raw))
    }

    /// Asks a JVM for a thread dump on its standard output.
    pub fn ask_for_threads(&self) {
        self.signal(Signal::QUIT);
    }

    /// Ends all of it: politely, and after [`GRACE`] for good. `leader_gone` says whether the leader has ended.
    pub fn end(&self, mut leader_gone: impl FnMut(Duration) -> bool) {
        self.signal(Signal::TERM);
        let start = Instant::now();
        while start.elapsed() < GRACE {
            if leader_gone(Duration::from_millis(20)) {
                break;
            }
        }
        self.signal(Signal::KILL);
        leader_gone(Duration::from_secs(10));
    }

    fn signal(&self, signal: Signal) {
        // The group may be gone by now, which is what is wanted.
        if let Some(pid) = self.0 {
            let _ = kill_process_group(pid, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.0.is_some_and(|pid| test_kill_process_group(pid).is_ok()) {
            self.signal(Signal::KILL);
        }
    }
}
