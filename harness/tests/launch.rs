//! Launching: whatever a JVM does, the launch ends, and nothing of it stays behind.
//!
//! Shell scripts stand in for JVMs that misbehave.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jvmti_runner::jvm::family::Family;
use jvmti_runner::launch::{Act, Launch, LaunchError, Loading, Recording, Status, Stop, Timeouts, run};
use jvmti_wire::Plan;
use tempfile::TempDir;

struct Fake {
    folder: TempDir,
    launch: Launch,
}

/// A launcher that is this script.
fn fake(script: &str) -> Fake {
    let folder = tempfile::tempdir().unwrap();
    let java = folder.path().join("java");
    std::fs::write(&java, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&java, PermissionsExt::from_mode(0o755)).unwrap();
    let mut launch = Launch::new(java, folder.path());
    launch.main_class = "Main".to_owned();
    launch.timeouts = Timeouts { idle: Duration::from_millis(500), total: Duration::from_secs(20) };
    Fake { folder, launch }
}

fn recording(folder: &Path) -> Recording {
    Recording {
        probe: PathBuf::from("/nowhere/probe.so"),
        trace: folder.join("trace"),
        plan: Plan::default(),
        capacity: 4096,
        loading: Loading::Added,
    }
}

/// Whether the process whose id the script left in this file still runs.
fn alive(pid_file: &Path) -> bool {
    let pid = std::fs::read_to_string(pid_file).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    // A zombie whose parent has not fetched it yet does not run any more.
    stat.is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z')))
}

