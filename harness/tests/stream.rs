//! Recordings of any length: what an agent does many times the room for it is moved into a compressed trace while it
//! runs, and all that read traces take that.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use jvmti_wire::trace::{Body, Exit, TraceFile};
use support::fixture::fixture;
use support::real_jdk;
use support::trials::{Missing, Tested, tests};

fn check(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jvmti-check"));
    command.args(args);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Starts the recording of all that an agent does, with room for 16 MiB.
fn start(agent: &Path, option: &str, out: &Path) -> Result<Child, Missing> {
    let mut command = check(&["agent", "record", "--sample", "0", "--capacity", "16", "--agent"]);
    command.arg(format!("{}={option}", agent.display())).arg("--out").arg(out);
    command.arg("--jdk").arg(real_jdk()?.home).args(["--", "-version"]);
    Ok(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The trace that is left, which has to be the only file.
fn trace(out: &Path) -> PathBuf {
    let files = files(out);
    let [trace] = files.as_slice() else { panic!("{files:?}") };
    assert!(trace.to_string_lossy().ends_with(".jvmtitrace.zst"), "{trace:?}");
    trace.clone()
}

fn shown(args: &[&str], trace: &Path) -> Output {
    check(args).arg(trace).output().unwrap()
}

fn a_recording_is_longer_than_the_room_for_it() -> Tested {
    const ROUNDS: u64 = 40_000;
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("busy", folder.path())?;
    let out = folder.path().join("out");
    let mut child = start(&agent, &ROUNDS.to_string(), &out)?;
    // No more than samples: what is missed between them cannot make the test fail.
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let live = files(&out).into_iter().find(|file| file.extension().is_some_and(|e| e == "jvmtitrace"));
        let blocks = live.and_then(|live| live.metadata().ok()).map_or(0, |file| file.blocks());
        most = most.max(blocks * 512);
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    // The room, 8 MiB for writers that race for its end, and what holds the file together.
    assert!(most < 26 << 20, "{most} bytes of the disk");

    let trace = trace(&out);
    let file = TraceFile::open(&trace).unwrap();
    let reader = file.reader().unwrap();
    let mut records = reader.records();
    let (mut begun, mut last, mut ended) = (BTreeMap::<u16, u64>::new(), 0, None);
    for record in records.by_ref() {
        last = record.seq;
        match record.body {
            Body::CallBegin { function, .. } => *begun.entry(function).or_default() += 1,
            Body::Ended(process) => ended = Some(process.exit),
            _ => {}
        }
    }
    let summary = records.summary();
    assert_eq!((summary.torn, summary.truncated, summary.sealed), (0, false, true), "{summary:?}");
    assert_eq!(ended, Some(Exit::Code(0)));
    // Eleven calls a round, rounds in batches of 64, a tenth more of them before. Each is two records at least.
    let rounds = [ROUNDS / 10, ROUNDS].map(|n| n.div_ceil(64) * 64).iter().sum::<u64>();
    assert!(summary.records + summary.lost > 22 * rounds, "{summary:?}");
    let phase = jvmti_spec::Spec::embedded().newest().function("GetPhase").unwrap().slot;
    if summary.lost == 0 {
        assert_eq!(begun[&phase], rounds);
        assert!(last > 32 << 20, "{last} bytes only");
    } else {
        assert!(text(&output.stderr).contains("the trace was full"), "{}", text(&output.stderr));
    }
    let said = text(&shown(&["agent", "show"], &trace).stdout);
    assert!(said.contains("GetPhase") && said.contains("exit code 0"), "{said}");
    let said = shown(&["trace", "show", "--function", "SetEventCallbacks"], &trace);
    assert!(text(&said.stdout).contains("SetEventCallbacks"), "{}", text(&said.stderr));
    Ok(())
}

/// A recording without end, of which at least that many bytes are compressed.
fn recording(agent: &Path, out: &Path, bytes: u64) -> Result<Child, Missing> {
    let mut child = start(agent, "100000000", out)?;
    let compressed = || files(out).into_iter().find(|file| file.extension().is_some_and(|e| e == "zst"));
    while compressed().and_then(|file| file.metadata().ok()).is_none_or(|file| file.len() < bytes) {
        assert!(child.try_wait().unwrap().is_none(), "the agent stopped by itself");
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(child)
}

/// Whether the process can still write to what it has mapped. One that has ended has no memory, even if nobody has asked
/// for its exit code.
fn has_memory(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/maps")).is_ok_and(|maps| !maps.is_empty())
}

fn a_jvm_that_is_killed_leaves_all_that_it_recorded() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("busy", folder.path())?;
    let out = folder.path().join("out");
    let child = recording(&agent, &out, 4 << 20)?;
    let java = children(child.id());
    assert_eq!(java.len(), 1);
    let pid = rustix::process::Pid::from_raw(java[0]).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(128 + 9), "{}", text(&output.stderr));
    let trace = trace(&out);
    let summary = TraceFile::open(&trace).unwrap().reader().unwrap().summary();
    assert!(summary.records > 50_000 && summary.sealed && summary.torn <= 1, "{summary:?}");
    assert!(text(&output.stderr).contains("SIGKILL"), "{}", text(&output.stderr));
    Ok(())
}

fn a_recorder_that_is_killed_leaves_a_trace_that_is_read_as_one() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("busy", folder.path())?;
    let out = folder.path().join("out");
    let mut child = recording(&agent, &out, 1 << 20)?;
    let java = children(child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    for pid in java {
        // It may have ended by itself.
        let id = rustix::process::Pid::from_raw(pid).unwrap();
        let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
        while has_memory(pid) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    let files = files(&out);
    let [live, packed] = files.as_slice() else { panic!("{files:?}") };
    let records = |path: &Path| {
        let file = TraceFile::open(path).unwrap();
        let reader = file.reader().unwrap();
        reader.records().map(|record| record.seq).collect::<Vec<_>>()
    };
    assert_eq!(records(live), records(packed));
    for path in [live, packed] {
        let said = text(&shown(&["agent", "check"], path).stdout);
        assert!(said.contains("the recorder ended before the program"), "{said}");
        assert!(text(&shown(&["agent", "show"], path).stdout).contains("GetPhase"));
    }
    // Both are one recording.
    let (one, other) = (live.to_str().unwrap(), packed.to_str().unwrap());
    let said = text(&shown(&["agent", "check", one], packed).stdout);
    assert_eq!(said.matches("how it ended").count(), 1, "{said}");
    assert!(text(&shown(&["agent", "coverage", other], live).stdout).starts_with("1 recording on"));
    // Two are told apart.
    let copy = out.join("copy.jvmtitrace.zst");
    std::fs::copy(packed, &copy).unwrap();
    let said = text(&shown(&["agent", "show", other], &copy).stdout);
    for path in [packed, &copy] {
        let head = format!("── {} ── ", path.display());
        assert!(said.lines().any(|line| line.starts_with(&head) && line.contains(", java ")), "{said}");
    }
    let both = records(packed).len();
    std::fs::remove_file(live).unwrap();
    assert!(records(packed).len() < both);
    Ok(())
}

fn children(of: u32) -> Vec<i32> {
    let of_thread = |task: std::fs::DirEntry| {
        let listed = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        listed.split_whitespace().map(|pid| pid.parse().unwrap()).collect::<Vec<i32>>()
    };
    let tasks = std::fs::read_dir(format!("/proc/{of}/task")).unwrap();
    tasks.flat_map(|task| of_thread(task.unwrap())).collect()
}

fn a_full_disk_costs_records_and_nothing_else() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let (agent, home) = (fixture("busy", folder.path())?, real_jdk()?.home);
    let disk = folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let kept = folder.path().join("kept");
    std::fs::create_dir(&kept).unwrap();
    // A file system of 32 MiB of which 24 are reserved at once; it is there for these commands only.
    let on_small_disk = |script: &str| {
        let script = format!("mount -t tmpfs -o size=32m tmpfs \"$2\" && {script}");
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", &script, env!("CARGO_BIN_EXE_jvmti-check")]);
        command.args([&agent, &disk, &home, &kept]).output()
    };
    if !on_small_disk("true").is_ok_and(|output| output.status.success()) {
        return Err(Missing("no right to mount a file system with `unshare`".to_owned()));
    }
    let record =
        r#""$0" agent record --sample 0 --capacity 16 --agent "$1=40000" --jdk "$3" --out "$2" -- -version"#;
    let output = on_small_disk(&format!("{record} && cp \"$2\"/* \"$4\"")).unwrap();
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("No space left on device") && said.contains("the trace was full"), "{said}");
    let trace = trace(&kept);
    let summary = TraceFile::open(&trace).unwrap().reader().unwrap().summary();
    assert!(summary.records > 100_000 && summary.lost > 0 && summary.sealed, "{summary:?}");
    assert!(said.contains("how it ended      exit code 0"), "{said}");
    Ok(())
}

fn a_compressed_trace_that_is_cut_or_damaged_is_told() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("tour", folder.path())?;
    let out = folder.path().join("out");
    assert!(start(&agent, "", &out)?.wait_with_output().unwrap().status.success());
    let trace = trace(&out);
    let bytes = std::fs::read(&trace).unwrap();
    for (content, code, told) in [
        (&bytes[..bytes.len() - 100], 0, "the file is truncated"),
        (&bytes[..100], 2, "cut off"),
        (&bytes[..5], 2, "not a trace"),
        (&b"\x28\xb5\x2f\xfd something else"[..], 2, "not a trace"),
        (&[][..], 2, "not a trace"),
    ] {
        std::fs::write(&trace, content).unwrap();
        for args in [&["trace", "show"][..], &["agent", "show"], &["agent", "check"]] {
            let output = shown(args, &trace);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{args:?} of {} bytes: {said}", content.len());
            assert!(args != ["trace", "show"] || said.contains(told), "{} bytes: {said}", content.len());
        }
    }
    Ok(())
}

tests! { a_recorder_that_is_killed_leaves_a_trace_that_is_read_as_one, a_recording_is_longer_than_the_room_for_it, a_jvm_that_is_killed_leaves_all_that_it_recorded, a_full_disk_costs_records_and_nothing_else, a_compressed_trace_that_is_cut_or_damaged_is_told }
