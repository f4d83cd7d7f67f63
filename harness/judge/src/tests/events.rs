use jvmti_cases::model::{
    CountBetween, EventExpectation, EventPattern, Exactly, Literal, Matcher, Reference,
};
use jvmti_results::Status;
use jvmti_wire::trace::Body;
use jvmti_wire::value::{ObjectId, Value};

use super::bench::*;

/// A class event's parameters: JNI environment, thread, class.
fn about(thread: u64, class: u64) -> Vec<Value> {
    vec![Value::Pointer(1), object(thread), object(class)]
}

fn expecting(events: EventExpectation) -> Bench {
    Bench::new(vec![with_events(events)])
}

fn of(name: &str, class: &str) -> EventPattern {
    let params = vec![(2, "klass".to_owned(), Matcher::Is(Reference::Named(class.into())))];
    EventPattern { params, ..pattern(name) }
}

#[test]
fn order_allows_others_in_between() {
    let expected = || EventExpectation {
        in_order: vec![pattern("ClassLoad"), pattern("ClassPrepare")],
        ..EventExpectation::default()
    };
    let mut bench = expecting(expected());
    bench.event(1, "ClassLoad", about(1, 2)).event(1, "ThreadStart", vec![]);
    bench.event(1, "ClassPrepare", about(1, 2));
    let verdict = bench.verdict();
    assert_eq!((verdict.status, verdict.asserted), (Status::Pass, 2));
    let mut bench = expecting(expected());
    bench.event(1, "ClassPrepare", about(1, 2)).event(1, "ClassLoad", about(1, 2));
    let verdict = bench.verdict();
    assert_eq!(verdict.status, Status::Fail);
    assert_eq!(verdict.findings[0].expected, "in this order: ClassLoad, then ClassPrepare");
    assert_eq!(verdict.findings[0].observed, "ClassPrepare did not come after ClassLoad");
}

#[test]
fn one_event_stands_for_one_of_a_sequence() {
    let twice = vec![pattern("ClassLoad"), pattern("ClassLoad")];
    let mut bench = expecting(EventExpectation { in_order: twice, ..EventExpectation::default() });
    assert_eq!(bench.event(1, "ClassLoad", about(1, 2)).status(), Status::Fail);
    assert_eq!(bench.event(1, "ClassLoad", about(1, 3)).status(), Status::Pass);
}

#[test]
fn an_event_before_its_names_are_bound_waits_for_them() {
    let expected = || EventExpectation {
        in_order: vec![of("ClassLoad", "mine"), of("ClassPrepare", "mine")],
        ..EventExpectation::default()
    };
    let mut bench = expecting(expected());
    bench.event(1, "ClassLoad", about(1, 2)).event(1, "ClassPrepare", about(1, 2));
    assert_eq!(bench.status(), Status::Error, "never bound");
    assert_eq!(bench.bind("mine", object(2)).status(), Status::Pass);
    let mut bench = expecting(expected());
    bench.event(1, "ClassLoad", about(1, 2)).event(1, "ClassPrepare", about(1, 2));
    assert_eq!(bench.bind("mine", object(3)).status(), Status::Fail);
}

#[test]
fn events_of_other_environments_do_not_count() {
    let expected = EventExpectation { in_order: vec![pattern("ClassLoad")], ..EventExpectation::default() };
    let mut bench = expecting(expected);
    assert_eq!(bench.event(7, "ClassLoad", about(1, 2)).status(), Status::Fail);
}

#[test]
fn never_and_after() {
    let after = Some(Box::new(pattern("VMInit")));
    let never = vec![EventPattern { after, ..pattern("ClassLoad") }];
    let mut bench = expecting(EventExpectation { never, ..EventExpectation::default() });
    assert_eq!(bench.event(1, "ClassLoad", about(1, 2)).status(), Status::Pass);
    assert_eq!(bench.event(1, "VMInit", vec![]).status(), Status::Pass);
    let verdict = bench.event(1, "ClassLoad", about(1, 3)).verdict();
    assert_eq!(verdict.status, Status::Fail);
    assert_eq!(verdict.findings[0].expected, "never ClassLoad after VMInit");
}

