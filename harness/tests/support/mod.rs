//! Java homes that are not what they seem.

pub mod place;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use jvmti_runner::jvm::places::Surroundings;
use jvmti_runner::jvm::{Jdk, discover};

/// A real JVM of this machine.
pub fn real_jdk() -> Jdk {
    let found = discover(&Surroundings::current());
    found.jdks.into_iter().next_back().expect("these tests need a JDK")
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
    let real = real_jdk().java;
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
