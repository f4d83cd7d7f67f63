//! Measures recording and reading: `cargo run --release -p jvmti-wire --example measure [FOLDER]`.
//!
//! Times are those of the processor, so that a busy machine matters less; in brackets those of the clock.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jvmti_wire::Plan;
use jvmti_wire::trace::{Body, HotArg, Reader, Recorder, file};
use jvmti_wire::value::{ObjectId, Value};
use rustix::time::{ClockId, clock_gettime};

const RECORDS: u64 = 10_000_000;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let folder = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let path = folder.join(format!("measure-{}.trace", std::process::id()));
    let done = measure(&path);
    // There is none if it could not be made.
    let _ = fs::remove_file(&path);
    done
}

fn measure(path: &Path) -> Result<(), Failure> {
    encode(path)?;
    for threads in [1, 2] {
        record("record(&Body)", path, threads, |recorder, thread, at| {
            let args = vec![
                Value::Pointer(0x7f00_1234_5678),
                Value::Object(ObjectId(2)),
                Value::Object(ObjectId(at >> 6)),
                Value::Object(ObjectId(77)),
                Value::Int(24),
            ];
            recorder.record(thread, at, &Body::Event { environment: 3, event: 84, args })
        })?;
        record("record_event", path, threads, |recorder, thread, at| {
            recorder.record_event(thread, at, 3, 84, &parameters(at))
        })?;
    }
    read(path)
}

/// The parameters of a VMObjectAlloc event.
fn parameters(at: u64) -> [HotArg<'static>; 5] {
    [
        HotArg::Pointer(0x7f00_1234_5678),
        HotArg::Object(ObjectId(2)),
        HotArg::Object(ObjectId(at >> 6)),
        HotArg::Object(ObjectId(77)),
        HotArg::Int(24),
    ]
}

/// Recording alone: a small trace in memory that has been touched before.
fn encode(path: &Path) -> Result<(), Failure> {
    let mut best = Duration::MAX;
    let rounds = 10_000;
    for _ in 0..100 {
        make(path, 1 << 20)?;
        let bytes = fs::read(path)?;
        let mut memory = vec![1u64; bytes.len() / 8];
        let base: *mut u8 = memory.as_mut_ptr().cast();
        // SAFETY: `memory` is as long as `bytes`, aligned to 8, and used through the recorder only from here on.
        let recorder = unsafe {
            base.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            Recorder::new(base, bytes.len())
        }?;
        let begin = Instant::now();
        for i in 0..rounds {
            black_box(recorder.record_event(1, 100_000_000 + i * 64, 3, 84, &black_box(parameters(i))));
        }
        best = best.min(begin.elapsed());
    }
    println!("record_event in touched memory: {:.1} ns per record", best.as_nanos() as f64 / rounds as f64);
    Ok(())
}

fn make(path: &Path, capacity: u64) -> Result<(), Failure> {
    if path.exists() {
        fs::remove_file(path)?;
    }
    Ok(file::create(path, &Plan::default(), capacity)?)
}

/// Recording into a new file by several threads at a time.
fn record(
    what: &str,
    path: &Path,
    threads: u32,
    one: impl Fn(&Recorder, u32, u64) -> Option<u64> + Sync,
) -> Result<(), Failure> {
    make(path, 1 << 30)?;
    let recorder = Recorder::map(path)?;
    let (begin, used) = (Instant::now(), processor());
    std::thread::scope(|scope| {
        for thread in 1..=threads {
            let (recorder, one) = (&recorder, &one);
            scope.spawn(move || {
                for i in 0..RECORDS / u64::from(threads) {
                    one(recorder, thread, 100_000_000 + i * 64);
                }
            });
        }
    });
    let per = |time: Duration| time.as_nanos() as f64 / RECORDS as f64;
    println!(
        "{what}, {threads} thread(s): {:.1} ns per record [{:.1}], {} lost",
        per(processor() - used),
        per(begin.elapsed()),
        recorder.lost()
    );
    Ok(())
}

fn read(path: &Path) -> Result<(), Failure> {
    let file = fs::File::open(path)?;
    // SAFETY: nobody else uses the file any more.
    let map = unsafe { memmap2::Mmap::map(&file) }?;
    let (begin, used) = (Instant::now(), processor());
    let mut records = Reader::new(&map)?.records();
    let count = |record| match record {
        Body::Event { args, .. } => args.len(),
        _ => 0,
    };
    let arguments: usize = records.by_ref().map(|record| count(record.body)).sum();
    println!(
        "read {arguments} arguments in {:?} [{:?}]: {:?}",
        processor() - used,
        begin.elapsed(),
        records.summary()
    );
    Ok(())
}

/// Processor time that this process has used.
fn processor() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
