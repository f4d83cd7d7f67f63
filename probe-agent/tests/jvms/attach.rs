//! The probe comes to a JVM that runs already, and refuses what it cannot work with.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use jvmti_wire::plan::{Arg, Made, Plan, Trigger};
use jvmti_wire::trace::{self, Body, EntryPoint, Reader};
use jvmti_wire::value::Value;

use crate::support::{Run, Skipped, Tested, call, case, classes, library, step};

fn turnless_plan() -> Plan {
    let get_phase = |trigger| step(trigger, call("GetPhase", &[Arg::Storage]));
    let steps = vec![
        get_phase(Trigger::OnAttach),
        step(Trigger::OnAttach, call("GetAllThreads", &[Arg::Storage, Arg::Storage])),
        get_phase(Trigger::VmDeath),
        get_phase(Trigger::OnUnload),
    ];
    let mut case = case(Made::VmInit, &[], &[], steps);
    case.run = None;
    Plan { launch: "attach".to_owned(), scenario_runs: vec![], cases: vec![case], ..Plan::default() }
}

pub fn a_running_jvm_is_joined(home: &Path) -> Tested {
    let classes = classes()?;
    let jcmd = home.join("bin/jcmd");
    if !jcmd.exists() {
        return Err(Skipped::new("this JDK has no jcmd"));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("attach.jvmtitrace");
    trace::file::create(&path, &turnless_plan(), 16 << 20).unwrap();
    let mut java = Command::new(home.join("bin/java"))
        .arg("-cp")
        .arg(classes)
        .arg("Waiting")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(java.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let loaded = Command::new(&jcmd)
        .arg(java.id().to_string())
        .arg("JVMTI.agent_load")
        .arg(library())
        .arg(format!("\"trace={}\"", path.display()))
        .output()
        .unwrap();
    drop(java.stdin.take());
    let status = java.wait().unwrap();
    let said = String::from_utf8_lossy(&loaded.stdout).into_owned();
    if said.contains("Unknown diagnostic command") {
        return Err(Skipped::new("this JDK is too old to load an agent by command"));
    }
    assert!(status.success(), "{}: {status} {said}", home.display());
    let bytes = std::fs::read(&path).unwrap();
    let records = Reader::new(&bytes).unwrap().records().collect();
    let run = Run { records, output: loaded };
    run.assert_ended_well(home);
    let attached = |b: &Body| matches!(b, Body::EntryReturned { entry: EntryPoint::OnAttach, code: 0 });
    assert!(run.position(attached).is_some(), "{}: {said}", home.display());
    assert_eq!(run.output(0, 0, 0), Value::Int(4));
    assert!(matches!(run.output(0, 1, 1), Value::List(threads) if threads.len() > 3));
    assert_eq!(run.output(0, 2, 0), Value::Int(4));
    assert_eq!(run.output(0, 3, 0), Value::Int(8));
    assert!(run.identity("java.version").is_some());
    Ok(())
}

pub fn options_that_do_not_do_are_explained(home: &Path) -> Tested {
    for (options, expected) in [
        ("", "trace=FILE"),
        ("=file=x", "file=x"),
        ("=trace=/nowhere/at/all", "/nowhere/at/all"),
        ("=trace=/dev/null", "/dev/null"),
    ] {
        let output = Command::new(home.join("bin/java"))
            .arg(format!("-agentpath:{}{options}", library().display()))
            .arg("-version")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{options}");
        assert!(said.contains("jvmti-probe: cannot start") && said.contains(expected), "{options}: {said}");
    }
    Ok(())
}
