//! The command line as its users meet it: what it says of itself, of cases, and of what cannot be.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking, in its helpers too")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::time::{Duration, Instant};

use support::place::{CASE, Place, assert_says, said, text};
use support::{fake_home, real_jdk};

#[test]
fn help_teaches() {
    let place = Place::new();
    insta::assert_snapshot!("help", said(&place.run(&["--help"])));
    insta::assert_snapshot!("help-run", said(&place.run(&["run", "--help"])));
}

#[test]
fn wrong_usage_is_code_2() {
    let place = Place::new();
    assert_says(&place.run(&["rum"]), 2, &["unrecognized subcommand", "run"]);
    assert_says(&place.run(&["run", "--jobs", "0"]), 2, &["--jobs"]);
    assert_says(&place.run(&["run", "--format", "json,html"]), 2, &["--out"]);
    assert_says(&place.run(&["list", "no-such-case"]), 2, &["no case matches `no-such-case`"]);
    assert_says(&place.run(&["list", "GetThreadStaet"]), 2, &["did you mean `GetThreadState`?"]);
    assert_says(&place.run(&["show", "thread/get-thread-state/suspended"]), 2, &["matches several cases"]);
    assert_says(&place.run(&["spec", "show", "GetThreadStat"]), 2, &["did you mean `GetThreadState`?"]);
    assert_says(&place.run(&["spec", "list", "things"]), 2, &["things"]);
    assert_says(&place.run(&["spec", "diff", "3", "25"]), 2, &["release 3"]);
    assert_says(&place.run(&["spec", "import", "/dev/null"]), 2, &["/dev/null"]);
}

#[test]
fn cases_are_listed_and_shown() {
    let place = Place::new();
    assert_says(&place.run(&["list", "GetThreadState"]), 0, &[CASE]);
    insta::assert_snapshot!("show", said(&place.run(&["show", CASE])));
    let json = place.run(&["show", CASE, "--json"]);
    let case: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(case["id"], CASE);
    assert_says(&place.run(&["lint"]), 0, &["no mistakes found"]);
}

#[test]
fn faults_of_case_files_are_told_with_their_place() {
    let place = Place::new();
    let folder = place.path().join("cases");
    std::fs::create_dir(&folder).unwrap();
    let told = place.run(&["lint", &text(&folder)]);
    assert_says(&told, 2, &["no case files"]);
    let file = folder.join("a.yaml");
    std::fs::write(&file, "chapter: thread\ncases:\n  - id: x\n    about: y\n    stepz: []\n").unwrap();
    for args in [vec!["lint"], vec!["list", "--cases"], vec!["run", "--cases"]] {
        let folder = text(&folder);
        assert_says(&place.run(&[args, vec![&folder]].concat()), 2, &["a.yaml:5:5", "stepz"]);
    }
    std::fs::write(&file, b"\xff\xfe").unwrap();
    assert_says(&place.run(&["lint", &text(&file)]), 2, &["not UTF-8"]);
}

#[test]
fn what_is_no_jvm_is_told() {
    let place = Place::new();
    assert_says(&place.run(&["jdks", "--jdk", "/no/such/jdk"]), 2, &["/no/such/jdk: no such file"]);
    assert_says(&place.run(&["run", "--jdk", &text(place.path())]), 2, &["is not a JDK"]);
    let home = fake_home(place.path(), "exit 1");
    support::foreign_library(&home.join("lib/server/libjvm.so"));
    assert_says(&place.run(&["run", "--jdk", &text(&home)]), 2, &["64-bit riscv64"]);
}

#[test]
fn a_jvm_that_does_not_run_is_told_with_what_it_says() {
    let place = Place::new();
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
}

#[test]
fn a_missing_probe_is_told() {
    let place = Place::new();
    assert_says(
        &place.run(&["jdks", "--probe", "/no/probe.so"]),
        2,
        &["/no/probe.so (--probe)", "is missing"],
    );
    let output = place.command(&["jdks"]).env("JVMTI_CHECK_PROBE", "/no/probe.so").output().unwrap();
    assert_says(&output, 3, &["/no/probe.so (JVMTI_CHECK_PROBE)"]);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_told_before_any_work() {
    let place = Place::new();
    let file = place.path().join("file");
    std::fs::write(&file, "").unwrap();
    let begun = Instant::now();
    assert_says(&place.run(&["run", "--out", &text(file.join("out"))]), 2, &["cannot write to"]);
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[test]
fn identities_are_remembered() {
    let place = Place::new();
    let jdk = real_jdk();
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
}

#[test]
fn options_from_outside_change_nothing() {
    let place = Place::new();
    let args = ["jdks", "--jdk", &text(real_jdk().home)];
    let output = place.command(&args).env("JAVA_TOOL_OPTIONS", "-XX:NoSuchOption").output().unwrap();
    assert_says(&output, 0, &[]);
}
