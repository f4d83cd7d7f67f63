//! The command line as its users meet it: what it says of itself, of cases, and of what cannot be.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod support;

use std::fs::{File, OpenOptions};
use std::process::{Command, Stdio};

use jvmti_results::{JvmRun, Results, Status, Verdict};

use support::sandbox::{Sandbox, assert_says, text};
use support::trials::{Tested, tests};
use support::{fake_home, real_jdk};

fn what_is_no_jvm_is_told() -> Tested {
    let place = Sandbox::new();
    assert_says(&place.run(&["jdks", "--jdk", "/no/such/jdk"]), 2, &["/no/such/jdk: no such file"]);
    assert_says(&place.run(&["run", "--jdk", &text(place.path())]), 2, &["is not a JDK"]);
    let home = fake_home(place.path(), "exit 1");
    support::foreign_library(&home.join("lib/server/libjvm.so"));
    assert_says(&place.run(&["run", "--jdk", &text(&home)]), 2, &["64-bit riscv64"]);
    Ok(())
}

fn a_jvm_that_does_not_run_is_told_with_what_it_says() -> Tested {
    let place = Sandbox::new();
    let home = fake_home(place.path(), "echo no luck today >&2; exit 3");
    assert_says(
        &place.run(&["jdks", "--jdk", &text(home)]),
        2,
        &["does not run: exit code 3", "no luck today"],
    );
    let home = fake_home(place.path(), "kill -SEGV $$");
    assert_says(&place.run(&["jdks", "--jdk", &text(home)]), 2, &["does not run: ended by signal 11"]);
    let home = fake_home(place.path(), "head -c 100000 /dev/urandom; exit 0");
    assert_says(&place.run(&["jdks", "--jdk", &text(home)]), 2, &["does not tell its java.version"]);
    let home = fake_home(
        place.path(),
        r#"case "$*" in *-agentpath:*) echo no agents here >&2; exit 1;; *) exec "$REAL" "$@";; esac"#,
    );
    assert_says(
        &place.run(&["jdks", "--jdk", &text(home)]),
        2,
        &["refuses the probe agent", "no agents here"],
    );
    Ok(())
}

fn a_missing_probe_is_told() -> Tested {
    let place = Sandbox::new();
    assert_says(
        &place.run(&["jdks", "--probe", "/no/probe.so"]),
        2,
        &["/no/probe.so (--probe)", "is missing"],
    );
    let output = place.command(&["jdks"]).env("JVMTI_CHECK_PROBE", "/no/probe.so").output().unwrap();
    assert_says(&output, 3, &["/no/probe.so (JVMTI_CHECK_PROBE)"]);
    Ok(())
}

fn a_folder_that_cannot_be_written_to_is_told_before_any_work() -> Tested {
    let place = Sandbox::new();
    let file = place.path().join("file");
    std::fs::write(&file, "").unwrap();
    let started = place.path().join("started");
    let home = text(fake_home(place.path(), &format!("touch '{}'; exit 1", started.display())));
    let run = ["run", "--jdk", &home, "--out", &text(file.join("out"))];
    assert_says(&place.run(&run), 2, &["cannot write to"]);
    assert!(!started.exists(), "a JVM was started");
    Ok(())
}

fn identities_are_remembered() -> Tested {
    let place = Sandbox::new();
    let jdk = real_jdk()?;
    let args = ["jdks", "--json", "--jdk", &text(&jdk.home)];
    let (first, second) = (place.run(&args), place.run(&args));
    assert_says(&first, 0, &["can_tag_objects"]);
    assert_eq!(first.stdout, second.stdout, "the second answer is the remembered one, bare start and all");
    let all: serde_json::Value = serde_json::from_slice(&first.stdout).unwrap();
    assert_eq!(all[0]["jvm"]["home"], text(&jdk.home));

    // A damaged memory is none.
    let remembered = std::fs::read_dir(place.path().join("cache/jvms")).unwrap().next().unwrap().unwrap();
    std::fs::write(remembered.path(), "{").unwrap();
    assert_says(&place.run(&args), 0, &["can_tag_objects"]);
    Ok(())
}

fn options_from_outside_change_nothing() -> Tested {
    let place = Sandbox::new();
    let args = ["jdks", "--jdk", &text(real_jdk()?.home)];
    let output = place.command(&args).env("JAVA_TOOL_OPTIONS", "-XX:NoSuchOption").output().unwrap();
    assert_says(&output, 0, &[]);
    Ok(())
}

/// Results of which one verdict is a failure.
fn failed(place: &Sandbox) -> String {
    let verdict = Verdict { case: "a".to_owned(), status: Status::Fail, ..Verdict::default() };
    let run = JvmRun { verdicts: vec![verdict], ..JvmRun::default() };
    let file = place.path().join("results.json");
    jvmti_reports::json::write(&Results { runs: vec![run], ..Results::default() }, &file).unwrap();
    text(file)
}

/// A device that takes nothing.
fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").unwrap()
}

fn reports_are_written_whoever_reads_the_output() -> Tested {
    let place = Sandbox::new();
    let (results, out) = (failed(&place), place.path().join("out"));
    let (reader, gone) = std::io::pipe().unwrap();
    drop(reader);
    for (stdout, code) in [(Stdio::from(gone), 1), (Stdio::from(full()), 3)] {
        let mut command = place.command(&["merge", &results, "--out", &text(&out)]);
        let output = command.stdout(stdout).output().unwrap();
        assert_says(&output, code, &["written"]);
        for file in ["results.json", "junit.xml", "report.html", "report.md"] {
            std::fs::remove_file(out.join(file)).unwrap();
        }
    }
    Ok(())
}

fn errors_that_nobody_hears_are_no_panics() -> Tested {
    let place = Sandbox::new();
    let file = place.path().join("a.yaml");
    std::fs::write(&file, "cases: 1\n").unwrap();
    for args in [&["list", "no-such-case"][..], &["lint", &text(&file)]] {
        let status = place.command(args).stderr(full()).stdout(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(2), "{args:?}");
    }
    Ok(())
}

fn a_limit_on_the_size_of_files_is_an_error_and_not_the_end() -> Tested {
    let place = Sandbox::new();
    let (results, out) = (failed(&place), place.path().join("out"));
    let mut limited = Command::new("sh");
    // Less would end an emulator of another processor before the program starts.
    limited.args(["-c", "ulimit -f 16; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_jvmti-check")]);
    let output = limited.args(["merge", &results, "--out", &text(&out)]).output().unwrap();
    assert_says(&output, 3, &["File too large", "out"]);
    Ok(())
}

tests! {
    what_is_no_jvm_is_told, a_jvm_that_does_not_run_is_told_with_what_it_says, a_missing_probe_is_told,
    a_folder_that_cannot_be_written_to_is_told_before_any_work, identities_are_remembered,
    options_from_outside_change_nothing, reports_are_written_whoever_reads_the_output,
    errors_that_nobody_hears_are_no_panics, a_limit_on_the_size_of_files_is_an_error_and_not_the_end,
}
