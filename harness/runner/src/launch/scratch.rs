//! The folder for a run's passing files, gone when the run is.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

/// A folder that is removed with all that is in it when this value is dropped, and that holds the Java side's classes.
///
/// If this process is killed, the folder stays until the next one of them is made.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    jar: PathBuf,
    /// Locked as long as the folder is in use.
    _lock: File,
}

const PREFIX: &str = "jvmti-check-";
const LOCK: &str = "lock";
/// A folder younger than this may not have been locked by its owner yet.
const SETTLED: Duration = Duration::from_secs(60);

impl Scratch {
    /// Makes the folder in the system's place for such and writes the Java side's classes to it.
    pub fn new() -> io::Result<Scratch> {
        sweep(&std::env::temp_dir());
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let lock = File::create(folder.path().join(LOCK))?;
        lock.lock()?;
        let jar = folder.path().join("java-tests.jar");
        std::fs::write(&jar, jvmti_java_tests::JAR)?;
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

/// Removes folders whose owners are gone. What cannot be removed is somebody else's.
fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_abandoned(&path) {
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

fn is_abandoned(folder: &Path) -> bool {
    let Ok(lock) = File::open(folder.join(LOCK)) else { return false };
    let age = lock.metadata().ok().and_then(|data| data.modified().ok()?.elapsed().ok());
    age.is_some_and(|age| age > SETTLED) && lock.try_lock().is_ok()
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn a_folder_goes_with_its_owner() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.path().to_owned();
        assert!(scratch.jar().is_file());
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
}
