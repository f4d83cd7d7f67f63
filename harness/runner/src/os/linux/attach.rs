//! Attaching by the mechanism of HotSpot: a file and SIGQUIT make the JVM listen on a socket, to which the harness sends the
//! request.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Mode, OFlags, openat, unlinkat};
use rustix::process::{Pid, Signal, geteuid, kill_process};

use crate::launch::attach::AttachError;

/// Whether the harness knows the protocol.
pub(crate) const SUPPORTED: bool = true;

/// Asks the process to load the library as an agent with these options. Returns the JVM's answer unchanged: a line with 0
/// if the JVM understood the request, followed by the result.
///
/// `timeout` limits the time until the process listens, and then the time until it answers.
pub(crate) fn load_agent(
    pid: u32,
    library: &str,
    options: &str,
    timeout: Duration,
) -> Result<String, AttachError> {
    let request = ["1", "load", library, "true", options];
    if let Some(part) = request.into_iter().find(|part| part.contains('\0')) {
        return Err(AttachError::Zero(part.to_owned()));
    }
    let target = Target::of(pid)?;
    let mut stream = target.connect(timeout)?;
    let request: Vec<u8> = request.into_iter().flat_map(|part| part.bytes().chain([0])).collect();
    let failed = |doing: &str| {
        let doing = doing.to_owned();
        move |error| match target.is_there() {
            true => AttachError::Io { pid, doing, error },
            false => AttachError::Ended(pid),
        }
    };
    let mut answer = Vec::new();
    stream.set_read_timeout(Some(timeout)).map_err(failed("setting a time limit"))?;
    stream.write_all(&request).map_err(failed("asking"))?;
    stream.read_to_end(&mut answer).map_err(failed("waiting for the answer"))?;
    match answer.is_empty() && !target.is_there() {
        true => Err(AttachError::Ended(pid)),
        false => Ok(String::from_utf8_lossy(&answer).into_owned()),
    }
}

/// Whether the process has opened its socket.
pub(crate) fn listens(pid: u32) -> bool {
    Target::of(pid).is_ok_and(|target| is_socket(&target.socket()))
}

/// A process that may be a JVM.
#[derive(Clone, Copy)]
struct Target {
    pid: u32,
    /// Its id in its own namespace, which differs from `pid` in a container.
    own: u32,
}

impl Target {
    fn of(pid: u32) -> Result<Target, AttachError> {
        let process = std::fs::metadata(format!("/proc/{pid}")).map_err(|_| AttachError::NoProcess(pid))?;
        same_user(pid, process.uid(), geteuid().as_raw())?;
        let status = status(pid).ok_or(AttachError::Ended(pid))?;
        if !handles(&status, Signal::QUIT) {
            return Err(AttachError::NotAJvm { pid, name: name(pid) });
        }
        let own = field(&status, "NSpid:").and_then(|ids| ids.split_whitespace().last()?.parse().ok());
        Ok(Target { pid, own: own.unwrap_or(pid) })
    }

    fn is_there(self) -> bool {
        // A process that has ended has no memory any more, although its parent may not have waited for it.
        status(self.pid).is_some_and(|status| field(&status, "VmSize:").is_some())
    }

    /// Where it listens.
    fn socket(self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root/tmp/.java_pid{}", self.pid, self.own))
    }

    fn connect(self, timeout: Duration) -> Result<UnixStream, AttachError> {
        let (pid, socket) = (self.pid, self.socket());
        if !is_socket(&socket) {
            self.wake(&socket, timeout)?;
        }
        UnixStream::connect(&socket).map_err(|error| match self.is_there() {
            true => AttachError::Io { pid, doing: format!("connecting to {}", socket.display()), error },
            false => AttachError::Ended(pid),
        })
    }

