//! The release archive and `cargo install`: what they leave runs alone, with nothing of this machine but a JDK.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jvmti_runner::launch::probe;
use support::pages::top;
use support::real_jdk;
use support::sandbox::{assert_says, said, text};
use support::trials::{Missing, Tested, tests};

/// A program on the path.
fn needed(program: &str) -> Tested {
    which::which(program).map(drop).map_err(|_| Missing(format!("no `{program}`")))
}

/// The only file below the folder with that ending.
fn only(folder: &Path, ending: &str) -> PathBuf {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.filter(|path| text(path).ends_with(ending)).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// Packages the program of this test into the folder, and returns the archive.
fn package(out: &Path) -> PathBuf {
    let mut command = Command::new(top().join("ci/package"));
    command.args(["--program", env!("CARGO_BIN_EXE_jvmti-check")]);
    if cfg!(debug_assertions) {
        command.arg("--probe").arg(probe::find(None).unwrap());
    }
    let output = command.arg(out).output().unwrap();
    assert_says(&output, 0, &["jvmti-check-", ".tar.gz"]);
    only(out, ".tar.gz")
}

/// Runs a program in an environment that has nothing but an empty home.
fn alone(program: &Path, home: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).env_clear().env("HOME", home).env("PATH", home).current_dir(home);
    command.output().unwrap()
}

/// Checks that the program works there.
fn assert_works_alone(program: &Path) -> Tested {
    let home = tempfile::tempdir().unwrap();
    let jdk = text(real_jdk()?.home);
    let version = format!("jvmti-check {}", env!("CARGO_PKG_VERSION"));
    assert_says(&alone(program, home.path(), &["--version"]), 0, &[&version]);
    assert_says(&alone(program, home.path(), &["jdks", "--jdk", &jdk]), 0, &["RELEASE", &jdk]);
    let run = alone(program, home.path(), &["run", "GetPhase", "--jdk", &jdk]);
    assert_says(&run, 0, &["on 1 JVM", "nothing unexpected"]);
    let left = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), [".cache"], "all that a run leaves");
    Ok(())
}

fn the_release_archive_runs_alone() -> Tested {
    ["git", "tar", "strip", "sha256sum", "rustc"].into_iter().try_for_each(needed)?;
    // The date of the files in the archive.
    let commit = Command::new("git").args(["log", "-1"]).current_dir(top()).output().unwrap();
    commit.status.success().then_some(()).ok_or_else(|| Missing("no commit in git".to_owned()))?;
    let place = tempfile::tempdir().unwrap();
    let archive = package(&place.path().join("first"));
    let again = package(&place.path().join("again"));
    assert!(
        std::fs::read(&archive).unwrap() == std::fs::read(again).unwrap(),
        "another archive the second time"
    );

    let mut verify = Command::new("sha256sum");
    let sums = only(archive.parent().unwrap(), ".sha256");
    let verified = verify.arg("--check").arg(sums).current_dir(archive.parent().unwrap()).output().unwrap();
    assert_says(&verified, 0, &["OK"]);

    let empty = place.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let unpacked = Command::new("tar").arg("-xzf").arg(&archive).current_dir(&empty).output().unwrap();
    assert!(unpacked.status.success(), "{}", said(&unpacked));
    let folder = only(&empty, "");
    assert!(text(&archive).ends_with(&format!("/{}.tar.gz", folder.file_name().unwrap().to_str().unwrap())));
    let parts = [
        "completions/jvmti-check.bash",
        "completions/jvmti-check.zsh",
        "completions/jvmti-check.fish",
        // The page that docs/installing.md opens.
        "man/jvmti-check-run.1",
        "docs/start.md",
        "README.md",
        "CHANGELOG.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
    ];
    let missing =
        parts.into_iter().filter(|part| !folder.join(part).metadata().is_ok_and(|file| file.len() > 0));
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0]);
    assert_works_alone(&folder.join("jvmti-check"))
}

/// Takes minutes, because the program is built as users build it. `JVMTI_CHECK_INSTALL` names the folder to build in.
fn cargo_installs_a_program_that_runs_alone() -> Tested {
    const FOLDER: &str = "JVMTI_CHECK_INSTALL";
    let built = std::env::var_os(FOLDER).filter(|folder| !folder.is_empty());
    let built =
        built.ok_or_else(|| Missing(format!("{FOLDER} names no folder to build in, see ci/test --help")))?;
    let place = tempfile::tempdir().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["install", "--path", "harness", "--locked", "--offline", "--root"]).arg(place.path());
    let output = cargo.env("CARGO_TARGET_DIR", built).current_dir(top()).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert_works_alone(&place.path().join("bin/jvmti-check"))
}

tests! { the_release_archive_runs_alone, cargo_installs_a_program_that_runs_alone }
