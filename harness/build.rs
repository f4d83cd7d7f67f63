//! Builds the case files into the program, so that it needs no folder beside it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// The functions by which a JVM knows the statically linked agent `probe`.
const AGENT_FUNCTIONS: [&str; 4] =
    ["Agent_OnLoad_probe", "Agent_OnAttach_probe", "Agent_OnUnload_probe", "Agent_OnLoad_quiet"];

fn main() -> io::Result<()> {
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // Also the plain name, which a JVM has to pass over.
        for function in AGENT_FUNCTIONS.into_iter().chain(["Agent_OnLoad"]) {
            println!("cargo::rustc-link-arg-bins=-Wl,--export-dynamic-symbol={function}");
        }
    }
    commit();
    let manifest = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let folder = Path::new(&manifest).join("../cases").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    files.sort();
    let mut code = String::from("[\n");
    for path in files {
        let name = path.strip_prefix(&folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let _ = writeln!(code, "    ({name:?}, include_str!({path:?})),");
    }
    code.push_str("]\n");
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("case_files.rs"), code)
}

/// Tells results which commit judged. Only in releases: others would be built anew after every commit.
fn commit() {
    const COMMIT: &str = "JVMTI_CHECK_COMMIT";
    println!("cargo::rerun-if-env-changed={COMMIT}");
    if env::var_os(COMMIT).is_some() || env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
    };
    if let Some(log) = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    if let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) {
        println!("cargo::rustc-env={COMMIT}={commit}");
    }
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, into)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            into.push(path);
        }
    }
    Ok(())
}
