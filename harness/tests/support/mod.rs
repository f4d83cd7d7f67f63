//! What the test targets share: JVMs, real and fake, agents in C, the program in a folder of its own, the pages for people, and
//! tests that can be ignored.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    clippy::unwrap_used,
    reason = "no target uses all of it; a test may panic"
)]

pub mod fixture;
pub mod pages;
pub mod sandbox;
pub mod trials;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use jvmti_runner::jvm::places::Surroundings;
use jvmti_runner::jvm::{Jdk, discover};

use trials::Missing;

/// The JVMs of this machine; at least one.
pub fn jdks() -> Result<Vec<Jdk>, Missing> {
    let jdks = discover(&Surroundings::current()).jdks;
    if jdks.is_empty() { Err(Missing("no JDK".to_owned())) } else { Ok(jdks) }
}

/// One of them.
pub fn real_jdk() -> Result<Jdk, Missing> {
    jdks().map(|mut jdks| jdks.remove(jdks.len() - 1))
}

/// The folder with the tools of the first JDK of this machine that has all of these.
pub fn tools(names: &[&str]) -> Result<PathBuf, Missing> {
    let mut folders = jdks()?.into_iter().map(|jdk| jdk.home.join("bin"));
    let found = folders.find(|folder| names.iter().all(|name| folder.join(name).is_file()));
    found.ok_or_else(|| Missing(format!("no JDK with {}", names.join(" and "))))
}

/// Compiles the source for any JVM into the folder, which is made if it is missing. The class path may be empty.
pub fn compile_java(tools: &Path, source: &Path, class_path: &Path, classes: &Path) {
    std::fs::create_dir_all(classes).unwrap();
    let mut javac = Command::new(tools.join("javac"));
    javac.args(["-g", "--release", "8", "-nowarn", "-cp"]).arg(class_path).arg("-d").arg(classes);
    let output = javac.arg(source).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A home below this folder, with a JVM library of this machine's kind, whose launcher is that script. What stands
/// for `$REAL` in it is the launcher of a real JVM.
pub fn fake_home(folder: &Path, script: &str) -> PathBuf {
    let home = folder.join("fake-jdk");
    let library = home.join("lib/server");
    std::fs::create_dir_all(&library).unwrap();
    std::fs::create_dir_all(home.join("bin")).unwrap();
    std::fs::copy(std::env::current_exe().unwrap(), library.join("libjvm.so")).unwrap();
    let java = home.join("bin/java");
    let real = real_jdk().map(|jdk| jdk.java).unwrap_or_default();
    let script = format!("#!/bin/sh\nREAL='{}'\n{script}\n", real.display());
    std::fs::write(&java, script).unwrap();
    std::fs::set_permissions(&java, PermissionsExt::from_mode(0o755)).unwrap();
    home
}

/// A copy of this program that claims to be for another machine.
pub fn foreign_library(path: &Path) {
    let mut bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    // e_machine: EM_RISCV
    bytes[18..20].copy_from_slice(&0xf3u16.to_le_bytes());
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}
