//! A trace file from its making to its sealing.
#![allow(clippy::unwrap_used)]

use std::fs;

use jvmti_wire::Plan;
use jvmti_wire::trace::{Body, HotArg, Reader, Recorder, TraceError, file};
use jvmti_wire::value::{ObjectId, Value};

fn plan() -> Plan {
    Plan { launch: "one".into(), brief: "{}".into(), ..Plan::default() }
}

fn checkpoint(name: &str) -> Body {
    Body::Checkpoint { name: name.into() }
}

#[test]
fn what_is_recorded_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.trace");
    file::create(&path, &plan(), 1 << 16).unwrap();
    let recorder = Recorder::map(&path).unwrap();
    assert_eq!(recorder.plan().unwrap(), plan());
    let first = recorder.record(1, 10, &checkpoint("begin")).unwrap();
    let second =
        recorder.record_event(2, 20, 1, 50, &[HotArg::Pointer(0xdead), HotArg::Object(ObjectId(7))]).unwrap();
    assert!(first < second);
    drop(recorder);
    for _ in 0..2 {
        let bytes = fs::read(&path).unwrap();
        let reader = Reader::new(&bytes).unwrap();
        assert_eq!(reader.plan(), &plan());
        let records: Vec<_> = reader.records().collect();
        assert_eq!(
            records.iter().map(|r| (r.seq, r.thread, r.at)).collect::<Vec<_>>(),
            [(first, 1, 10), (second, 2, 20)]
        );
        assert_eq!(records[0].body, checkpoint("begin"));
        let args = vec![Value::Pointer(0xdead), Value::Object(ObjectId(7))];
        assert_eq!(records[1].body, Body::Event { environment: 1, event: 50, args });
        let summary = reader.summary();
        assert_eq!((summary.records, summary.lost, summary.torn, summary.truncated), (2, 0, 0, false));
        file::seal(&path).unwrap();
    }
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() < 1 << 10);
    assert!(Reader::new(&bytes).unwrap().summary().sealed);
    assert!(matches!(Recorder::map(&path), Err(TraceError::NotWritable(_))));
}
