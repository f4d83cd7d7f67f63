//! Traces that are moved into a compressed file while they are written, and what is read of damaged ones.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use jvmti_wire::Plan;
use jvmti_wire::trace::{
    Body, Follower, Reader, Record, Recorder, Summary, TraceError, TraceFile, file, pack,
};

const RECORDS: u64 = 20_000;
/// Bytes of each record's text, so that the trace is many times the room for it.
const TEXT: usize = 1000;

fn body(i: u64) -> Body {
    let mut name = format!("{i:08} ");
    // Not to be compressed away: damage has to have something to hit.
    let mut state = i;
    while name.len() < TEXT {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        name.push(char::from(b'a' + (state >> 60) as u8));
    }
    Body::Checkpoint { name }
}

fn plan() -> Plan {
    Plan { launch: "long".into(), brief: "{}".into(), ..Plan::default() }
}

fn all(path: &Path) -> (Vec<Record>, Summary) {
    let file = TraceFile::open(path).unwrap();
    let reader = file.reader().unwrap();
    assert_eq!(reader.plan(), &plan());
    let mut records = reader.records();
    (records.by_ref().collect(), records.summary())
}

/// A trace of that many records, compressed after it was written.
fn packed(folder: &Path, records: u64) -> PathBuf {
    let (plain, target) = (folder.join("a"), folder.join("a.zst"));
    file::create(&plain, &plan(), 64 << 20).unwrap();
    let recorder = Recorder::map(&plain).unwrap();
    for i in 0..records {
        recorder.record(1, i, &body(i)).unwrap();
    }
    file::seal(&plain).unwrap();
    pack(&plain, &target).unwrap();
    assert_eq!(zstd::decode_all(fs::File::open(&target).unwrap()).unwrap(), fs::read(&plain).unwrap());
    target
}

#[test]
fn far_more_than_the_room_is_recorded_in_little_of_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let (live, target) = (dir.path().join("a"), dir.path().join("a.zst"));
    let room = 1 << 20;
    file::create_followed(&live, &plan(), room).unwrap();
    let mut follower = Follower::start(&live, &target).unwrap();
    let recorder = Recorder::map(&live).unwrap();
    let mut most = 0;
    for i in 0..RECORDS {
        recorder.record(1, i, &body(i)).unwrap();
        if i % 100 == 0 {
            follower.step().unwrap();
            most = most.max(fs::metadata(&live).unwrap().blocks() * 512);
        }
    }
    // What is not moved yet, and the slack of 8 MiB.
    assert!(most <= room + (9 << 20), "{most} bytes of the disk");
    drop(recorder);
    follower.finish().unwrap();
    assert!(!live.exists());
    let (records, summary) = all(&target);
    assert_eq!((summary.records, summary.lost, summary.torn), (RECORDS, 0, 0));
    assert!(summary.sealed && !summary.truncated);
    assert!(records.iter().zip(0..).all(|(record, i)| record.at == i && record.body == body(i)));
    // Any `zstd` makes an ordinary trace of it.
    let bytes = zstd::decode_all(fs::File::open(&target).unwrap()).unwrap();
    let plain: Vec<Record> = Reader::new(&bytes).unwrap().records().collect();
    assert_eq!(plain, records);
}

#[test]
fn what_does_not_fit_is_counted_while_nobody_follows() {
    let dir = tempfile::tempdir().unwrap();
    let (live, target) = (dir.path().join("a"), dir.path().join("a.zst"));
    file::create_followed(&live, &plan(), 1 << 20).unwrap();
    let follower = Follower::start(&live, &target).unwrap();
    let recorder = Recorder::map(&live).unwrap();
    let fit = (0..2 * RECORDS / 10).filter(|i| recorder.record(1, *i, &body(*i)).is_some()).count() as u64;
    drop(recorder);
    follower.finish().unwrap();
    let (_, summary) = all(&target);
    assert_eq!((summary.records, summary.lost), (fit, 2 * RECORDS / 10 - fit));
    assert!(fit > 900 && fit < 1100, "{fit}");
}

