//! What recording an event costs: `cargo bench -p jvmti-check --bench recording`.
//!
//! The same scenario runs, in turns on the same JVM, under an agent in C whose callbacks are empty, under the probe with
//! a trace that has no room (all is done but the writing), and under the probe with room. What is told is the best of
//! several rounds each, in nanoseconds of processor time per event, and what the probe adds to the empty callback.

#![allow(clippy::unwrap_used, reason = "a measurement may fail by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use jvmti_runner::jvm::places::Surroundings;
use jvmti_runner::jvm::{Jdk, discover};
use jvmti_runner::launch::{Launch, Loading, Recording, Scratch, Status, Stop, Timeouts, probe, run};
use jvmti_spec::{Edition, Release, Spec};
use jvmti_wire::plan::{
    Action, Arg, Callback, Handler, Made, OnThread, Plan, PlannedCase, PlannedEnvironment, ScenarioRun,
    Trigger,
};
use jvmti_wire::trace::{Body, TraceFile};
use jvmti_wire::value::Value;

/// How often each agent is run.
const RUNS: usize = 3;
/// Rounds of the scenario that count.
const ROUNDS: i64 = 5;
/// Room for all records, in bytes.
const ROOM: u64 = 1 << 30;

/// What a run tells: nanoseconds per MethodEntry and per ObjectFree.
type Costs = [f64; 2];

fn main() {
    let scratch = Scratch::new().unwrap();
    let probe = probe::find(None).unwrap();
    for jdk in discover(&Surroundings::current()).jdks {
        let Some(empty) = compile(&jdk, scratch.path()) else {
            println!("{}: no jvmti.h or no C compiler", jdk.home.display());
            continue;
        };
        let mut best = [[f64::MAX; 2]; 3];
        for number in 0..RUNS {
            let costs = [
                under_empty(&jdk, &empty, &scratch),
                under_probe(&jdk, &probe, &scratch, 0, number),
                under_probe(&jdk, &probe, &scratch, ROOM, number),
            ];
            eprintln!("{}: run {} of {RUNS}: {costs:.1?}", jdk.home.display(), number + 1);
            for (best, cost) in best.iter_mut().flatten().zip(costs.into_iter().flatten()) {
                *best = best.min(cost);
            }
        }
        println!("\n{}", jdk.home.display());
        println!("{:<28}{:>14}{:>10}{:>14}{:>10}", "", "MethodEntry", "more", "ObjectFree", "more");
        let names = ["empty callback in C", "probe, no room", "probe, recording"];
        for (name, [call, free]) in names.iter().zip(best) {
            let [first_call, first_free] = best[0];
            println!(
                "{name:<28}{call:>11.1} ns{:>7.1} ns{free:>11.1} ns{:>7.1} ns",
                call - first_call,
                free - first_free
            );
        }
    }
}

fn compile(jdk: &Jdk, into: &Path) -> Option<PathBuf> {
    let include = jdk.home.join("include");
    let library = into.join("libempty.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/empty.c");
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-w", "-o"])
        .arg(&library)
        .arg(source)
        .arg("-I")
        .arg(&include)
        .arg("-I")
        .arg(include.join("linux"))
        .status();
    (include.join("jvmti.h").is_file() && status.is_ok_and(|status| status.success())).then_some(library)
}

fn launch(jdk: &Jdk, scratch: &Scratch) -> Launch {
    Launch {
        vm_options: ["-Xms512m", "-Xmx512m", "-XX:+UseSerialGC"].map(str::to_owned).to_vec(),
        class_path: vec![scratch.jar().to_owned()],
        main_class: jvmti_java_tests::MAIN_CLASS.to_owned(),
        args: vec!["DenseEvents".to_owned()],
        // Without room nothing new is recorded all the time.
        timeouts: Timeouts { idle: Duration::from_secs(300), ..Timeouts::default() },
        ..Launch::new(&jdk.java, scratch.path())
    }
}

fn costs(facts: &BTreeMap<String, i64>) -> Costs {
    [("calls", "calls.ns"), ("objects", "objects.ns")]
        .map(|(count, ns)| facts[ns] as f64 / facts[count] as f64)
}

/// Fails unless each call and each object was told of, those of the first round, which does not count, among them.
fn all_came(facts: &BTreeMap<String, i64>, entered: i64, freed: i64) {
    let [calls, objects] = ["calls", "objects"].map(|what| facts[what] / ROUNDS * (ROUNDS + 1));
    // Other methods are entered too.
    assert!(entered >= calls && entered < calls * 11 / 10, "{entered} of {calls}");
    assert_eq!(freed, objects);
}

