//! The library or executable that this code is in, and the process that it must not outlive.

use std::ffi::{CStr, c_void};
use std::path::Path;
use std::sync::OnceLock;

use jvmti_wire::plan::PARENT_VARIABLE;

/// File name of the image that holds this code: the same code may be in a process several times.
pub fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let path = path().unwrap_or_default();
        Path::new(&path).file_name().unwrap_or_default().to_string_lossy().into_owned()
    })
}

fn path() -> Option<String> {
    // SAFETY: all zero is a valid value of a structure of pointers.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // A function of this module's own: an exported one might be another image's.
    let here = path as fn() -> Option<String> as *const c_void;
    // SAFETY: `info` outlives the call; any address may be asked about.
    let found = unsafe { libc::dladdr(here, &mut info) } != 0;
    // SAFETY: what the loader tells is a terminated string, which stays as long as the image.
    (found && !info.dli_fname.is_null())
        .then(|| unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned())
}

/// Lets the process end when the one that watches over it does, if that is named: it may have been killed, and between
/// the two may be others, such as a launcher that is a script.
pub fn end_with_parent() {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open};

    let parent = std::env::var(PARENT_VARIABLE).ok().and_then(|id| Pid::from_raw(id.parse().ok()?));
    let Some(parent) = parent else { return };
    let watch = move || {
        match pidfd_open(parent, PidfdFlags::empty()) {
            Ok(process) => {
                let mut fds = [PollFd::new(&process, PollFlags::IN)];
                while let Err(Errno::INTR) = poll(&mut fds, None) {}
            }
            Err(Errno::SRCH) => {}
            // A system that cannot watch processes.
            Err(_) => return,
        }
        let _ = kill_process(getpid(), Signal::KILL);
    };
    // Without the thread the process is merely not watched.
    let _ =
        std::thread::Builder::new().name("jvmti-probe watch".to_owned()).stack_size(64 << 10).spawn(watch);
}
