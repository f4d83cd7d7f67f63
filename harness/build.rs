//! Exports the entry points of the agent that is linked into the program, puts the probe's library and what lists tell of the
//! cases inside, and passes on the commit.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use jvmti_cases::built_in;
use jvmti_cases::outline::{Outline, Outlines};
use jvmti_spec::{Release, Spec};

/// The functions by which a JVM knows the statically linked agent `probe`.
const AGENT_FUNCTIONS: [&str; 4] =
    ["Agent_OnLoad_probe", "Agent_OnAttach_probe", "Agent_OnUnload_probe", "Agent_OnLoad_quiet"];

fn main() {
    // Also the plain name, which a JVM has to pass over.
    export(&AGENT_FUNCTIONS.into_iter().chain(["Agent_OnLoad"]).collect::<Vec<_>>());
    commit();
    outlines();
    probe();
}

/// Has programs export these functions.
fn export(functions: &[&str]) {
    if is_for_windows() {
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
        let definition = out.join("exported.def");
        fs::write(&definition, format!("EXPORTS\n{}\n", functions.join("\n")))
            .expect("cargo made the folder");
        println!("cargo::rustc-link-arg-bins={}", definition.display());
    } else {
        for function in functions {
            println!("cargo::rustc-link-arg-bins=-Wl,--export-dynamic-symbol={function}");
        }
    }
}

fn is_for_windows() -> bool {
    env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "windows")
}

/// Writes what lists tell of the built-in cases, for every release. It leaves out releases for which a case file is faulty: the
/// program tells that when it reads the files itself.
fn outlines() {
    let releases = Release::OLDEST.0..=Release::NEWEST.0;
    let outlines: Vec<(Release, Outline)> = match built_in::layered(None, &[]) {
        Ok(set) => releases
            .filter_map(|release| {
                let selection = set.for_release(&Spec::embedded().at(Release(release))).ok()?;
                Some((Release(release), selection.into()))
            })
            .collect(),
        Err(_) => Vec::new(),
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let bytes = Outlines::bytes(&outlines).expect("they consist of texts and numbers");
    fs::write(out.join("outlines.postcard"), bytes).expect("cargo made the folder");
}

/// Writes an expression for the probe's library: the one that a variable names; in a release one that is built here; otherwise
/// none, and the program looks for it beside itself.
fn probe() {
    const VARIABLE: &str = "JVMTI_CHECK_PROBE_INSIDE";
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let library = match env::var_os(VARIABLE) {
        Some(path) => Some(PathBuf::from(path)),
        None if env::var("PROFILE").as_deref() == Ok("release") => Some(built(&out.join("probe"))),
        None => None,
    };
    let expression = match library {
        Some(path) => {
            println!("cargo::rerun-if-changed={}", path.display());
            format!("Some(include_bytes!({path:?}))")
        }
        None => "None".to_owned(),
    };
    fs::write(out.join("probe.rs"), expression).expect("cargo made the folder");
}

/// Builds the library: cargo offers no dependency on a `cdylib` as a file.
fn built(folder: &Path) -> PathBuf {
    let top = Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..");
    for source in ["probe-agent", "spec", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", top.join(source).display());
    }
    let target = env::var("TARGET").expect("cargo sets it");
    let mut cargo = Command::new(env::var_os("CARGO").expect("cargo sets it"));
    cargo.args(["build", "--release", "--locked", "--lib", "--target", &target]);
    cargo.arg("--manifest-path").arg(top.join("probe-agent/Cargo.toml")).arg("--target-dir").arg(folder);
    // What cargo sets for this script would be taken for settings of that build.
    let of_script =
        ["CARGO_CFG_", "CARGO_ENCODED_RUSTFLAGS", "CARGO_FEATURE_", "CARGO_MANIFEST_", "CARGO_PKG_"];
    for (name, _) in env::vars_os() {
        if of_script.iter().any(|start| name.to_string_lossy().starts_with(start)) {
            cargo.env_remove(name);
        }
    }
    let status = cargo.status().expect("cargo runs");
    assert!(status.success(), "the probe could not be built");
    let name = if is_for_windows() { "jvmti_probe.dll" } else { "libjvmti_probe.so" };
    folder.join(target).join("release").join(name)
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
