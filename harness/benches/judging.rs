//! What judging a trace of ten million events costs: `cargo bench -p jvmti-check --bench judging`.

#![allow(clippy::unwrap_used, reason = "a measurement may fail by panicking")]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::CommandCargoExt;
use jvmti_cases::model::{Case, Environment, EventExpectation, EventPattern, Literal, Matcher};
use jvmti_judge::Brief;
use jvmti_spec::{Release, Spec};
use jvmti_wire::plan::{self, Plan};
use jvmti_wire::trace::{Body, Exit, HotArg, Process, Recorder, StepRef, file};
use jvmti_wire::value::{ObjectId, Value};

const EVENTS: u64 = 10_000_000;
const RELEASE: Release = Release(25);

/// A case that counts the events, so that each of them is looked at.
fn case() -> Case {
    let method_entry = EventPattern {
        event: Spec::embedded().at(RELEASE).event("MethodEntry").map(|event| event.number),
        name: "MethodEntry".to_owned(),
        environment: None,
        params: vec![],
        after: None,
    };
    let wanted = Matcher::Equals(Literal::Int(i64::try_from(EVENTS).unwrap()));
    Case {
        id: "large".to_owned(),
        environments: vec![Environment {
            name: "main".to_owned(),
            made: None,
            version: None,
            capabilities: vec![],
            events: vec!["MethodEntry".to_owned()],
        }],
        events: Some(EventExpectation {
            counts: vec![(method_entry, wanted)],
            ..EventExpectation::default()
        }),
        cites: vec!["MethodEntry#enable".to_owned()],
        ..Case::default()
    }
}

fn make(path: &std::path::Path) {
    let edition = Spec::embedded().at(RELEASE);
    let number = |name: &str| edition.event(name).unwrap().number;
    let function = edition.function("SetEventNotificationMode").unwrap().slot;
    let brief = Brief {
        release: RELEASE,
        suite: String::new(),
        jvm: jvmti_results::Jvm::default(),
        configuration: None,
        vm_options: vec![],
        reproduce: String::new(),
        cases: vec![case()],
        inapplicable: vec![],
    };
    let planned = plan::PlannedCase {
        id: "large".to_owned(),
        run: None,
        environments: vec![],
        steps: vec![],
        handlers: vec![],
    };
    let brief = serde_json::to_string(&brief).unwrap();
    let plan = Plan { cases: vec![planned], brief, ..Plan::default() };
    file::create(path, &plan, 1 << 30).unwrap();
    let recorder = Recorder::map(path).unwrap();
    let step = StepRef::Setup { case: 0 };
    let args = vec![Value::Int(1), Value::Int(number("MethodEntry").into()), Value::Null];
    recorder.record(1, 1, &Body::EnvironmentMade { environment: 1, case: Some(0), index: 0, code: 0 });
    recorder.record(1, 2, &Body::CallBegin { call: 1, environment: 1, function, step, args });
    recorder.record(1, 3, &Body::CallEnd { call: 1, code: 0, outputs: vec![], exception: (false, false) });
    for i in 0..EVENTS {
        let args =
            [HotArg::Pointer(0x7f00_1234_5678), HotArg::Object(ObjectId(i % 8)), HotArg::Method(i % 1000)];
        recorder.record_event((i % 8) as u32, 100 * i, 1, number("MethodEntry"), &args).unwrap();
    }
    let (stdout, stderr) = (String::new(), String::new());
    recorder.record(0, 0, &Body::Ended(Process { exit: Exit::Code(0), stdout, stderr, attached: vec![] }));
    file::seal(path).unwrap();
}

/// Peak memory of a process in MB, as long as it runs.
fn peak(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib / 1000)
}

fn main() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("large.jvmtitrace");
    make(&path);
    let size = path.metadata().unwrap().len() / 1_000_000;
    let begun = Instant::now();
    let mut child = Command::cargo_bin("jvmti-check")
        .unwrap()
        .arg("judge")
        .arg(&path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(5));
    }
    let took = begun.elapsed();
    let output = child.wait_with_output().unwrap();
    println!("{EVENTS} events in {size} MB: judged in {took:.2?}, {most} MB at the most");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
