//! All events at once, on a program that does a little of everything: every rule that holds for every trace holds over the
//! whole of it, no record is lost or torn, and the agent's memory stays within bounds.
//!
//! A second on each JDK of this machine; `STRESS_SECONDS=20 cargo test --release -p jvmti-check --test stress` for longer.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod support;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt;
use jvmti_results::Results;
use jvmti_runner::jvm::Jdk;
use jvmti_spec::{Edition, Release, Spec};
use jvmti_wire::trace::{Body, TraceFile};
use jvmti_wire::value::Value;
use support::jdks;
use support::trials::{Tested, tests};

/// Events that come by the million each second: they are enabled for one thread only, which does little.
const DENSE: [&str; 4] = ["SingleStep", "MethodEntry", "MethodExit", "FramePop"];
/// Memory that the process may gain in the second half of the time, in KiB.
const GAIN: i64 = 64 << 10;
/// Room for the records of a second, in MiB.
const ROOM: u64 = 128;

/// The case: an environment with every event that JVMs offer, and what makes the dense ones come.
fn case(edition: &Edition) -> String {
    let offered = |capability: &String| {
        // Not offered by every JVM, or by one environment at a time only, which must not be the whole JVM's way.
        !["can_generate_early_vmstart", "can_generate_early_class_hook_events"].contains(&capability.as_str())
    };
    let mut capabilities: Vec<&str> = Vec::new();
    let mut events: Vec<&str> = Vec::new();
    for event in &edition.events {
        for capability in event.capabilities.required.iter().filter(|c| offered(c)) {
            if !capabilities.contains(&capability.as_str()) {
                capabilities.push(capability);
            }
        }
        if !DENSE.contains(&event.name.as_str()) {
            events.push(&event.name);
        }
    }
    let mut text = format!(
        "chapter: events\nreleases: {}\ncases:\n- id: events/stress\n  about: All events at once\n  scenario: Stress\n  sharing: nothing\n  \
         capabilities: [{}]\n  events: [{}]\n  at: checkpoint(ready)\n  steps:\n",
        edition.release,
        capabilities.join(", "),
        events.join(", "),
    );
    for event in ["SingleStep", "MethodEntry", "MethodExit"] {
        let _ = writeln!(
            text,
            "  - {{call: SetEventNotificationMode, with: {{mode: ENABLE, event_type: {event}, event_thread: $stepper}}}}"
        );
    }
    let class = "jvmticheck/scenarios/Stress";
    for watch in ["SetFieldAccessWatch", "SetFieldModificationWatch"] {
        let _ = writeln!(
            text,
            "  - {{call: {watch}, with: {{klass: class({class}), field: \"static_field({class}.steps:I)\"}}}}"
        );
    }
    let _ = writeln!(
        text,
        "  - {{call: SetBreakpoint, with: {{method: \"static_method({class}.step()V)\", location: 0}}}}\n  \
         expect_facts: {{classes: {{at_least: 1}}}}\n  cites: universal/event-in-its-phases"
    );
    text
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => std::fs::copy(entry.path(), target).map(|_| ()).unwrap(),
        }
    }
}

fn stressed(jdk: &Jdk, release: Release, seconds: u64) {
    let place = tempfile::tempdir().unwrap();
    let (cases, out) = (place.path().join("cases"), place.path().join("out"));
    // Beside the project's own cases, for the sake of the known deviations.
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases"), &cases);
    std::fs::write(cases.join("stress.yaml"), case(&Spec::embedded().at(release))).unwrap();
    let output = Command::cargo_bin("jvmti-check")
        .unwrap()
        .args(["run", "events/stress", "--no-progress", "--keep-traces", "--timeout", "120", "--only-cases"])
        .arg(&cases)
        .args([
            format!("--capacity={}", ROOM * (seconds + 1)),
            format!("--vm-option=-Djvmticheck.stress={seconds}"),
        ])
        .arg("--out")
        .arg(&out)
        .arg("--jdk")
        .arg(&jdk.home)
        .output()
        .unwrap();
    let said = format!(
        "{}: {}{}",
        jdk.home.display(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read(out.join("results.json")).unwrap_or_else(|e| panic!("{e}: {said}"));
    let results: Results = serde_json::from_slice(&text).unwrap();
    let verdicts = &results.runs[0].verdicts;
    assert!(verdicts.iter().any(|v| v.case == "events/stress") && verdicts.len() > 10, "{said}");
    assert!(verdicts.iter().all(|verdict| !verdict.status.is_unexpected()), "{said}");
    let traces: Vec<_> = std::fs::read_dir(out.join("traces")).unwrap().flatten().collect();
    assert_eq!(traces.len(), 1, "{said}");
    whole(&traces[0].path(), release, seconds, &said);
}

/// Whether the trace is whole, and what the program says of itself as it should be.
fn whole(trace: &Path, release: Release, seconds: u64, said: &str) {
    let file = TraceFile::open(trace).unwrap();
    let reader = file.reader().unwrap();
    let mut facts = std::collections::BTreeMap::new();
    let mut events = 0u64;
    let mut records = reader.records();
    for record in records.by_ref() {
        file.pass(record.seq);
        match record.body {
            Body::Fact { key, value: Value::Int(value) } => {
                facts.insert(key, value);
            }
            Body::Event { .. } => events += 1,
            Body::Trouble { message } => panic!("{message}: {said}"),
            _ => {}
        }
    }
    let summary = records.summary();
    assert_eq!((summary.lost, summary.torn, summary.unreadable), (0, 0, 0), "{said}");
    println!("{}: {events} events, {facts:?}", trace.display());
    assert!(events > 10_000, "{events} events: {said}");
    let fact = |key: &str| *facts.get(key).unwrap_or_else(|| panic!("no fact {key}: {said}"));
    assert!(fact("threads") > 0 && fact("classes") > 0);
    assert!(release < Release(21) || fact("virtual") > 0, "{facts:?}");
    // At first every JVM grows.
    assert!(seconds < 10 || fact("memory.end") - fact("memory.half") < GAIN, "{facts:?}");
}

fn all_events_at_once_on_a_busy_program() -> Tested {
    let seconds = std::env::var("STRESS_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    for jdk in jdks()? {
        let output = Command::new(&jdk.java).arg("-version").output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        let version = text.split('"').nth(1).unwrap_or_else(|| panic!("{}: {text}", jdk.home.display()));
        let feature =
            version.strip_prefix("1.").unwrap_or(version).split(|c: char| !c.is_ascii_digit()).next();
        let feature = feature.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{version}"));
        stressed(&jdk, Release(feature), seconds);
    }
    Ok(())
}

tests! { all_events_at_once_on_a_busy_program }
