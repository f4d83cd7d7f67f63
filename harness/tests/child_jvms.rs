//! JVMs that a recorded program starts: they have traces of their own, or it is said that they have none.

#![allow(clippy::unwrap_used)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::fixture::fixture;
use support::trials::{Missing, Tested, tests};
use support::{compile_java, real_jdk, tools};

/// Compiles the program for any JVM.
fn program(folder: &Path) -> Result<(), Missing> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../probe-agent/fixtures/ChildJvms.java");
    compile_java(&tools(&["javac"])?, &source, Path::new(""), folder);
    Ok(())
}

/// Records the program, which starts a JVM with these options; gives what is said and the traces.
fn recorded(folder: &Path, agent: &Path, options: &str) -> Result<(String, Vec<PathBuf>), Missing> {
    let out = folder.join("traces");
    let mut command = Command::new(env!("CARGO_BIN_EXE_jvmti-check"));
    command.args(["agent", "record", "--agent"]).arg(agent).arg("--out").arg(&out);
    command.arg("--jdk").arg(&real_jdk()?.home).args(["--", "-cp"]).arg(folder).args(["ChildJvms", options]);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(stdout.contains("the child JVM ended with exit code 0"), "{stdout}{said}");
    let mut traces: Vec<PathBuf> =
        std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path()).collect();
    traces.sort();
    Ok((said, traces))
}

fn a_child_jvm_with_the_options_of_the_program_has_a_trace_of_its_own() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path())?;
    let agent = fixture("foo", folder.path())?;
    let (said, traces) = recorded(folder.path(), &agent, "copy")?;
    let [child, _] = traces.as_slice() else { panic!("{traces:?}") };
    let child = child.display().to_string();
    assert!(child.contains(".child-") && said.contains(&format!("recorded, {child}")), "{child} {said}");
    // What both agents do is told twice.
    assert_eq!(said.matches("environment 2  libfoo.so").count(), 2, "{said}");
    let shown =
        Command::new(env!("CARGO_BIN_EXE_jvmti-check")).args(["agent", "show", &child]).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("libfoo.so") && !shown.contains("the recorder ended before"), "{shown}");
    Ok(())
}

fn a_child_jvm_with_other_options_is_named() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path())?;
    let agent = fixture("foo", folder.path())?;
    let option = format!("-agentpath:{}", agent.display());
    let (said, traces) = recorded(folder.path(), &agent, &option)?;
    assert_eq!(traces.len(), 1, "{traces:?}");
    let told = |line: &str| {
        line.contains("child JVM ") && line.contains("not recorded, because") && line.contains(&option)
    };
    assert_eq!(said.lines().filter(|line| told(line)).count(), 1, "{said}");
    Ok(())
}

tests! {
    a_child_jvm_with_the_options_of_the_program_has_a_trace_of_its_own,
    a_child_jvm_with_other_options_is_named
}
