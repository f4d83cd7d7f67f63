//! The program at work in a folder of its own.

use std::path::Path;
use std::process::{Command, Output};

use assert_cmd::cargo::CommandCargoExt;
use tempfile::TempDir;

/// A folder for the files of one test. Temporary and cached files of the program go to folders in it, which tests inspect.
pub struct Sandbox(TempDir);

impl Sandbox {
    /// An empty one.
    pub fn new() -> Sandbox {
        let place = Sandbox(tempfile::tempdir().unwrap());
        for folder in ["tmp", "cache"] {
            std::fs::create_dir(place.path().join(folder)).unwrap();
        }
        place
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The program with these arguments.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.inside(Command::cargo_bin("jvmti-check").unwrap());
        command.args(args);
        command
    }

    /// A command whose temporary and cached files go to its folders, and which no variable of the program reaches.
    pub fn inside(&self, mut command: Command) -> Command {
        command.env("TMPDIR", self.path().join("tmp")).env("JVMTI_CHECK_CACHE", self.path().join("cache"));
        command.env_remove("JVMTI_CHECK_CASES").env_remove("JVMTI_CHECK_PROBE").env("NO_COLOR", "1");
        command
    }

    /// Runs it and checks that no passing file is left.
    pub fn run(&self, args: &[&str]) -> Output {
        let output = self.command(args).output().unwrap();
        self.assert_tidy();
        output
    }

    /// Checks that no passing file is left.
    pub fn assert_tidy(&self) {
        let left: Vec<_> = std::fs::read_dir(self.path().join("tmp")).unwrap().collect();
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

/// All that it wrote.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A path for a command line.
pub fn text(path: impl AsRef<Path>) -> String {
    path.as_ref().display().to_string()
}

/// Checks the exit code, and that all of this was said.
#[track_caller]
pub fn assert_says(output: &Output, code: i32, parts: &[&str]) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    for part in parts {
        assert!(said.contains(part), "{part:?} is missing in:\n{said}");
    }
}

/// A case that passes on every JVM.
pub const CASE: &str = "thread/get-thread-state/sleeping";
