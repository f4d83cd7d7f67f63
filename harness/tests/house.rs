//! The rules of CONTRIBUTING.md that can be checked: dependencies between crates, sizes of files, licences.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

type Dependencies = BTreeMap<String, BTreeSet<String>>;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Rows of the table: crate, folder, what it depends on.
fn drawn() -> Dependencies {
    let text = std::fs::read_to_string(top().join("CONTRIBUTING.md")).unwrap();
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let rows = text.lines().filter(|line| line.starts_with("| `jvmti-"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        (names(cells[1]).remove(0), names(cells[3]).into_iter().collect())
    })
    .collect()
}

fn metadata(more: &[&str]) -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version", "1"])
        .args(more)
        .current_dir(top())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What the crates of this workspace need of each other to be built for a user.
fn real() -> Dependencies {
    let metadata = metadata(&["--no-deps"]);
    let packages = metadata["packages"].as_array().unwrap();
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap().to_owned();
    let depends = |package: &serde_json::Value| {
        let all = package["dependencies"].as_array().unwrap().iter();
        all.filter(|d| d["kind"].is_null()).map(name).filter(|d| d.starts_with("jvmti-")).collect()
    };
    packages.iter().map(|package| (name(package), depends(package))).collect()
}

#[test]
fn the_drawn_dependencies_are_the_real_ones() {
    assert_eq!(drawn(), real(), "CONTRIBUTING.md (left) and cargo metadata (right) differ");
}

#[test]
fn misuse_rules_and_the_judge_do_not_rebuild_each_other() {
    let real = real();
    let needs = |from: &str, to: &str| {
        let mut open = vec![from.to_owned()];
        while let Some(next) = open.pop() {
            if next == to {
                return true;
            }
            open.extend(real[&next].iter().cloned());
        }
        false
    };
    assert!(!needs("jvmti-agents", "jvmti-judge") && !needs("jvmti-judge", "jvmti-agents"));
}

/// The Rust files below a folder, apart from what cargo builds there.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let is_source = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        !name.starts_with('.') && name != "target"
    };
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.filter(is_source).partition(|path| path.is_dir());
    let here = files.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    here.chain(folders.iter().flat_map(|folder| rust_files(folder))).collect()
}

/// Clippy's `too_many_lines` checks the lengths of functions.
#[test]
fn no_source_file_is_longer_than_450_lines() {
    let files = rust_files(&top());
    assert!(files.len() > 300, "only {} files found", files.len());
    let lines = |path: &PathBuf| std::fs::read_to_string(path).unwrap().lines().count();
    let long: Vec<String> = files
        .iter()
        .map(|path| (path, lines(path)))
        .filter(|(_, lines)| *lines > 450)
        .map(|(path, lines)| format!("{}: {lines}", path.display()))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

/// Licences that `deny.toml` allows.
fn allowed() -> BTreeSet<String> {
    let text = std::fs::read_to_string(top().join("deny.toml")).unwrap();
    let list = text.split("allow = [").nth(1).unwrap().split(']').next().unwrap();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// `ci/lint` has cargo-deny check more, where it is installed; this much is checked everywhere.
#[test]
fn all_dependencies_come_from_the_registry_under_allowed_licences() {
    // Those of this platform: others may not have been downloaded.
    let metadata = metadata(&["--all-features", "--filter-platform", "host-tuple"]);
    let allowed = allowed();
    let is_allowed = |licence: &str| {
        let licence = licence.replace(['(', ')'], " ").replace('/', " OR ");
        // Of an alternative one side is enough, if it asks for nothing more.
        let mut sides = licence.split(" OR ");
        sides.any(|side| side.split(" AND ").all(|one| allowed.contains(one.trim())))
    };
    for package in metadata["packages"].as_array().unwrap() {
        let (name, licence) = (&package["name"], package["license"].as_str().unwrap_or("none"));
        assert!(is_allowed(licence), "{name} is under {licence}");
        let source = package["source"].as_str();
        assert!(
            source.is_none_or(|source| source.contains("github.com/rust-lang/crates.io-index")),
            "{name}"
        );
    }
}

#[test]
fn the_figures_of_the_readme_are_where_a_command_finds_them() {
    let readme = std::fs::read_to_string(top().join("README.md")).unwrap();
    let parts: Vec<&str> = readme.split("<!-- summary -->\n```text\n     Summary ").collect();
    assert_eq!(parts.len(), 2, "one block for ci/readme to renew");
    assert_eq!(parts[1].matches("\n```\n<!-- end of summary -->\n").count(), 1);
}
