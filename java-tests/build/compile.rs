//! Running `javac`.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compilers to try, in order of preference.
fn compilers() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    if let Some(home) = env::var_os("JAVA_HOME") {
        found.push(Path::new(&home).join("bin").join("javac"));
    }
    found.extend(which::which("javac"));
    let installed = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    found.extend(installed.map(|entry| entry.path().join("bin").join("javac")));
    found.retain(|path| path.exists() || path.with_extension("exe").exists());
    found
}

/// Compiles them into that folder with the first compiler that can.
pub fn compile(sources: &[PathBuf], classes: &Path) -> Result<(), Box<dyn Error>> {
    let mut failures = String::new();
    for javac in compilers() {
        let output = Command::new(&javac)
            .args(["--release", "8", "-Xlint:-options", "-nowarn", "-g", "-encoding", "UTF-8", "-d"])
            .arg(classes)
            .args(sources)
            // In the POSIX locale javac cannot write files whose names are not ASCII, such as those of some classes.
            .env("LC_ALL", "C.UTF-8")
            .output()?;
        if output.status.success() {
            return Ok(());
        }
        writeln!(failures, "{}:\n{}", javac.display(), String::from_utf8_lossy(&output.stderr))?;
    }
    if failures.is_empty() {
        failures = "no javac found in JAVA_HOME, in PATH or below /usr/lib/jvm; install a JDK of release 9 or newer \
                    (Debian: apt-get install default-jdk-headless), or run ci/setup"
            .to_owned();
    }
    Err(format!("cannot compile the Java scenarios\n{failures}").into())
}
