//! The process and its threads.

use std::ffi::{c_int, c_void};
use std::mem::{MaybeUninit, zeroed};
use std::ptr::without_provenance;
use std::sync::OnceLock;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open};

/// The system's number of the current thread.
pub(crate) fn thread_id() -> u64 {
    rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs().into()
}

/// Waits until that process has ended, and then ends this one. Returns if the system cannot watch processes.
pub(crate) fn end_with(parent: u32) {
    let Some(parent) = i32::try_from(parent).ok().and_then(Pid::from_raw) else { return };
    match pidfd_open(parent, PidfdFlags::empty()) {
        Ok(process) => {
            let mut fds = [PollFd::new(&process, PollFlags::IN)];
            while let Err(Errno::INTR) = poll(&mut fds, None) {}
        }
        Err(Errno::SRCH) => {}
        Err(_) => return,
    }
    let _ = kill_process(getpid(), Signal::KILL);
}

/// Calls that function as late as possible at the end of the current thread: other destructors may still want to do something, and
/// those of the C library come in so many rounds.
pub(crate) fn at_end_of_thread(act: fn()) {
    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    static ACT: OnceLock<fn()> = OnceLock::new();
    /// As many as glibc and musl have.
    const ROUNDS: usize = 4;
    extern "C" fn ends(round: *mut c_void) {
        let (round, key) = (round.addr(), KEY.get().copied().flatten());
        if let Some(key) = key.filter(|_| round < ROUNDS) {
            // SAFETY: the key exists as long as the process; its value is no address.
            unsafe { libc::pthread_setspecific(key, without_provenance(round + 1)) };
        } else if let Some(act) = ACT.get() {
            act();
        }
    }
    ACT.get_or_init(|| act);
    let key = KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: there is room for a key; the function stays.
        (unsafe { libc::pthread_key_create(&raw mut key, Some(ends)) } == 0).then_some(key)
    });
    if let Some(key) = key {
        // SAFETY: as above.
        unsafe { libc::pthread_setspecific(*key, without_provenance(1)) };
    }
}

/// Calls that function on a thread that gets SIGABRT, before the signal ends the process. Does nothing if the program handles the signal.
/// The function must be able to run anywhere.
pub(crate) fn on_abort(act: fn()) {
    static ACT: OnceLock<fn()> = OnceLock::new();
    extern "C" fn got(signal: c_int) {
        if let Some(act) = ACT.get() {
            act();
        }
        // Ends the process when this returns: the handler was for once.
        // SAFETY: sends a signal to this thread.
        unsafe { libc::raise(signal) };
    }
    ACT.get_or_init(|| act);
    if !is_unhandled(libc::SIGABRT) {
        return;
    }
    let handler = got as extern "C" fn(c_int);
    // SAFETY: all of it is made of numbers and pointers, for which zero is a value.
    let mut action = unsafe { zeroed::<libc::sigaction>() };
    action.sa_sigaction = handler as libc::sighandler_t;
    action.sa_flags = libc::SA_ONSTACK | libc::SA_RESETHAND;
    // SAFETY: the structure outlives the call; the handler stays as long as the process.
    unsafe { libc::sigaction(libc::SIGABRT, &raw const action, std::ptr::null_mut()) };
}

/// Whether the program neither handles nor ignores the signal.
fn is_unhandled(signal: c_int) -> bool {
    // SAFETY: all of it is made of numbers and pointers, for which zero is a value.
    let mut action = unsafe { zeroed::<libc::sigaction>() };
    // SAFETY: the structure outlives the call, which fills it in and changes nothing else.
    let code = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) };
    code == 0 && action.sa_sigaction == libc::SIG_DFL
}

/// Calls that function in each process that `fork` makes of this one, as the first thing.
pub(crate) fn in_forked(act: extern "C" fn()) {
    let act: unsafe extern "C" fn() = act;
    // SAFETY: the function stays as long as the process.
    unsafe { libc::pthread_atfork(None, None, Some(act)) };
}

/// Asks the JVM in this process for a data dump: by SIGQUIT, as a user does, so that no program outside is needed. Whether that
/// was possible: not if the signal would end the process.
pub(crate) fn request_data_dump() -> bool {
    !ends_this_process(libc::SIGQUIT) && kill_process(getpid(), Signal::QUIT).is_ok()
}

/// Whether nobody handles the signal, nor blocks it in order to wait for it.
fn ends_this_process(signal: c_int) -> bool {
    // SAFETY: the set is made of numbers, for which zero is a value.
    let mut blocked = unsafe { zeroed::<libc::sigset_t>() };
    // SAFETY: the set outlives the calls, which change nothing but it.
    let is_blocked = unsafe {
        libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut blocked);
        libc::sigismember(&raw const blocked, signal) == 1
    };
    !is_blocked && is_unhandled(signal)
}

/// Commands of `membarrier`, from `linux/membarrier.h`.
const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

/// Makes [`barrier`] possible. Whether it is.
pub(crate) fn prepare_barriers() -> bool {
    membarrier(REGISTER_PRIVATE_EXPEDITED)
}

/// All threads of the process pass a memory barrier before this returns. Whether they have.
pub(crate) fn barrier() -> bool {
    membarrier(PRIVATE_EXPEDITED)
}

fn membarrier(command: libc::c_int) -> bool {
    // SAFETY: the call touches no memory.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// As long as this exists, this thread gets no signals, and neither do the threads that it starts: agents have handlers of
/// their own.
pub(crate) struct SignalsBlocked(libc::sigset_t);

impl SignalsBlocked {
    /// Blocks them.
    pub(crate) fn new() -> Option<SignalsBlocked> {
        let mut before = MaybeUninit::<libc::sigset_t>::uninit();
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the function fills the set in.
        unsafe { libc::sigfillset(all.as_mut_ptr()) };
        // SAFETY: both are sets, and the function fills the second one in if it succeeds.
        let code = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), before.as_mut_ptr()) };
        // SAFETY: it has been filled in.
        (code == 0).then(|| SignalsBlocked(unsafe { before.assume_init() }))
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        // SAFETY: it is the set that the thread had before.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, std::ptr::null_mut()) };
    }
}
