//! Agents in C, compiled for a test.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::jdks;
use super::trials::{Missing, Tested};

/// Compiles C for a JVM to load.
pub fn compile(source: &Path, built: &Path) -> Tested {
    let cc = which::which("cc").map_err(|_| Missing("no C compiler `cc`".to_owned()))?;
    let mut includes = jdks()?.into_iter().map(|jdk| jdk.home.join("include"));
    let headers = includes.find(|folder| folder.join("jvmti.h").is_file());
    let headers = headers.ok_or_else(|| Missing("no JDK with include/jvmti.h".to_owned()))?;
    let includes = [headers.clone(), headers.join("linux")].map(|path| format!("-I{}", path.display()));
    let flags = ["-shared", "-fPIC", "-O1", "-g", "-pthread", "-o"];
    let output = Command::new(cc).args(flags).arg(built).arg(source).args(includes).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// The probe's fixture of that name, compiled.
pub fn fixture(name: &str, folder: &Path) -> Result<PathBuf, Missing> {
    let built = folder.join(format!("lib{name}.so"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../probe-agent/fixtures/{name}.c"));
    compile(&source, &built).map(|()| built)
}
