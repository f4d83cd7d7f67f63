//! The folder for a run's passing files, gone when the run is.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::os::files;

/// A folder that is removed with all that is in it when this value is dropped, and that holds the Java side's classes.
///
/// No other user has access to it: JVMs load code from there. If this process is killed, the folder stays until the next
/// one of them is made.
#[derive(Debug)]
pub struct Scratch {
    /// Locked as long as the folder is in use. Closed before the folder goes: on Windows it would stay otherwise.
    _lock: File,
    folder: TempDir,
    jar: PathBuf,
}

const PREFIX: &str = "jvmti-check-";
const LOCK: &str = "lock";
/// A folder younger than this may not have been locked by its owner yet.
const SETTLED: Duration = Duration::from_secs(60);

impl Scratch {
    /// Makes the folder in the system's place for such and writes the Java side's classes to it.
    pub fn new() -> io::Result<Scratch> {
        Scratch::new_in(&std::env::temp_dir())
    }

    fn new_in(parent: &Path) -> io::Result<Scratch> {
        sweep(parent);
        let folder = files::temporary_folder(parent, PREFIX)?;
        let path = folder.path().display();
        std::env::join_paths([folder.path()]).map_err(|_| {
            let why = format!(
                "the temporary folder {path} cannot be in a class path, in which `:` separates the entries; \
                 set TMPDIR to another folder"
            );
            io::Error::new(io::ErrorKind::InvalidInput, why)
        })?;
        let lock = File::create(folder.path().join(LOCK))?;
        lock.lock()?;
        let jar = folder.path().join("java-tests.jar");
        std::fs::write(&jar, jvmti_java_tests::JAR)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", jar.display())))?;
        Ok(Scratch { folder, jar, _lock: lock })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The jar of the Java side, for the class path.
    pub fn jar(&self) -> &Path {
        &self.jar
    }

    /// A path in the folder at which nothing is yet, if names differ.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Removes this user's folders whose owners are gone.
fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_abandoned(&path) {
            // What cannot be removed now stays for the next time.
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

fn is_abandoned(folder: &Path) -> bool {
    if !std::fs::symlink_metadata(folder).is_ok_and(|data| data.is_dir() && files::is_own(&data)) {
        return false;
    }
    // Anybody can make such a folder.
    let Ok(lock) = files::open_suspect(&folder.join(LOCK)) else { return false };
    let Ok(data) = lock.metadata() else { return false };
    let age = data.modified().ok().and_then(|modified| modified.elapsed().ok());
    data.is_file() && files::is_own(&data) && age.is_some_and(|age| age > SETTLED) && lock.try_lock().is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn a_folder_goes_with_its_owner() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.path().to_owned();
        assert!(scratch.jar().is_file());
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o700);
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn only_abandoned_folders_are_swept() {
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str, age: u64| {
            let folder = dir.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            let lock = File::create(folder.join(LOCK)).unwrap();
            lock.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
            lock
        };
        drop(make("jvmti-check-abandoned", 3600));
        drop(make("jvmti-check-young", 1));
        drop(make("something-else", 3600));
        let used = make("jvmti-check-used", 3600);
        used.lock().unwrap();
        sweep(dir.path());
        let mut left: Vec<_> =
            std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["jvmti-check-used", "jvmti-check-young", "something-else"]);
    }

    #[test]
    fn a_folder_that_no_class_path_can_hold_is_told() {
        let parent = tempfile::tempdir().unwrap();
        let colon = parent.path().join("a:b");
        std::fs::create_dir(&colon).unwrap();
        let error = Scratch::new_in(&colon).unwrap_err().to_string();
        assert!(error.contains("TMPDIR") && error.contains("a:b"), "{error}");
    }

    #[test]
    fn a_pipe_in_place_of_a_lock_blocks_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("jvmti-check-trap");
        std::fs::create_dir(&folder).unwrap();
        let made = std::process::Command::new("mkfifo").arg(folder.join(LOCK)).status().unwrap();
        assert!(made.success());
        sweep(dir.path());
        assert!(folder.exists());
    }
}
