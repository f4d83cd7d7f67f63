//! Times in recordings: what the recording itself takes is told apart, and waiting from computing.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use jvmti_runner::jvm::Jdk;
use jvmti_spec::Spec;
use jvmti_wire::trace::{Body, TraceFile};
use support::fixture::fixture;
use support::jdks;
use support::trials::{Tested, tests};

/// Records `java -version` with the agent in it; gives the trace and what was said.
fn record(jdk: &Jdk, agent: &str, sample: &str, out: &Path) -> (PathBuf, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jvmti-check"));
    command.args(["agent", "record", "--sample", sample, "--agent", agent, "--jdk"]).arg(&jdk.home);
    let output = command.arg("--out").arg(out).args(["--", "-version"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    (std::fs::read_dir(out).unwrap().next().unwrap().unwrap().path(), said)
}

/// What a trace says about the times of one callback, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Callback {
    wall: u64,
    recording: u64,
    cpu: Option<u64>,
    /// What the calls within it took.
    calls: u64,
}

/// The callback of that event that took longest; and what recording took in all: how many, nanoseconds, and those for counting a
/// call.
fn longest(trace: &Path, event: &str) -> (Callback, (u64, u64, Option<u64>)) {
    let file = TraceFile::open(trace).unwrap();
    let number = Spec::embedded().newest().event(event).unwrap().number;
    let (mut longest, mut total) = (Callback::default(), (0, 0, None));
    // By thread: the callback that it is in, and when that began; by number: when calls began.
    let mut open: BTreeMap<u32, (u64, Callback)> = BTreeMap::new();
    let mut begun: BTreeMap<u32, u64> = BTreeMap::new();
    for record in file.reader().unwrap().records() {
        let within = open.get_mut(&record.thread);
        match (record.body, within) {
            (Body::Event { event, .. }, _) if event == number => {
                open.insert(record.thread, (record.at, Callback::default()));
            }
            (Body::CallBegin { call, .. }, Some(_)) => drop(begun.insert(call, record.at)),
            (Body::CallEnd { call, .. }, Some((_, callback))) => {
                callback.calls += begun.remove(&call).map_or(0, |began| record.at - began);
                (callback.recording, callback.cpu) = (0, None);
            }
            (Body::TimeSpent { recording, cpu }, Some((_, callback))) => {
                (callback.recording, callback.cpu) = (recording, cpu);
            }
            (Body::EventEnd { event }, Some((began, callback))) if event == number => {
                callback.wall = record.at - *began;
                if callback.wall > longest.wall {
                    longest = *callback;
                }
                open.remove(&record.thread);
            }
            (Body::RecordingCost { recorded, took, counting }, _) => total = (recorded, took, counting),
            _ => {}
        }
    }
    (longest, total)
}

fn what_recording_takes_is_not_the_agents() -> Tested {
    // In rounds of 64, a tenth more of them before, with 11 calls each.
    const ROUNDS: u64 = 640;
    const CALLS: u64 = 11 * (ROUNDS + ROUNDS / 10);
    let folder = tempfile::tempdir().unwrap();
    let agent = format!("{}={ROUNDS}", fixture("busy", folder.path())?.display());
    for (number, jdk) in jdks()?.iter().enumerate() {
        let place = |name: &str| folder.path().join(format!("{name}-{number}"));
        let (trace, said) = record(jdk, &agent, "0", &place("whole"));
        let (callback, (recorded, took, counting)) = longest(&trace, "ClassPrepare");
        let Callback { wall, recording, calls, cpu } = callback;
        assert!(recording > 0 && recording + calls <= wall, "{callback:?}");
        assert!(recorded > CALLS && took > 0, "{recorded} took {took}, {callback:?}");
        // To record a call takes longer than many of these calls take. Of `wall`, any part may be time without a processor.
        assert!(cpu.is_some_and(|cpu| recording > cpu / 10), "{callback:?}");
        assert!(counting.is_none() && said.contains("\nrecording         "), "{said}");
        let (trace, said) = record(jdk, &agent, "16", &place("sampled"));
        let (callback, (recorded, _, counting)) = longest(&trace, "ClassPrepare");
        assert!(recorded < CALLS / 2 && callback.recording < callback.wall, "{recorded}, {callback:?}");
        // Nanoseconds, some hundred in a debug build; a busy machine adds to them, but does not make milliseconds of them.
        assert!(counting.is_some_and(|each| (1..100_000).contains(&each)), "{counting:?}");
        assert!(said.contains("for each that was counted"), "{said}");
    }
    Ok(())
}

fn waiting_takes_no_processor() -> Tested {
    const WAITS: u64 = 300_000_000;
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("waits", folder.path())?.display().to_string();
    for (number, jdk) in jdks()?.iter().enumerate() {
        let (trace, said) = record(jdk, &agent, "0", &folder.path().join(number.to_string()));
        let (callback, _) = longest(&trace, "VMInit");
        assert!(callback.wall >= WAITS && callback.cpu.is_some_and(|cpu| cpu < WAITS / 2), "{callback:?}");
        let row = said.lines().find(|line| line.starts_with("VMInit")).unwrap_or_default();
        let cells: Vec<&str> = row.split_whitespace().collect();
        // Name, count, the total and its unit, the processor's time and its unit.
        let milliseconds = |at: usize| match cells.get(at + 1) {
            Some(&"ms") => cells[at].parse::<f64>().unwrap(),
            _ => 0.0,
        };
        assert!(said.contains("  CPU  ") && milliseconds(2) >= 300.0 && milliseconds(4) < 150.0, "{said}");
    }
    Ok(())
}

tests! { what_recording_takes_is_not_the_agents, waiting_takes_no_processor }
