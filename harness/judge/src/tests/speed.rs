//! What judging costs: `cargo test --release -p jvmti-check --lib judge::tests::speed -- --ignored --nocapture`.

use std::time::{Duration, Instant};

use jvmti_cases::model::{EventExpectation, Literal, Matcher};
use jvmti_wire::Plan;
use jvmti_wire::trace::{Body, Record, StepRef};
use jvmti_wire::value::Value;

use super::bench::*;
use crate::{Brief, Exit, LaunchEnd, judge};

const EVENTS: u64 = 10_000_000;

/// Peak resident memory of this process, in megabytes.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}

#[test]
#[ignore = "a measurement, meaningful in a release build only"]
fn ten_million_events() {
    let wanted = i64::try_from(EVENTS).expect("small");
    let counts = vec![(pattern("MethodEntry"), Matcher::Equals(Literal::Int(wanted)))];
    let mut bench = Bench::new(vec![with_events(EventExpectation { counts, ..EventExpectation::default() })]);
    let args = vec![Value::Int(1), Value::Int(event("MethodEntry").into()), Value::Null];
    bench.call(StepRef::Setup { case: 0 }, "SetEventNotificationMode", args, 0);
    let head = bench.records.clone();
    let number = event("MethodEntry");
    let hot = |i: u64| Record {
        seq: 1000 + i,
        at: i,
        thread: (i % 8) as u32,
        body: Body::Event {
            environment: 1,
            event: number,
            args: vec![Value::Pointer(1), object(i % 8), Value::Method(i % 1000)],
        },
    };
    let made = Instant::now();
    let sum: u64 = (0..EVENTS).map(hot).map(|r| std::hint::black_box(r).seq & 1).sum();
    let making = made.elapsed();
    assert!(sum > 0);

    let plan = Plan { cases: vec![], ..Plan::default() };
    let brief = Brief {
        release: RELEASE,
        suite: String::new(),
        jvm: jvmti_results::Jvm::default(),
        configuration: None,
        vm_options: vec![],
        reproduce: String::new(),
        cases: bench.cases.clone(),
    };
    let ended = LaunchEnd { exit: Exit::Code(0), lost: 0 };
    let begun = Instant::now();
    let mut records = head.into_iter().chain((0..EVENTS).map(hot));
    let judged = judge(&mut records, &plan, &brief, edition(), &assertions(), &ended);
    let judging = begun.elapsed().saturating_sub(making);
    let peak = peak_megabytes();
    println!("{EVENTS} events: made in {making:?}, judged in {judging:?}, {peak} MB at the most");
    assert_eq!(judged.verdicts[0].1.status, jvmti_results::Status::Pass);
    assert!(judging < Duration::from_secs(5) && peak < 200);
}