#[test]
fn a_follower_that_is_gone_leaves_what_it_moved() {
    let dir = tempfile::tempdir().unwrap();
    let (live, target) = (dir.path().join("a"), dir.path().join("a.zst"));
    file::create_followed(&live, &plan(), 4 << 20).unwrap();
    let mut follower = Follower::start(&live, &target).unwrap();
    let recorder = Recorder::map(&live).unwrap();
    for i in 0..3000 {
        recorder.record(1, i, &body(i)).unwrap();
    }
    assert!(follower.step().unwrap());
    drop(follower);
    let (records, summary) = all(&target);
    assert!(records.len() > 2000 && !summary.sealed && !summary.truncated, "{summary:?}");
    assert!(records.iter().zip(0..).all(|(record, i)| record.body == body(i)));
}

#[test]
fn damage_costs_what_it_hits_and_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let path = packed(dir.path(), RECORDS);
    let bytes = fs::read(&path).unwrap();
    // In the second of five chunks or so.
    let mut hit = bytes.clone();
    hit[bytes.len() * 3 / 10] ^= 0x40;
    fs::write(&path, &hit).unwrap();
    let (records, summary) = all(&path);
    assert!(summary.torn >= 1 && summary.records > RECORDS / 2 && summary.records < RECORDS, "{summary:?}");
    assert!(records.iter().all(|record| record.body == body(record.at)));
    assert!(records.iter().is_sorted_by_key(|record| record.at));
    assert_eq!(records.last().unwrap().at, RECORDS - 1);
}

#[test]
fn a_file_cut_anywhere_or_damaged_anywhere_is_read_as_far_as_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let path = packed(dir.path(), 4500);
    let bytes = fs::read(&path).unwrap();
    let steps = (0..200).step_by(3).chain((200..bytes.len()).step_by(bytes.len() / 20));
    for at in steps {
        fs::write(&path, &bytes[..at]).unwrap();
        match TraceFile::open(&path).and_then(|file| file.reader().map(|reader| reader.summary())) {
            Ok(summary) => assert!(summary.truncated && summary.records < 4500, "cut at {at}: {summary:?}"),
            Err(TraceError::NotATrace | TraceError::Truncated { .. } | TraceError::Io { .. }) => {}
            Err(error) => panic!("cut at {at}: {error}"),
        }
        let mut hit = bytes.clone();
        hit[at] ^= 1;
        fs::write(&path, &hit).unwrap();
        if let Ok(file) = TraceFile::open(&path) {
            // An error or a reading; the plan may be what was hit.
            let _ = file.reader().map(|reader| reader.records().all(|record| record.body == body(record.at)));
        }
    }
}

#[test]
fn what_a_killed_recorder_left_in_two_files_is_read_as_one() {
    let dir = tempfile::tempdir().unwrap();
    let (live, target) = (dir.path().join("a"), dir.path().join("a.zst"));
    file::create_followed(&live, &plan(), 1 << 20).unwrap();
    let mut follower = Follower::start(&live, &target).unwrap();
    let recorder = Recorder::map(&live).unwrap();
    for i in 0..RECORDS {
        recorder.record(1, i, &body(i)).unwrap();
        // The last ones are not moved.
        if i % 100 == 0 && i + 500 < RECORDS {
            follower.step().unwrap();
        }
    }
    drop((recorder, follower));
    for path in [&live, &target] {
        let (records, summary) = all(path);
        assert_eq!((summary.records, summary.lost, summary.torn), (RECORDS, 0, 0), "{}", path.display());
        assert!(!summary.sealed);
        assert!(records.iter().zip(0..).all(|(record, i)| record.at == i && record.body == body(i)));
    }
    // What another recording left is none of it.
    fs::remove_file(&live).unwrap();
    let alone = all(&target).1;
    assert!(alone.records < RECORDS && alone.records > RECORDS - 3000, "{alone:?}");
    file::create_followed(&live, &plan(), 1 << 20).unwrap();
    Recorder::map(&live).unwrap().record(1, 0, &body(0)).unwrap();
    assert_eq!(all(&target).1, alone);
    assert_eq!(all(&live).1.records, 1);
}
