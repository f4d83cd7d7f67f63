//! Several writers, too little room, sudden ends.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jvmti_wire::trace::{Body, HotArg, Reader, Record, Recorder};
use jvmti_wire::value::Value;
use proptest::prelude::*;
use support::Trace;

/// Writes record `i` of a thread; its size depends on `i`.
fn write(recorder: &Recorder, thread: u32, i: u64) -> Option<u64> {
    let name = [b'n'; 40];
    let args = [HotArg::Int(i as i64), HotArg::Str(&name[..i as usize % 40])];
    match i % 3 {
        0 => recorder.record_event(thread, i, 1, 50, &args),
        1 => recorder.record(thread, i, &Body::Fact { key: "x".repeat(i as usize % 70), value: Value::Null }),
        _ => recorder.record(thread, i, &Body::RunEnd { run: i as u32 }),
    }
}

/// The numbers of the records of each thread, in the order of the trace.
fn by_thread(records: impl Iterator<Item = Record>) -> BTreeMap<u32, Vec<u64>> {
    let mut threads: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for record in records {
        threads.entry(record.thread).or_default().push(record.at);
    }
    threads
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn each_record_is_there_once_or_lost(threads in 1..6u32, count in 1..600u64, capacity in 0..200_000u64) {
        let trace = Trace::new(capacity);
        let recorder = trace.recorder();
        let mut stored: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        std::thread::scope(|scope| {
            let recorder = &recorder;
            let write_all = |thread| move || (0..count).filter(|i| write(recorder, thread, *i).is_some()).collect();
            let running: Vec<_> = (1..=threads).map(|thread| (thread, scope.spawn(write_all(thread)))).collect();
            stored.extend(running.into_iter().map(|(thread, handle)| (thread, handle.join().unwrap())));
        });
        stored.retain(|_, numbers: &mut Vec<u64>| !numbers.is_empty());
        let bytes = trace.bytes();
        let reader = Reader::new(&bytes).unwrap();
        let mut records = reader.records();
        prop_assert_eq!(by_thread(records.by_ref()), stored);
        let summary = records.summary();
        prop_assert_eq!((summary.torn, summary.unreadable), (0, 0));
        prop_assert_eq!(summary.records + summary.lost, u64::from(threads) * count);
        prop_assert_eq!(summary.lost, recorder.lost());
        drop(recorder);
        jvmti_wire::trace::file::seal(&trace.path).unwrap();
        let sealed = trace.bytes();
        prop_assert_eq!(Reader::new(&sealed).unwrap().summary(), jvmti_wire::trace::Summary { sealed: true, ..summary });
    }

    #[test]
    fn nothing_is_written_beyond_the_end(capacity in 0..3000u64, count in 1..100u64) {
        let bytes = Trace::new(capacity).bytes();
        let guard = 64;
        let mut memory = vec![u64::MAX; bytes.len() / 8 + guard];
        let base: *mut u8 = memory.as_mut_ptr().cast();
        // SAFETY: `memory` is longer than `bytes` and not used otherwise while the recorder lives.
        let recorder = unsafe {
            base.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            Recorder::new(base, memory.len() * 8).unwrap()
        };
        for i in 0..count {
            write(&recorder, 1, i);
        }
        drop(recorder);
        prop_assert!(memory[bytes.len() / 8..].iter().all(|word| *word == u64::MAX));
    }
}

#[test]
fn what_matters_still_fits_when_events_do_not() {
    let trace = Trace::new(1 << 16);
    let recorder = trace.recorder();
    while recorder.record_event(1, 1, 1, 50, &[HotArg::Null]).is_some() {}
    assert!(recorder.record(1, 2, &Body::EventEnd { event: 50 }).is_none());
    assert!(recorder.record(1, 3, &Body::RunEnd { run: 1 }).is_some());
    assert_eq!(recorder.lost(), 2);
    let bytes = trace.bytes();
    assert_eq!(Reader::new(&bytes).unwrap().records().last().unwrap().body, Body::RunEnd { run: 1 });
}

const WRITERS: u32 = 3;

/// For each writer of the child, the number of its records that it knows to be stored.
fn progress(path: &Path) -> memmap2::MmapRaw {
    let file = std::fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    memmap2::MmapRaw::map_raw(&file).unwrap()
}

fn counter(progress: &memmap2::MmapRaw, thread: u32) -> &AtomicU64 {
    let at = 64 * thread as usize;
    assert!(at + 8 <= progress.len());
    // SAFETY: within the mapping, aligned, and only ever used atomically.
    unsafe { AtomicU64::from_ptr(progress.as_mut_ptr().add(at).cast()) }
}

/// Not a test of its own: the child process of the next one.
#[test]
#[ignore = "runs as a child process of another test"]
fn child_that_records_until_killed() {
    let Some(path) = std::env::var_os("WIRE_TEST_TRACE").map(PathBuf::from) else { return };
    let recorder = Recorder::map(&path).unwrap();
    let progress = progress(&path.with_extension("progress"));
    std::thread::scope(|scope| {
        for thread in 1..=WRITERS {
            let (recorder, progress) = (&recorder, &progress);
            scope.spawn(move || {
                for i in 0.. {
                    if write(recorder, thread, i).is_none() {
                        break;
                    }
                    counter(progress, thread).store(i + 1, Ordering::Release);
                }
            });
        }
    });
}

#[test]
fn after_a_kill_all_is_there_up_to_the_last_record() {
    for round in 0..5 {
        let trace = Trace::new(256 << 20);
        let path = trace.path.with_extension("progress");
        std::fs::write(&path, vec![0; 4096]).unwrap();
        let progress = progress(&path);
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_that_records_until_killed", "--ignored"])
            .env("WIRE_TEST_TRACE", &trace.path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let patience = Instant::now();
        while (1..=WRITERS).any(|thread| counter(&progress, thread).load(Ordering::Acquire) < 1000) {
            assert!(patience.elapsed() < Duration::from_secs(600), "the child does not record");
            std::thread::sleep(Duration::from_micros(100 + 777 * round));
        }
        child.kill().unwrap();
        child.wait().unwrap();

        let bytes = trace.bytes();
        let mut records = Reader::new(&bytes).unwrap().records();
        let threads = by_thread(records.by_ref());
        for thread in 1..=WRITERS {
            let stored = counter(&progress, thread).load(Ordering::Acquire);
            let numbers = &threads[&thread];
            // The record after the last one known to be stored may or may not have made it.
            assert!((stored..=stored + 1).contains(&(numbers.len() as u64)));
            assert!(numbers.iter().copied().eq(0..numbers.len() as u64));
        }
        let summary = records.summary();
        assert!(
            summary.torn <= WRITERS.into() && summary.lost == 0 && summary.unreadable == 0,
            "{summary:?}"
        );
    }
}
