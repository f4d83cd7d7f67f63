//! CONTRIBUTING.md draws the dependencies between the crates: this holds the drawing against cargo's own.

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

/// What the crates of this workspace need of each other to be built for a user.
fn real() -> Dependencies {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--no-deps", "--format-version", "1"])
        .current_dir(top())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
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
