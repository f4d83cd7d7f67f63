//! The probe's fixtures: agents in C.

use std::path::{Path, PathBuf};
use std::process::Command;

use jvmti_runner::jvm::places::Surroundings;
use jvmti_runner::jvm::{Jdk, discover};

/// The JVMs of this machine.
pub fn jdks() -> Vec<Jdk> {
    discover(&Surroundings::current()).jdks
}

/// Compiles C for a JVM to load; `None`, with the reason printed, if that cannot be done here.
pub fn compile(source: &Path, built: &Path) -> Option<()> {
    let headers =
        jdks().into_iter().map(|jdk| jdk.home.join("include")).find(|i| i.join("jvmti.h").is_file());
    let (Ok(cc), Some(headers)) = (which::which("cc"), headers) else {
        eprintln!("skipped: no C compiler, or no jvmti.h");
        return None;
    };
    let includes = [headers.clone(), headers.join("linux")].map(|path| format!("-I{}", path.display()));
    let flags = ["-shared", "-fPIC", "-O1", "-pthread", "-o"];
    let output = Command::new(cc).args(flags).arg(built).arg(source).args(includes).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

/// The fixture of that name, compiled.
pub fn fixture(name: &str, folder: &Path) -> Option<PathBuf> {
    let built = folder.join(format!("lib{name}.so"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../probe-agent/fixtures/{name}.c"));
    compile(&source, &built).map(|()| built)
}