/// Waits until it is gone.
fn gone(pid_file: &Path) {
    while alive(pid_file) {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn exit_code_and_output_are_told() {
    let f = fake("echo out; echo err >&2; exit 7");
    let ended = run(&f.launch, &Stop::new()).unwrap();
    assert_eq!(ended.status, Status::Exited(7));
    assert_eq!((ended.stdout.text().as_str(), ended.stderr.text().as_str()), ("out\n", "err\n"));
    assert_eq!(ended.crash_report, None);
}

#[test]
fn the_locale_does_not_depend_on_the_caller() {
    let mut f = fake("echo \"$LC_ALL\"");
    assert_eq!(run(&f.launch, &Stop::new()).unwrap().stdout.text(), "C.UTF-8\n");
    f.launch.env.push(("LC_ALL".into(), "C".into()));
    assert_eq!(run(&f.launch, &Stop::new()).unwrap().stdout.text(), "C\n");
}

#[test]
fn a_signal_and_the_crash_report_are_told() {
    let f = fake(
        r#"for a in "$@"; do case $a in -XX:ErrorFile=*) f=${a#*=};; esac; done
           echo 'SIGSEGV here' > "$(dirname "$f")/hs_err_$$.log"; kill -ABRT $$"#,
    );
    let ended = run(&f.launch, &Stop::new()).unwrap();
    assert_eq!(ended.status, Status::Signalled(6));
    assert_eq!(ended.crash_report.as_deref(), Some("SIGSEGV here\n"));
    let left: Vec<_> = std::fs::read_dir(f.folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["java"]);
}

#[test]
fn a_flood_neither_blocks_nor_fills_memory() {
    let f = fake("head -c 50000000 /dev/zero | tr '\\0' x; head -c 30000000 /dev/zero >&2; echo end");
    let ended = run(&f.launch, &Stop::new()).unwrap();
    assert_eq!(ended.status, Status::Exited(0));
    assert_eq!(ended.stdout.total, 50_000_004);
    assert_eq!(ended.stderr.total, 30_000_000);
    assert!(ended.stdout.head.len() + ended.stdout.tail.len() <= 128 * 1024);
    assert!(ended.stdout.text().ends_with("xend\n"));
}

#[test]
fn a_program_is_heard_however_much_it_has_written() {
    let mut f =
        fake("head -c 300000 /dev/zero | tr '\\0' x; echo 'jvmticheck: waiting'; read line; sleep 60");
    f.launch.acts = vec![Act::Terminate];
    assert_eq!(run(&f.launch, &Stop::new()).unwrap().status, Status::Signalled(15));
}

#[test]
fn openj9_is_asked_by_the_attach_api_of_its_own_jdk() {
    let mut f = fake(
        r#"case "$*" in
           *"jvmticheck.Attach "*) shift $(($# - 3)); echo "asked $1 $2 $3" | sed "s/ [0-9]* / PID /"; exit;;
           *) echo "$@"; echo 'jvmticheck: waiting'; read line;;
           esac"#,
    );
    f.launch.family = Family::OpenJ9;
    let (library, options) = ("/some/agent.so".to_owned(), "a=b".to_owned());
    f.launch.acts = vec![Act::Attach { library, options, early: false }];
    let ended = run(&f.launch, &Stop::new()).unwrap();
    assert_eq!(ended.attached, [Ok("asked PID /some/agent.so a=b\n".to_owned())]);
    let text = ended.stdout.text();
    assert!(text.contains("-Xdump:none") && !text.contains("-XX:ErrorFile"), "{text}");
}

#[test]
fn what_a_jvm_leaves_in_its_working_folder_stays_out_of_the_callers() {
    let f = fake(r#"pwd -P; echo "$@"; touch core.1"#);
    let ended = run(&f.launch, &Stop::new()).unwrap();
    let scratch = f.folder.path().canonicalize().unwrap();
    let text = ended.stdout.text();
    assert_eq!(text.lines().next(), scratch.to_str());
    assert!(text.contains(&format!("-Djava.io.tmpdir={}", f.folder.path().display())), "{text}");
    assert!(scratch.join("core.1").exists());
}

#[test]
fn garbage_is_output_like_any_other() {
    let f = fake("head -c 1000 /dev/urandom");
    let ended = run(&f.launch, &Stop::new()).unwrap();
    assert_eq!((ended.status, ended.stdout.total), (Status::Exited(0), 1000));
    let _ = ended.stdout.text();
}

#[test]
fn a_hang_ends_with_all_its_children_after_a_thread_dump() {
    // As a JVM does, it takes SIGQUIT even where that was ignored when it started; a shell cannot.
    let mut f = fake(
        r#"d=$(dirname "$0")
           sh -c 'trap "" TERM QUIT; echo $$ > "$0/child"; while :; do sleep 1; done' "$d" &
           echo $$ > "$d/leader"
           exec perl -e '$SIG{QUIT} = sub { syswrite STDOUT, "dump\n" }; $SIG{TERM} = "IGNORE"; sleep 1 while 1'"#,
    );
    // Long enough for perl to be there on a busy machine.
    f.launch.timeouts.idle = Duration::from_secs(4);
    f.launch.recording = Some(recording(f.folder.path()));
    let ended = run(&f.launch, &Stop::new()).unwrap();
    assert_eq!(ended.status, Status::TimedOut);
    assert_eq!(ended.stdout.text(), "dump\n");
    assert!(ended.wall >= f.launch.timeouts.idle, "{:?}", ended.wall);
    gone(&f.folder.path().join("leader"));
    gone(&f.folder.path().join("child"));
}

#[test]
fn what_records_is_waited_for() {
    // The script moves the tail of the trace on, as the probe would, for longer than the timeout.
    let mut f = fake(
        r#"for a in "$@"; do case $a in -agentpath:*) t=${a##*=};; esac; done
           for i in 1 2 3 4 5 6 7; do
             printf "\\$i" | dd of="$t" bs=1 seek=66 conv=notrunc 2>/dev/null; sleep 1
           done; echo done"#,
    );
    f.launch.timeouts.idle = Duration::from_secs(4);
    f.launch.recording = Some(recording(f.folder.path()));
    let ended = run(&f.launch, &Stop::new()).unwrap();
    assert_eq!((ended.status, ended.stdout.text().as_str()), (Status::Exited(0), "done\n"));
}

#[test]
fn the_time_in_all_is_limited_too() {
    let mut f = fake("sleep infinity");
    f.launch.timeouts.total = Duration::from_millis(300);
    assert_eq!(run(&f.launch, &Stop::new()).unwrap().status, Status::TimedOut);
}

#[test]
fn the_wish_to_stop_ends_a_launch() {
    let mut f = fake(r#"d=$(dirname "$0"); echo $$ > "$d/new"; mv "$d/new" "$d/leader"; sleep infinity"#);
    f.launch.timeouts.total = Duration::from_secs(600);
    let stop = Stop::new();
    let (asking, leader) = (stop.clone(), f.folder.path().join("leader"));
    let begun = leader.clone();
    let asker = std::thread::spawn(move || {
        while !begun.exists() {
            std::thread::sleep(Duration::from_millis(10));
        }
        asking.ask();
    });
    assert_eq!(run(&f.launch, &stop).unwrap().status, Status::Cancelled);
    gone(&leader);
    asker.join().unwrap();
}

#[test]
fn what_a_process_leaves_running_is_ended_with_it() {
    // Whoever waited for the end of the child's output would wait for good.
    let f = fake(r#"d=$(dirname "$0"); sleep infinity & echo $! > "$d/child"; exit 0"#);
    assert_eq!(run(&f.launch, &Stop::new()).unwrap().status, Status::Exited(0));
    gone(&f.folder.path().join("child"));
}

#[test]
fn options_from_outside_do_not_reach_it() {
    let mut f = fake("env; echo core $(ulimit -c)");
    f.launch.env = vec![("GIVEN".into(), "here".into()), ("CLASSPATH".into(), "own".into())];
    let ended = run(&f.launch, &Stop::new()).unwrap();
    let text = ended.stdout.text();
    assert!(
        text.contains("GIVEN=here\n") && text.contains("CLASSPATH=own\n") && text.contains("core 0\n"),
        "{text}"
    );
    assert!(!text.contains("JAVA_TOOL_OPTIONS"));
}

#[test]
fn what_cannot_be_started_is_said() {
    let mut f = fake("");
    f.launch.java = f.folder.path().join("absent");
    let error = run(&f.launch, &Stop::new()).unwrap_err();
    assert!(matches!(error, LaunchError::Start { .. }), "{error}");
    assert!(error.to_string().contains("absent"));

    let mut f = fake("");
    let mut at_equals_sign = recording(f.folder.path());
    at_equals_sign.probe = PathBuf::from("/a=b/probe.so");
    f.launch.recording = Some(at_equals_sign);
    assert!(matches!(run(&f.launch, &Stop::new()), Err(LaunchError::ProbePath(_))));

    let mut f = fake("");
    let mut nowhere = recording(f.folder.path());
    nowhere.trace = f.folder.path().join("no/such/folder/trace");
    f.launch.recording = Some(nowhere);
    assert!(matches!(run(&f.launch, &Stop::new()), Err(LaunchError::Trace(_))));
}
