//! How processes are made, watched and ended.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Command, ExitStatus};
use std::ptr::null;
use std::time::Duration;

use windows_sys::Win32::Foundation::{WAIT_OBJECT_0, WAIT_TIMEOUT};
use windows_sys::Win32::System::Diagnostics::Debug::{
    SEM_FAILCRITICALERRORS, SEM_NOGPFAULTERRORBOX, SEM_NOOPENFILEERRORBOX, SetErrorMode,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SET_QUOTA,
    PROCESS_SYNCHRONIZE, PROCESS_TERMINATE, TerminateProcess, WaitForSingleObject,
};

use crate::launch::Status;

/// Why a process cannot be asked to end as by SIGTERM.
pub(crate) const NO_SIGTERM: Option<&str> = Some("there is no SIGTERM on Windows");

/// The exit code of processes that the harness ends.
const ENDED: u32 = 1;

/// Makes the process the leader of a group of its own, so that Ctrl-C in the console does not reach it.
pub(crate) fn lead_group(command: &mut Command) {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

/// How a process ended: always with a code, here. That of a crash is the exception's.
pub(crate) fn status(status: ExitStatus) -> Status {
    Status::Exited(status.code().unwrap_or_default())
}

/// Has crashes be no window that waits for somebody; processes inherit that.
pub(crate) fn leave_no_dumps() {
    // SAFETY: sets flags.
    unsafe { SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX) };
}

/// There is no way to ask a process without a window to end.
pub(crate) fn terminate(_pid: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Opens a process for what the harness does with it.
pub(super) fn open(pid: u32) -> Option<OwnedHandle> {
    let access =
        PROCESS_SYNCHRONIZE | PROCESS_TERMINATE | PROCESS_SET_QUOTA | PROCESS_QUERY_LIMITED_INFORMATION;
    // SAFETY: any number may be asked about.
    let process = unsafe { OpenProcess(access, 0, pid) };
    // SAFETY: the handle has just been opened, and is nobody else's.
    (!process.is_null()).then(|| unsafe { OwnedHandle::from_raw_handle(process) })
}

/// The end of a process, to be waited for.
#[derive(Debug)]
pub(crate) struct End(OwnedHandle);

impl End {
    /// That of the process; `None`: it cannot be watched.
    pub(crate) fn of(pid: u32) -> Option<End> {
        open(pid).map(End)
    }

    /// Whether it comes within that time; `None`: not known.
    pub(crate) fn comes_within(&self, time: Duration) -> Option<bool> {
        let time = u32::try_from(time.as_millis()).unwrap_or(u32::MAX - 1);
        // SAFETY: the handle is open, for waiting.
        match unsafe { WaitForSingleObject(self.0.as_raw_handle(), time) } {
            WAIT_OBJECT_0 => Some(true),
            WAIT_TIMEOUT => Some(false),
            _ => None,
        }
    }
}

/// A process, or one with all that it starts, which are a job then. When dropped, what is left of a job is ended.
#[derive(Debug)]
pub(crate) struct Group {
    job: Option<OwnedHandle>,
    process: Option<OwnedHandle>,
}

impl Group {
    /// That process with all that it starts from now on.
    pub(crate) fn led_by(pid: u32) -> Group {
        let process = open(pid);
        // SAFETY: a job without a name and with the usual access.
        let job = unsafe { CreateJobObjectW(null(), null()) };
        // SAFETY: the handle has just been made, and is nobody else's.
        let job = (!job.is_null()).then(|| unsafe { OwnedHandle::from_raw_handle(job) });
        let job = job.filter(|job| {
            process.as_ref().is_some_and(|process| {
                // SAFETY: both are open, with the access that this takes.
                unsafe { AssignProcessToJobObject(job.as_raw_handle(), process.as_raw_handle()) != 0 }
            })
        });
        Group { job, process }
    }

    /// That process only.
    pub(crate) fn only(pid: u32) -> Group {
        Group { job: None, process: open(pid) }
    }

    /// A JVM cannot be asked for a thread dump: Ctrl-Break goes to all processes of a console.
    pub(crate) fn ask_for_threads(&self) {}

    /// There is no way to ask a process without a window to end.
    pub(crate) fn ask_to_end(&self) {}

    /// Ends all of it. `has_ended`: whether the leader has.
    pub(crate) fn kill(&self, has_ended: bool) {
        if let Some(job) = &self.job {
            // SAFETY: the job is open.
            unsafe { TerminateJobObject(job.as_raw_handle(), ENDED) };
        } else if let Some(process) = self.process.as_ref().filter(|_| !has_ended) {
            // SAFETY: the process is open, with the access that this takes.
            unsafe { TerminateProcess(process.as_raw_handle(), ENDED) };
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.job.is_some() {
            self.kill(true);
        }
    }
}
