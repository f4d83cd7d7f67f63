//! The folder for a run's passing files, gone when the run is.

use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder that is removed with all that is in it when this value is dropped, and that holds the Java side's classes.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    jar: PathBuf,
}

impl Scratch {
    /// Makes the folder in the system's place for such and writes the Java side's classes to it.
    pub fn new() -> io::Result<Scratch> {
        let folder = tempfile::Builder::new().prefix("jvmti-check-").tempdir()?;
        let jar = folder.path().join("java-tests.jar");
        std::fs::write(&jar, jvmti_java_tests::JAR)?;
        Ok(Scratch { folder, jar })
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