    /// Makes the JVM open its socket.
    fn wake(self, socket: &Path, timeout: Duration) -> Result<(), AttachError> {
        let pid = self.pid;
        let wish = Wish::make(self).map_err(|error| AttachError::Io {
            pid,
            doing: "leaving the file that tells it to listen".to_owned(),
            error,
        })?;
        let begun = Instant::now();
        let mut asked = None::<Instant>;
        while !is_socket(socket) {
            if !self.is_there() {
                return Err(AttachError::Ended(pid));
            }
            if begun.elapsed() > timeout {
                return Err(AttachError::Silent { pid, name: name(pid), waited: timeout });
            }
            // A JVM that is about to start its attach thread may miss the first signal.
            if asked.is_none_or(|at| at.elapsed() > Duration::from_secs(1)) {
                if let Some(process) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
                    kill_process(process, Signal::QUIT).map_err(|_| AttachError::Ended(pid))?;
                }
                asked = Some(Instant::now());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        drop(wish);
        Ok(())
    }
}

/// The file that tells a JVM to listen when SIGQUIT comes. Removed when this is dropped. The folder stays open, since there
/// is no path to it through `/proc` after the process has ended.
struct Wish {
    folder: File,
    name: String,
}

impl Wish {
    fn make(target: Target) -> std::io::Result<Wish> {
        let name = format!(".attach_pid{}", target.own);
        let make = |place: &str| -> std::io::Result<Wish> {
            let folder = File::open(format!("/proc/{}/{place}", target.pid))?;
            let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
            openat(&folder, &name, flags, Mode::RUSR | Mode::WUSR)?;
            Ok(Wish { folder, name: name.clone() })
        };
        make("cwd").or_else(|_| make("root/tmp"))
    }
}

impl Drop for Wish {
    fn drop(&mut self) {
        // If the file cannot be removed, an empty file stays.
        let _ = unlinkat(&self.folder, &self.name, AtFlags::empty());
    }
}

/// Checks the user: a JVM accepts requests from its own user and from root.
fn same_user(pid: u32, owner: u32, own: u32) -> Result<(), AttachError> {
    match owner == own || own == 0 {
        true => Ok(()),
        false => Err(AttachError::OtherUser { pid, owner, own }),
    }
}

fn is_socket(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.file_type().is_socket())
}

fn status(pid: u32) -> Option<String> {
    std::fs::read_to_string(format!("/proc/{pid}/status")).ok()
}

fn field<'s>(status: &'s str, name: &str) -> Option<&'s str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

/// Whether the process has a handler for the signal.
fn handles(status: &str, signal: Signal) -> bool {
    let caught = field(status, "SigCgt:").and_then(|mask| u64::from_str_radix(mask, 16).ok());
    caught.is_some_and(|mask| mask & (1 << (signal.as_raw() - 1)) != 0)
}

fn name(pid: u32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let program = line.split(|byte| *byte == 0).next().unwrap_or_default();
    Path::new(std::ffi::OsStr::from_bytes(program)).display().to_string()
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    const SOON: Duration = Duration::from_millis(300);

    /// Starts a process in its own folder.
    struct Process(Child, tempfile::TempDir);

    impl Drop for Process {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn perl(program: &str) -> Process {
        let folder = tempfile::tempdir().unwrap();
        let mut perl = Command::new("perl");
        perl.args(["-e", program]).current_dir(&folder).stdout(Stdio::piped());
        let mut child = perl.spawn().expect("perl");
        let mut ready = [0];
        child.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        Process(child, folder)
    }

    #[test]
    fn what_is_not_there_is_said() {
        let mut gone = Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        let error = load_agent(gone.id(), "x", "", SOON).unwrap_err();
        assert!(matches!(error, AttachError::NoProcess(_)), "{error}");
    }

    #[test]
    fn a_process_that_is_no_jvm_is_left_in_peace() {
        let mut process = perl("$| = 1; print 'x'; sleep 60");
        let error = load_agent(process.0.id(), "x", "", SOON).unwrap_err();
        assert!(matches!(&error, AttachError::NotAJvm { name, .. } if name == "perl"), "{error}");
        assert!(process.0.try_wait().unwrap().is_none(), "it was ended");
    }

    #[test]
    fn one_that_handles_the_signal_and_does_nothing_is_given_up() {
        let process = perl("$| = 1; $SIG{QUIT} = sub {}; print 'x'; sleep 1 while 1");
        let error = load_agent(process.0.id(), "x", "", SOON).unwrap_err();
        assert!(matches!(error, AttachError::Silent { .. }), "{error}");
        assert!(error.to_string().contains("DisableAttachMechanism"));
    }

    #[test]
    fn one_that_ends_meanwhile_is_noticed() {
        let process = perl("$| = 1; $SIG{QUIT} = sub { exit }; print 'x'; sleep 1 while 1");
        let error = load_agent(process.0.id(), "x", "", Duration::from_secs(20)).unwrap_err();
        assert!(matches!(error, AttachError::Ended(_)), "{error}");
        assert_eq!(std::fs::read_dir(process.1.path()).unwrap().count(), 0, "something was left behind");
    }

    #[test]
    fn another_users_process_is_not_touched() {
        let error = same_user(1, 0, 1000).unwrap_err().to_string();
        assert!(error.contains("user 0") && error.contains("Run this as that user"), "{error}");
        assert!(same_user(1, 1000, 1000).is_ok() && same_user(1, 1000, 0).is_ok());
    }

    #[test]
    fn a_zero_byte_cannot_be_sent() {
        let process = perl("$| = 1; $SIG{QUIT} = sub {}; print 'x'; sleep 1 while 1");
        let error = load_agent(process.0.id(), "a\0b", "", SOON).unwrap_err();
        assert!(matches!(error, AttachError::Zero(_)), "{error}");
    }
}
