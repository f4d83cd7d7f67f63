//! What processes take of the processors, as the system tells.

use std::os::windows::io::AsRawHandle;
use std::time::Duration;

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Threading::{GetCurrentThread, GetProcessTimes, GetThreadTimes};

use super::process::open;
use crate::os::Thread;

/// A function that tells the times of a thread or of a process: start, end, kernel, user.
type Times = unsafe extern "system" fn(
    *mut core::ffi::c_void,
    *mut FILETIME,
    *mut FILETIME,
    *mut FILETIME,
    *mut FILETIME,
) -> i32;

/// The processor time that a process has taken until now.
pub fn of_process(pid: u32) -> Option<Duration> {
    let process = open(pid)?;
    taken(GetProcessTimes, process.as_raw_handle())
}

/// The processor time that this process has taken, and that of its children: not told here.
pub fn own_and_childrens() -> Option<(Duration, Duration)> {
    None
}

/// The processor time that this thread has taken.
pub fn of_this_thread() -> Duration {
    // SAFETY: gives a constant that stands for this thread.
    taken(GetThreadTimes, unsafe { GetCurrentThread() }).unwrap_or_default()
}

/// The threads of a process at this moment: the system does not tell what they do.
pub fn threads(_pid: u32) -> Vec<Thread> {
    Vec::new()
}

fn taken(of: Times, handle: *mut core::ffi::c_void) -> Option<Duration> {
    let mut times = [FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 }; 4];
    let [start, end, kernel, user] = &mut times;
    // SAFETY: the handle is open, and the four outlive the call.
    let told = unsafe { of(handle, start, end, kernel, user) } != 0;
    // In units of 100 ns.
    let units = |time: &FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    told.then(|| Duration::from_nanos((units(kernel) + units(user)).saturating_mul(100)))
}
