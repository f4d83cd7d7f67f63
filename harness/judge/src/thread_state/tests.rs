//! The rules against an independent formulation: the hierarchy of questions as a grammar that generates the lawful
//! states.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// A question, with the answers that may be given to it: the bit that says so, and the questions that it opens.
struct Question(&'static [Answer]);
struct Answer(u32, &'static [Question]);

/// Why waiting, with how long: sleeping is timed.
const LAWFUL_WAITS: [(u32, u32); 7] = [
    (WAITING_INDEFINITELY, 0),
    (WAITING_INDEFINITELY, IN_OBJECT_WAIT),
    (WAITING_INDEFINITELY, PARKED),
    (WAITING_WITH_TIMEOUT, 0),
    (WAITING_WITH_TIMEOUT, IN_OBJECT_WAIT),
    (WAITING_WITH_TIMEOUT, PARKED),
    (WAITING_WITH_TIMEOUT, SLEEPING),
];

const QUESTIONS: Question = Question(&[
    Answer(0, &[Question(&[Answer(0, &[]), Answer(TERMINATED, &[])])]),
    Answer(
        ALIVE,
        &[
            Question(&[Answer(SUSPENDED, &[]), Answer(0, &[])]),
            Question(&[Answer(INTERRUPTED, &[]), Answer(0, &[])]),
            Question(&[Answer(IN_NATIVE, &[]), Answer(0, &[])]),
            Question(&[
                Answer(RUNNABLE, &[]),
                Answer(BLOCKED_ON_MONITOR_ENTER, &[]),
                Answer(
                    WAITING,
                    &[
                        Question(&[Answer(WAITING_INDEFINITELY, &[]), Answer(WAITING_WITH_TIMEOUT, &[])]),
                        Question(&[
                            Answer(IN_OBJECT_WAIT, &[]),
                            Answer(PARKED, &[]),
                            Answer(SLEEPING, &[]),
                            Answer(0, &[]),
                        ]),
                    ],
                ),
            ]),
        ],
    ),
]);

fn generate(question: &Question) -> BTreeSet<u32> {
    question
        .0
        .iter()
        .flat_map(|Answer(bit, opened)| {
            opened.iter().fold(BTreeSet::from([*bit]), |states, next| {
                let answers = generate(next);
                states.iter().flat_map(|s| answers.iter().map(move |a| s | a)).collect()
            })
        })
        .collect()
}

fn lawful() -> BTreeSet<u32> {
    let waits: BTreeSet<u32> = LAWFUL_WAITS.iter().map(|(long, why)| long | why).collect();
    let keeps = |s: &u32| s & WAITING == 0 || waits.contains(&(s & (0x30 | 0x340)));
    generate(&QUESTIONS).into_iter().filter(keeps).collect()
}

/// Every combination of the thirteen bits that the text defines.
fn combinations() -> impl Iterator<Item = u32> {
    let bits: Vec<u32> = (0..32).map(|i| 1u32 << i).filter(|b| (DEFINED & !VENDOR) & b != 0).collect();
    assert_eq!(bits.len(), 13);
    (0..1u32 << bits.len())
        .map(move |n| bits.iter().enumerate().filter(|(i, _)| n >> i & 1 == 1).map(|(_, b)| b).sum())
}

#[test]
fn rules_and_grammar_agree_on_every_combination() {
    let lawful = lawful();
    // Alive with 8 combinations of suspended, interrupted, in native over runnable, blocked and 7 ways to wait;
    // new; terminated.
    assert_eq!(lawful.len(), 8 * 9 + 2);
    for state in combinations() {
        for vendor in [0, 0x1000_0000, 0x2000_0000, 0x4000_0000, 0x5000_0000, VENDOR] {
            let violated: Vec<_> = violations(state | vendor).collect();
            assert_eq!(violated.is_empty(), lawful.contains(&state), "{state:#x}: {violated:?}");
        }
    }
}

#[test]
fn each_rule_is_broken_alone_by_some_state() {
    let alone: BTreeSet<&str> = combinations()
        .chain([0x8, 0x8000_0000])
        .filter_map(|state| {
            let violated: Vec<_> = violations(state).collect();
            (violated.len() == 1).then(|| violated[0])
        })
        .collect();
    let all: BTreeSet<&str> = RULES.iter().chain([&RESERVED]).map(|r| r.assertion).collect();
    assert_eq!(alone, all);
}

#[test]
fn every_lawful_state_converts_and_besides_bits_do_not_matter() {
    for state in lawful() {
        let converted = java_state(state).expect("lawful");
        assert_eq!(java_state(state & !(SUSPENDED | INTERRUPTED | IN_NATIVE | REASON)), Some(converted));
    }
    assert_eq!(java_state(0), Some("NEW"));
    assert_eq!(java_state(TERMINATED), Some("TERMINATED"));
    assert_eq!(java_state(ALIVE | RUNNABLE | SUSPENDED), Some("RUNNABLE"));
    assert_eq!(java_state(ALIVE | BLOCKED_ON_MONITOR_ENTER), Some("BLOCKED"));
    assert_eq!(java_state(0x191), Some("WAITING"));
    assert_eq!(java_state(0xe1), Some("TIMED_WAITING"));
    assert_eq!(java_state(ALIVE), None);
}

#[test]
fn bits_are_those_of_every_edition() {
    for release in jvmti_spec::Release::REVIEWED {
        let edition = jvmti_spec::Spec::embedded().at(release);
        let group = edition.constants.iter().find(|g| g.name == "jvmtiThreadState").expect("group");
        let all = group.constants.iter().fold(0, |bits, c| bits | c.value);
        assert_eq!(all, i64::from(DEFINED), "{release}");
        for (name, value) in [("SLEEPING", SLEEPING), ("PARKED", PARKED), ("IN_NATIVE", IN_NATIVE)] {
            assert_eq!(edition.constant(Some("jvmtiThreadState"), name), Some(i64::from(value)));
        }
    }
}

proptest! {
    #[test]
    fn any_32_bits_are_judged_as_the_grammar_does(state in any::<u32>()) {
        let expected = state & !DEFINED == 0 && lawful().contains(&(state & !VENDOR));
        prop_assert_eq!(violations(state).next().is_none(), expected);
    }
}

#[test]
fn what_a_jvm_need_not_know_is_left_out_wherever_it_is_asked_for() {
    let bits = |names: &[&str]| Matcher::Bits {
        has: names.iter().map(|name| ((*name).to_owned(), 1)).collect(),
        lacks: vec![("SLEEPING".to_owned(), 2)],
    };
    let state = |names| Matcher::Contains(Box::new(Matcher::Fields(vec![("state".to_owned(), bits(names))])));
    assert_eq!(without_answers(&state(&["ALIVE", "PARKED"])), Some(state(&["ALIVE"])));
    assert_eq!(without_answers(&state(&["ALIVE", "SUSPENDED"])), None);
    let either = Matcher::Any(vec![bits(&["JVMTI_THREAD_STATE_SLEEPING"]), bits(&["IN_OBJECT_WAIT"])]);
    assert_eq!(without_answers(&either), Some(Matcher::Any(vec![bits(&[]), bits(&[])])));
}
