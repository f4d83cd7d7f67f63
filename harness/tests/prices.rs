//! What capabilities cost, on the JVMs of this machine: that it is measured as it should be, not what comes out.

#![allow(clippy::unwrap_used)]

mod support;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use jvmti_runner::jvm::Jdk;
use serde_json::Value;
use support::fixture::fixture;
use support::trials::{Tested, tests};
use support::{jdks, real_jdk};

fn agent(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jvmti-check"));
    command.arg("agent").args(args);
    command
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

fn each_capability_that_a_jvm_offers_is_priced() -> Tested {
    for jdk in jdks()? {
        let home = jdk.home.to_string_lossy().into_owned();
        let names = ["can_generate_single_step_events", "can_support_virtual_threads"];
        let mut command = agent(&["price", "--jdk", &home, "--rounds", "2", "--json"]);
        command.args(["--capability", names[0], "--capability", names[1], "--", "-version"]);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let lines: Vec<Value> = said(&output).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(lines.iter().map(|line| line["capability"].as_str().unwrap()).collect::<Vec<_>>(), names);
        assert_eq!(lines[0]["status"], "priced");
        for measure in ["cpu", "wall"] {
            for kind in ["without", "with"] {
                let runs = lines[0][measure][kind]["runs"].as_array().unwrap();
                // No JVM starts in less than a tenth of a millisecond.
                assert!(runs.len() == 2 && runs.iter().all(|run| run.as_f64().unwrap() > 1e5), "{runs:?}");
            }
            assert_eq!(lines[0][measure]["difference"], "too few rounds");
        }
        // From 21 on, which JVMs without such threads need not keep to.
        let release = release(&jdk);
        let status = lines[1]["status"].as_str().unwrap();
        assert!(
            if release < 21 { status == "not offered" } else { status != "failed" },
            "{release}: {status}"
        );
    }
    Ok(())
}

fn release(jdk: &Jdk) -> u32 {
    let output = Command::new(&jdk.java).arg("-version").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let version = said.split('"').nth(1).unwrap();
    let version = version.strip_prefix("1.").unwrap_or(version);
    version.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

fn what_a_recording_shows_to_be_unused_is_priced() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let library = fixture("misuse", folder.path())?;
    let jdk = real_jdk()?;
    let recorded = |option: &str| {
        let out = folder.path().join(option);
        let mut command = agent(&["record", "--agent"]);
        command.arg(format!("{}={option}", library.display())).arg("--jdk").arg(&jdk.home);
        let output = command.arg("--out").arg(&out).args(["--", "-version"]).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let trace = std::fs::read_dir(&out).unwrap().next().unwrap().unwrap().path();
        (trace.to_string_lossy().into_owned(), said(&output))
    };
    let (unused, summary) = recorded("broken_unused");
    let unquoted = |line: &str| line.replace('\'', "");
    let told = format!("jvmti-check agent price {unused} --capability can_get_current_thread_cpu_time");
    let checked = said(&agent(&["check", &unused]).output().unwrap());
    assert!(unquoted(&checked).contains(&told), "{checked}");
    assert!(unquoted(&summary).contains(&told), "{summary}");
    let output = agent(&["price", &unused, "--rounds", "1"]).output().unwrap();
    let text = said(&output);
    assert!(output.status.success() && text.contains(", 1 round\n"), "{text}");
    assert!(text.contains("can_get_current_thread_cpu_time") && text.contains("too few rounds"), "{text}");
    let (used, _) = recorded("right_unused");
    let output = agent(&["price", &used]).output().unwrap();
    assert!(output.status.success() && said(&output).contains("name one with --capability"));
    Ok(())
}

fn what_cannot_be_priced_is_told() -> Tested {
    let jdk = real_jdk()?;
    let price = |more: &[&str]| {
        let mut command = agent(&["price", "--rounds", "1", "--jdk"]);
        let output = command.arg(&jdk.home).args(more).output().unwrap();
        (output.status.code(), said(&output))
    };
    let (code, text) = price(&["--capability", "can_suspendd", "--", "-version"]);
    assert!(code == Some(2) && text.contains("did you mean can_suspend?"), "{text}");
    let (code, text) = price(&["--capability", "can_suspend", "--", "NoSuchClass"]);
    assert!(code == Some(2) && text.contains("exit code 1") && text.contains("NoSuchClass"), "{text}");
    let (code, text) = price(&["--capability", "can_suspend", "--exit", "1", "--", "NoSuchClass"]);
    assert!(code == Some(0) && text.contains("can_suspend"), "{text}");
    let (code, text) = price(&["--capability", "can_suspend"]);
    assert!(code == Some(2) && text.contains("PROGRAM"), "{text}");
    Ok(())
}

/// A home whose launcher counts its runs, does something else from the run of that number on, from 0, and is the JDK's
/// before that.
fn counting(jdk: &Jdk, folder: &Path, from: u32, then: &str) -> PathBuf {
    let bin = folder.join("bin");
    let server = folder.join("lib/server");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::create_dir_all(&server).unwrap();
    symlink(&jdk.vm, server.join("libjvm.so")).unwrap();
    let (count, java) = (folder.join("count"), &jdk.java);
    std::fs::write(&count, "0").unwrap();
    let script = format!(
        "#!/bin/sh\nn=$(cat '{0}')\necho $((n + 1)) > '{0}'\nif [ $n -ge {from} ]; then {then}; fi\nexec '{1}' \"$@\"\n",
        count.display(),
        java.display()
    );
    std::fs::write(bin.join("java"), script).unwrap();
    std::fs::set_permissions(bin.join("java"), std::fs::Permissions::from_mode(0o755)).unwrap();
    folder.to_owned()
}

fn a_run_that_ends_otherwise_is_told() -> Tested {
    let jdk = real_jdk()?;
    let folder = tempfile::tempdir().unwrap();
    // After one for a start and one without.
    let home = counting(&jdk, folder.path(), 2, "echo no more >&2; exit 3");
    let mut command = agent(&["price", "--rounds", "1", "--capability", "can_suspend", "--jdk"]);
    let output = command.arg(home).args(["--", "-version"]).output().unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("round 1: exit code 3, where the others have exit code 0"), "{text}");
    assert!(text.contains("no more"), "{text}");
    Ok(())
}

fn who_interrupts_gets_what_there_is() -> Tested {
    let jdk = real_jdk()?;
    let folder = tempfile::tempdir().unwrap();
    let home = counting(&jdk, folder.path(), 3, "exec sleep 600");
    let mut command = agent(&["price", "--rounds", "2", "--capability", "can_suspend", "--jdk"]);
    command.arg(home).args(["--", "-version"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    while std::fs::read_to_string(folder.path().join("count")).unwrap().trim() != "4" {
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("interrupted after 1 of 2 rounds") && text.contains("too few rounds"), "{text}");
    Ok(())
}

tests! { each_capability_that_a_jvm_offers_is_priced, what_a_recording_shows_to_be_unused_is_priced, what_cannot_be_priced_is_told, a_run_that_ends_otherwise_is_told, who_interrupts_gets_what_there_is }
