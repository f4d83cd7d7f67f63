//! The process and its threads.

use windows_sys::Win32::Foundation::{CloseHandle, WAIT_OBJECT_0};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThreadId, INFINITE, OpenProcess, PROCESS_SYNCHRONIZE, TerminateProcess,
    WaitForSingleObject,
};

/// The exit code of a process that the probe ends.
const ENDED: u32 = 1;

/// The system's number of the current thread.
pub(crate) fn thread_id() -> u64 {
    // SAFETY: asks for a number.
    unsafe { GetCurrentThreadId() }.into()
}

/// Waits until that process has ended, and then ends this one. Returns if it cannot be watched.
pub(crate) fn end_with(parent: u32) {
    // SAFETY: any number may be asked about.
    let process = unsafe { OpenProcess(PROCESS_SYNCHRONIZE, 0, parent) };
    if process.is_null() {
        return;
    }
    // SAFETY: the handle has been opened, for waiting.
    let ended = unsafe { WaitForSingleObject(process, INFINITE) } == WAIT_OBJECT_0;
    // SAFETY: nobody uses the handle any more.
    unsafe { CloseHandle(process) };
    if ended {
        // SAFETY: this is the end of the process, as it is meant to be.
        unsafe { TerminateProcess(GetCurrentProcess(), ENDED) };
    }
}

/// Ctrl-Break, by which a user asks for a data dump, goes to all processes of a console: the probe sends none. Whether it did.
pub(crate) fn request_data_dump() -> bool {
    false
}

/// Calls that function at the end of the current thread: nobody needs it, as agents are not recorded here.
pub(crate) fn at_end_of_thread(_act: fn()) {}

/// Does nothing: nobody needs it, as agents are not recorded here.
pub(crate) fn on_abort(_act: fn()) {}

/// Does nothing: there is no `fork`.
pub(crate) fn in_forked(_act: extern "C" fn()) {}

/// Makes [`barrier`] possible: nobody needs it, as agents are not recorded here.
pub(crate) fn prepare_barriers() -> bool {
    false
}

/// Does nothing.
pub(crate) fn barrier() -> bool {
    false
}

/// There are no signals.
pub(crate) struct SignalsBlocked;

impl SignalsBlocked {
    /// Does nothing.
    pub(crate) fn new() -> Option<SignalsBlocked> {
        Some(SignalsBlocked)
    }
}