fn under_empty(jdk: &Jdk, agent: &Path, scratch: &Scratch) -> Costs {
    let mut launch = launch(jdk, scratch);
    launch.vm_options.push(format!("-agentpath:{}", agent.display()));
    let ended = run(&launch, &Stop::new()).unwrap();
    assert_eq!(ended.status, Status::Exited(0), "{}", ended.stderr.text());
    let text = ended.stdout.text();
    let facts = text.lines().filter_map(|line| line.split_once(' '));
    let facts = facts.filter_map(|(key, value)| Some((key.to_owned(), value.parse().ok()?))).collect();
    all_came(&facts, facts["entered"], facts["freed"]);
    costs(&facts)
}

fn under_probe(jdk: &Jdk, probe: &Path, scratch: &Scratch, capacity: u64, number: usize) -> Costs {
    let trace = scratch.file(&format!("{capacity}-{number}.jvmtitrace"));
    // Also without room for events there is some for the facts, which come last and few.
    let capacity = capacity + (64 << 10);
    let recording = Recording {
        probe: probe.to_owned(),
        trace: trace.clone(),
        plan: plan(),
        capacity,
        loading: Loading::Added,
    };
    let launch = Launch { recording: Some(recording), ..launch(jdk, scratch) };
    let ended = run(&launch, &Stop::new()).unwrap();
    assert_eq!(ended.status, Status::Exited(0), "{}", ended.stderr.text());
    let file = TraceFile::open(&trace).unwrap();
    let mut facts = BTreeMap::new();
    let (mut entered, mut freed) = (0, 0);
    let (entry, free) = (event("MethodEntry"), event("ObjectFree"));
    let mut records = file.reader().unwrap().records();
    for record in records.by_ref() {
        match record.body {
            Body::Fact { key, value: Value::Int(value) } => drop(facts.insert(key, value)),
            Body::Event { event, .. } => {
                entered += i64::from(event == entry);
                freed += i64::from(event == free);
            }
            _ => {}
        }
    }
    std::fs::remove_file(&trace).unwrap();
    if capacity > ROOM {
        assert_eq!(records.summary().lost, 0);
        all_came(&facts, entered, freed);
    }
    costs(&facts)
}

fn edition() -> Edition {
    Spec::embedded().at(Release(11))
}

fn event(name: &str) -> u16 {
    edition().event(name).unwrap().number
}

/// The probe's part in the scenario: the same calls as the agent in C makes.
fn plan() -> Plan {
    let edition = edition();
    let call = |name: &str, args: Vec<Arg>| Action::Call {
        environment: 0,
        function: edition.function(name).unwrap().slot,
        args,
        on: OnThread::Current,
    };
    let switch = |mode, name: &str| {
        call("SetEventNotificationMode", vec![Arg::Int(mode), Arg::Int(event(name).into()), Arg::Null])
    };
    let tagging = Callback { set_tag: Some(7), record: Some(0), ..Callback::default() };
    let tag = call(
        "IterateThroughHeap",
        vec![
            Arg::Int(0),
            Arg::Class("jvmticheck/scenarios/DenseEvents$Garbage".to_owned()),
            Arg::Struct(vec![("heap_iteration_callback".to_owned(), Arg::Callback(tagging))]),
            Arg::Null,
        ],
    );
    let handler =
        |name: &str, actions| Handler { on: Trigger::Checkpoint(name.to_owned()), times: None, actions };
    let capabilities =
        ["can_generate_method_entry_events", "can_generate_object_free_events", "can_tag_objects"];
    let case = PlannedCase {
        id: "dense".to_owned(),
        run: Some(0),
        environments: vec![PlannedEnvironment {
            name: "main".to_owned(),
            made: Made::OnLoad,
            enabled: Made::OnLoad,
            version: None,
            chain: None,
            capabilities: capabilities.iter().map(|name| edition.capability(name).unwrap().bit).collect(),
            events: vec![],
        }],
        steps: vec![],
        handlers: vec![
            handler("calls", vec![switch(1, "MethodEntry")]),
            handler("called", vec![switch(0, "MethodEntry")]),
            handler("allocated", vec![switch(1, "ObjectFree"), tag]),
            // Events that have not been sent yet are sent now.
            handler("freed", vec![switch(0, "ObjectFree")]),
        ],
    };
    Plan {
        launch: "recording".to_owned(),
        scenario_runs: vec![ScenarioRun { scenario: "DenseEvents".to_owned() }],
        cases: vec![case],
        ..Plan::default()
    }
}
