//! The Java side compiles whatever the locale.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../build/compile.rs"]
mod compile;

/// Says to this program, started by itself, where to put the classes.
const CLASSES: &str = "JAVA_TESTS_CLASSES";

#[test]
fn a_class_whose_name_is_not_ascii_compiles_in_any_locale() {
    if let Some(classes) = env::var_os(CLASSES) {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/jvmticheck/scenarios/Shapes.java");
        return compile::compile(&[source], &PathBuf::from(classes)).unwrap();
    }
    for locale in [None, Some(("LANG", "C")), Some(("LC_ALL", "POSIX")), Some(("LANG", "en_US.UTF-8"))] {
        let classes = tempfile::tempdir().unwrap();
        let kept = ["PATH", "JAVA_HOME"].into_iter().filter_map(|name| Some((name, env::var_os(name)?)));
        let mut itself = Command::new(env::current_exe().unwrap());
        let output =
            itself.env_clear().envs(kept).envs(locale).env(CLASSES, classes.path()).output().unwrap();
        assert!(output.status.success(), "{locale:?}: {}", String::from_utf8_lossy(&output.stdout));
        assert!(classes.path().join("jvmticheck/scenarios/Shapes$Été\u{444}.class").is_file(), "{locale:?}");
    }
}
