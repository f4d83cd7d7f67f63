//! Tests of each rule with a trace that obeys it and one that violates it.

mod calls;
mod events;
mod kept;

use jvmti_results::Status;
use jvmti_wire::trace::{Body, StepRef};
use jvmti_wire::value::{ObjectId, Value};

use crate::tests::bench::*;

const SETUP: StepRef = StepRef::Setup { case: 0 };

fn trace() -> Bench {
    Bench::new(vec![case("a")])
}

fn status(bench: &Bench, rule: &str) -> Option<Status> {
    bench.rule(rule).map(|v| v.status)
}

/// Parameters of an event that begins with JNI environment and thread.
fn on(thread: u64) -> Vec<Value> {
    vec![Value::Pointer(1), object(thread)]
}

#[test]
fn every_rule_s_assertion_is_registered() {
    let registered = assertions();
    for rule in super::Watchers::new(edition()).rules {
        assert!(registered.get(rule.assertion()).is_some(), "{}", rule.assertion());
    }
}

#[test]
fn no_occasion_no_verdict() {
    let rules = trace().judged().universal.into_iter().map(|verdict| verdict.case);
    assert_eq!(rules.collect::<Vec<_>>(), [jvmti_cases::brief::JVM_GOES_ON], "the JVM came to its end");
}

#[test]
fn many_violations_are_told_briefly() {
    let mut bench = trace();
    for i in 0..100 {
        bench.call(SETUP, "GetThreadState", vec![object(i)], 12345);
    }
    let verdict = bench.rule("returned-error-is-listed").expect("judged");
    assert_eq!(verdict.findings.len(), 10);
    assert!(verdict.findings[9].observed.ends_with("(one of 100 violations)"));
}
