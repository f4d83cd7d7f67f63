//! Any bytes at all: a clear error or a correct reading.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;

use jvmti_wire::trace::{Body, FORMAT, Reader, Record, TraceError, file};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use support::{Trace, body, log};

/// Reads to the end; returns what was there. The number of records is bounded by the number of bytes.
fn read(bytes: &[u8]) -> Vec<Record> {
    let Ok(reader) = Reader::new(bytes) else { return Vec::new() };
    let mut records = reader.records();
    let read: Vec<_> = records.by_ref().take(bytes.len() + 1).collect();
    assert!(read.len() <= bytes.len() / 16);
    assert_eq!(reader.summary(), records.summary());
    assert_eq!(records.summary().records, read.len() as u64);
    read
}

fn end(records: &[Record], i: usize, bytes: &[u8]) -> usize {
    records.get(i + 1).map_or(bytes.len(), |next| next.seq as usize)
}

fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    bytes[at..at + new.len()].copy_from_slice(new);
}

/// What a process that was killed in the midst of a record leaves of it.
#[derive(Clone, Copy, Debug)]
enum Kill {
    /// Only the room was reserved.
    BeforeAll,
    /// The word said so, and part of the content had been written.
    Within(Index),
    /// All but the last store.
    BeforeCommit,
    /// The word is gone, the content is there.
    WordGone,
}

