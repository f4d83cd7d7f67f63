//! Replays the corpora of the fuzz targets, and mutants of what is in them: no input may make a reader panic, or take
//! memory out of proportion.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::path::Path;

use jvmti_wire::Plan;
use jvmti_wire::trace::{Body, Recorder, StepRef, file};
use jvmti_wire::value::Value;
use peak_alloc::PeakAlloc;

#[path = "../../fuzz/src/lib.rs"]
mod targets;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Mutants of each input.
const MUTANTS: u64 = 300;
/// Memory that one input may take, in MB: a file of some kilobytes has no reason to take more.
const MOST: f32 = 64.0;

/// A generator of numbers, the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// The input with one to eight changes: bytes changed, taken out, repeated, cut off.
fn mutant(input: &[u8], random: &mut Random) -> Vec<u8> {
    const TELLING: [&[u8]; 8] =
        [b"\0", b"\xff\xff\xff\xff", b"[", b"{", b"*a", b"&a ", b"99999999999999999999", b"\""];
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len() + 1);
        let end = (at + 1 + random.below(64)).min(bytes.len());
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            2 if at < end => drop(bytes.drain(at..end)),
            3 if at < end => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            4 => drop(bytes.splice(at..at, TELLING[random.below(TELLING.len())].iter().copied())),
            _ if random.below(8) == 0 => bytes.truncate(at),
            _ => {}
        }
    }
    bytes
}

fn feed(name: &str, target: targets::Target, input: &[u8]) {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage_as_mb();
    let survived = std::panic::catch_unwind(|| target(input)).is_ok();
    let taken = MEMORY.peak_usage_as_mb() - before;
    if !survived || taken > MOST {
        let kept = std::env::temp_dir().join(format!("{name}.input"));
        std::fs::write(&kept, input).unwrap();
        panic!("{name}: {taken} MB, panicked: {}; the input is in {}", !survived, kept.display());
    }
}

/// A small trace, made rather than kept: its format may change from one version to the next.
fn small_trace() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    file::create(&path, &Plan::default(), 4096).unwrap();
    let recorder = Recorder::map(&path).unwrap();
    let args =
        vec![Value::Int(1), Value::Null, Value::List(vec![Value::Method(7), Value::Bytes(vec![1; 40])])];
    recorder.record(1, 1, &Body::EnvironmentMade { environment: 1, case: Some(0), index: 0, code: 0 });
    recorder.record(
        1,
        2,
        &Body::CallBegin { call: 1, environment: 1, function: 17, step: StepRef::None, args },
    );
    recorder.record(1, 3, &Body::CallEnd { call: 1, code: 0, outputs: vec![], exception: (false, false) });
    drop(recorder);
    file::seal(&path).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn no_input_makes_a_reader_panic_or_take_much_memory() {
    // What is made once and stays counts for no input.
    jvmti_spec::Spec::embedded();
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (corpus, page) = (top.join("fuzz/corpus"), top.join("spec/tests/fixtures/older.html"));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (name, target) in targets::TARGETS {
        let kept = std::fs::read_dir(corpus.join(name)).into_iter().flatten();
        let mut kept: Vec<_> = kept.map(|entry| entry.unwrap().path()).collect();
        kept.sort();
        let mut inputs: Vec<Vec<u8>> = kept.into_iter().map(|path| std::fs::read(path).unwrap()).collect();
        match name {
            "trace" => inputs.push(small_trace()),
            "spec_import" => inputs.push(std::fs::read(&page).unwrap()),
            _ => {}
        }
        assert!(!inputs.is_empty(), "{name} has no corpus");
        for input in inputs {
            feed(name, target, &input);
            (0..MUTANTS).for_each(|_| feed(name, target, &mutant(&input, &mut random)));
        }
    }
}
