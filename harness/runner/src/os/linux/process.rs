//! How processes are made, watched and ended.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};
use std::sync::Once;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, getrlimit, kill_process, kill_process_group, pidfd_open,
    setrlimit, test_kill_process_group,
};

use crate::launch::Status;

/// Why a process cannot be asked to end as by SIGTERM.
pub(crate) const NO_SIGTERM: Option<&str> = None;

/// Makes the process the leader of a group of its own.
pub(crate) fn lead_group(command: &mut Command) {
    command.process_group(0);
}

/// How a process ended.
pub(crate) fn status(status: ExitStatus) -> Status {
    match (status.code(), status.signal()) {
        (Some(code), _) => Status::Exited(code),
        (None, signal) => Status::Signalled(signal.unwrap_or_default()),
    }
}

/// A JVM's core is gigabytes that nobody asked for; the limit is inherited.
pub(crate) fn leave_no_dumps() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let maximum = getrlimit(Resource::Core).maximum;
        // If this is refused there are core files where the system writes them: a nuisance, not an error.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
    });
}

/// Asks that process to end, by SIGTERM. It may have ended by itself.
pub(crate) fn terminate(pid: u32) -> io::Result<()> {
    match process(pid) {
        Some(process) => Ok(kill_process(process, Signal::TERM)?),
        None => Ok(()),
    }
}

/// The end of a process, to be waited for.
#[derive(Debug)]
pub(crate) struct End(OwnedFd);

impl End {
    /// That of the process; `None`: it cannot be watched.
    pub(crate) fn of(pid: u32) -> Option<End> {
        pidfd_open(process(pid)?, PidfdFlags::empty()).ok().map(End)
    }

    /// Whether it comes within that time; `None`: not known.
    pub(crate) fn comes_within(&self, time: Duration) -> Option<bool> {
        let time = Timespec::try_from(time).unwrap_or_default();
        poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&time)).ok().map(|ready| ready != 0)
    }
}

/// A process or a process group, to which signals are sent. When dropped, what is left of a group is killed.
#[derive(Debug)]
pub(crate) enum Group {
    /// The group that this process leads.
    Led(Pid),
    /// This process only.
    Only(Pid),
    /// There is no such process.
    Empty,
}

impl Group {
    /// The group that is led by that process.
    pub(crate) fn led_by(pid: u32) -> Group {
        process(pid).map_or(Group::Empty, Group::Led)
    }

    /// That process only.
    pub(crate) fn only(pid: u32) -> Group {
        process(pid).map_or(Group::Empty, Group::Only)
    }

    /// Asks a JVM for a thread dump on its standard output.
    pub(crate) fn ask_for_threads(&self) {
        self.signal(Signal::QUIT);
    }

    /// Asks all of it to end, by SIGTERM.
    pub(crate) fn ask_to_end(&self) {
        self.signal(Signal::TERM);
    }

    /// Ends all of it, by SIGKILL. `has_ended`: whether the leader has.
    pub(crate) fn kill(&self, has_ended: bool) {
        match self {
            // What it started may still be there, and keeps the group's id from being given to others.
            Group::Led(_) => self.signal(Signal::KILL),
            Group::Only(_) if !has_ended => self.signal(Signal::KILL),
            Group::Only(_) | Group::Empty => {}
        }
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