fn kill() -> impl Strategy<Value = Kill> {
    prop_oneof![
        Just(Kill::BeforeAll),
        any::<Index>().prop_map(Kill::Within),
        Just(Kill::BeforeCommit),
        Just(Kill::WordGone),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn random_bytes_are_no_trace(bytes in vec(any::<u8>(), 0..2000)) {
        prop_assert!(matches!(Reader::new(&bytes), Err(TraceError::NotATrace)));
    }

    #[test]
    fn random_logs_are_read_to_the_end(noise in vec(any::<u8>(), 0..4000), headers in vec((8..128usize, any::<u8>()), 0..4)) {
        let (mut bytes, _) = Trace::of(&[]);
        bytes.extend(&noise);
        let len = bytes.len() as u64;
        put(&mut bytes, 64, &len.to_ne_bytes());
        prop_assert_eq!(read(&bytes), []);
        for (at, byte) in headers {
            bytes[at] = byte;
        }
        read(&bytes);
    }

    #[test]
    fn damage_to_some_records_leaves_the_others(
        bodies in vec(body(), 1..20), changes in vec((any::<Index>(), any::<u8>()), 1..6),
    ) {
        let (mut bytes, records) = Trace::of(&bodies);
        let log = log(&bytes);
        let mut touched = BTreeSet::new();
        for (place, byte) in changes {
            let at = log + place.index(bytes.len() - log);
            if bytes[at] != byte {
                bytes[at] = byte;
                touched.insert(records.partition_point(|record| record.seq as usize <= at) - 1);
            }
        }
        let read = read(&bytes);
        for (i, record) in records.iter().enumerate() {
            prop_assert!(touched.contains(&i) || read.contains(record));
        }
        // A touched record may only be read if the change was in bytes that say nothing: correctly, then.
        prop_assert!(read.iter().all(|record| records.contains(record)));
        prop_assert!(read.is_sorted_by_key(|record| record.seq));
    }

    #[test]
    fn damage_anywhere_does_no_harm(
        bodies in vec(body(), 0..6), changes in vec((any::<Index>(), any::<u8>()), 1..6), cut: Index, longer in 0..100usize,
    ) {
        let (mut bytes, _) = Trace::of(&bodies);
        for (place, byte) in changes {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.resize(bytes.len() + longer, 0);
        bytes.truncate(cut.index(bytes.len() + 1));
        read(&bytes);
    }

    #[test]
    fn a_trace_cut_off_is_read_to_the_last_whole_record(bodies in vec(body(), 1..20), cut: Index) {
        let (mut bytes, records) = Trace::of(&bodies);
        let cut = cut.index(bytes.len());
        let whole: Vec<_> =
            records.iter().enumerate().filter(|(i, _)| end(&records, *i, &bytes) <= cut).map(|(_, r)| r.clone()).collect();
        let log = log(&bytes);
        bytes.truncate(cut);
        if cut < log {
            match Reader::new(&bytes) {
                Err(TraceError::NotATrace) => prop_assert!(cut < 8),
                Err(TraceError::Truncated { len, .. }) => prop_assert_eq!(len, cut as u64),
                other => prop_assert!(false, "{other:?}"),
            }
            return Ok(());
        }
        let read = read(&bytes);
        // The last record may lack only its padding.
        prop_assert!(read.starts_with(&whole) && read.len() <= whole.len() + 1);
        prop_assert!(records.starts_with(&read));
        prop_assert!(Reader::new(&bytes).unwrap().summary().truncated);
    }

    #[test]
    fn a_kill_loses_only_what_was_being_written(
        bodies in vec((body(), prop::option::weighted(0.3, kill())), 1..20), seal: bool,
    ) {
        let (killed, bodies): (Vec<_>, Vec<Body>) = bodies.into_iter().map(|(body, kill)| (kill, body)).unzip();
        let (mut bytes, records) = Trace::of(&bodies);
        put(&mut bytes, 20, &u32::from(seal).to_ne_bytes());
        for (i, kill) in killed.iter().enumerate() {
            let (at, end) = (records[i].seq as usize, end(&records, i, &bytes));
            let word = u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap());
            // The tags of the states follow each other: reserved, committed.
            let reserved = (word - (1 << 32)).to_ne_bytes();
            match kill {
                None => continue,
                Some(Kill::BeforeAll) => bytes[at..end].fill(0),
                Some(Kill::Within(place)) => {
                    put(&mut bytes, at, &reserved);
                    let from = at + 8 + place.index(end - at - 8);
                    bytes[from..end].fill(0);
                }
                Some(Kill::BeforeCommit) => put(&mut bytes, at, &reserved),
                Some(Kill::WordGone) => bytes[at..at + 8].fill(0),
            }
        }
        let alive: Vec<_> = records.iter().zip(&killed).filter(|(_, kill)| kill.is_none()).map(|(r, _)| r.clone()).collect();
        prop_assert_eq!(read(&bytes), alive);
        let killed = killed.iter().flatten().count() as u64;
        let torn = Reader::new(&bytes).unwrap().summary().torn;
        prop_assert!(torn <= killed && (torn > 0) == (killed > 0));
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let (bytes, _) = Trace::of(&[]);
    let says = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        Reader::new(&bytes).unwrap_err().to_string()
    };
    assert_eq!(says(&|b| b.clear()), "this is not a trace (it does not begin with the mark of one)");
    assert_eq!(
        says(&|b| b.truncate(100)),
        "the trace is cut off after 100 bytes; its header and plan take 128"
    );
    for other in [FORMAT - 1, FORMAT + 1] {
        assert_eq!(
            says(&|b| put(b, 12, &other.to_ne_bytes())),
            format!(
                "the trace has format {other}; this version of jvmti-check reads format {FORMAT}: record the trace again, or \
                 read it with the version that recorded it"
            )
        );
    }
    assert_eq!(says(&|b| put(b, 12, &[0; 4])), "the trace's header is damaged: there is no such format");
    assert_eq!(says(&|b| put(b, 8, &[0; 4])), "the trace's header is damaged: its byte order mark is none");
    assert_eq!(says(&|b| put(b, 48, &[0xff; 8])), "the trace's header is damaged: its log has no end");
    assert!(says(&|b| b[128] = b'x').starts_with("the plan in the trace is unreadable: "));
}

#[test]
fn a_trace_of_the_other_byte_order_is_read() {
    let (mut bytes, _) = Trace::of(&[]);
    for at in (8..24).step_by(4) {
        bytes[at..at + 4].reverse();
    }
    for at in (24..80).step_by(8) {
        bytes[at..at + 8].reverse();
    }
    assert_eq!(Reader::new(&bytes).unwrap().plan(), &support::plan());
}

#[test]
fn sealing_may_be_interrupted_and_repeated() {
    let trace = Trace::new(1 << 12);
    trace.recorder().record(1, 1, &Body::RunBegin { run: 1 }).unwrap();
    let records = read(&trace.bytes());
    file::seal(&trace.path).unwrap();
    let sealed = trace.bytes();
    let mut cut_only = sealed.clone();
    put(&mut cut_only, 20, &[0; 4]);
    std::fs::write(&trace.path, &cut_only).unwrap();
    assert!(!Reader::new(&cut_only).unwrap().summary().truncated);
    assert_eq!(read(&cut_only), records);
    file::seal(&trace.path).unwrap();
    file::seal(&trace.path).unwrap();
    assert_eq!(trace.bytes(), sealed);
    assert_eq!(read(&sealed), records);
}

#[test]
fn a_file_that_is_there_is_not_overwritten() {
    let trace = Trace::new(1 << 12);
    let before = trace.bytes();
    let error = file::create(&trace.path, &support::plan(), 8).unwrap_err();
    assert!(matches!(error, TraceError::Io { doing: "create", .. }));
    assert_eq!(trace.bytes(), before);
}

#[test]
fn room_that_is_not_there_is_an_error_up_front() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    for capacity in [1 << 60, u64::MAX] {
        let error = file::create(&path, &support::plan(), capacity).unwrap_err();
        assert!(matches!(error, TraceError::NoRoom { .. }), "{error}");
        assert!(!path.exists());
    }
}