#[test]
fn counts_are_exact() {
    let counts = vec![(pattern("ClassLoad"), Matcher::Equals(Literal::Int(2)))];
    let mut bench = expecting(EventExpectation { counts, ..EventExpectation::default() });
    assert_eq!(bench.event(1, "ClassLoad", about(1, 2)).status(), Status::Fail);
    assert_eq!(bench.event(1, "ClassLoad", about(1, 3)).status(), Status::Pass);
    assert_eq!(bench.event(1, "ClassLoad", about(1, 4)).status(), Status::Fail);
}

#[test]
fn so_many_come_between_two_events() {
    let of = |is: i64| CountBetween {
        from: pattern("VMStart"),
        to: pattern("VMInit"),
        of: pattern("VMDeath"),
        is: Matcher::Equals(Literal::Int(is)),
    };
    let events = EventExpectation { between: vec![of(0)], ..EventExpectation::default() };
    let sent = |names: &[&str]| {
        let mut bench = expecting(events.clone());
        names.iter().for_each(|name| {
            bench.event(1, name, vec![]);
        });
        bench.status()
    };
    assert_eq!(sent(&["VMDeath", "VMStart", "VMInit", "VMDeath"]), Status::Pass);
    assert_eq!(sent(&["VMStart", "VMDeath", "VMInit"]), Status::Fail);
    assert_eq!(sent(&["VMStart", "VMDeath"]), Status::Error, "there was no such interval");
}

#[test]
fn exactly_these_and_no_others() {
    let exactly = Exactly {
        of: vec![pattern("ClassLoad"), pattern("ClassPrepare")],
        are: vec![of("ClassLoad", "mine"), of("ClassPrepare", "mine"), pattern("ClassLoad")],
    };
    let events = EventExpectation { exactly: vec![exactly], ..EventExpectation::default() };
    let sent = |events: EventExpectation, all: &[(&str, u64)]| {
        let mut bench = expecting(events);
        bench.bind("mine", object(2));
        all.iter().for_each(|(name, class)| {
            bench.event(1, name, about(1, *class));
        });
        bench.verdict()
    };
    let right = [("ClassLoad", 2), ("ThreadStart", 9), ("ClassPrepare", 2), ("ClassLoad", 3)];
    assert_eq!(sent(events.clone(), &right).status, Status::Pass);
    let short = sent(events.clone(), &right[..3]);
    assert_eq!(short.findings[0].observed, "number 3, ClassLoad, did not come");
    let odd = sent(events.clone(), &[("ClassLoad", 2), ("ClassLoad", 2), ("ClassPrepare", 2)]);
    assert!(odd.findings[0].observed.ends_with("came as number 2"), "{}", odd.findings[0].observed);
    let more = [&right[..], &[("ClassPrepare", 3)]].concat();
    assert!(sent(events, &more).findings[0].observed.ends_with("came as number 4"));
}

#[test]
fn order_on_each_thread() {
    let per_thread_before = vec![(pattern("ClassLoad"), pattern("ClassPrepare"))];
    let mut bench = expecting(EventExpectation { per_thread_before, ..EventExpectation::default() });
    bench.event(1, "ClassLoad", about(1, 2)).event(1, "ClassPrepare", about(1, 2));
    assert_eq!(bench.event(1, "ClassLoad", about(5, 3)).status(), Status::Pass);
    assert_eq!(bench.event(1, "ClassLoad", about(1, 3)).status(), Status::Fail);
}

#[test]
fn a_trace_that_lost_records_proves_nothing() {
    let in_order = vec![pattern("ClassLoad")];
    let mut bench = expecting(EventExpectation { in_order, ..EventExpectation::default() });
    bench.ended.lost = 1;
    assert_eq!(bench.status(), Status::Error);
}

/// Another thread may mention a class before the thread that has met it first has recorded what it is.
#[test]
fn what_is_defined_after_it_was_mentioned_is_known() {
    let class = Matcher::Is(Reference::Class("LDefined;".into()));
    let params = vec![(2, "klass".to_owned(), class)];
    let in_order = vec![EventPattern { params, ..pattern("ClassLoad") }];
    let mut bench = expecting(EventExpectation { in_order, ..EventExpectation::default() });
    bench.event(1, "ClassLoad", about(1, 7));
    assert_eq!(bench.status(), Status::Error, "never defined");
    let (class, name) = ("Ljava/lang/Class;".to_owned(), "LDefined;".to_owned());
    bench.add(Body::ObjectSeen { object: ObjectId(7), class, name });
    assert_eq!(bench.status(), Status::Pass);
}
