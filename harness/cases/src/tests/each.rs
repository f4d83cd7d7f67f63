//! `each`: one case for each combination of values.

use super::*;

#[test]
fn values_may_bind_more_than_themselves() {
    let cases = cases(
        "
rule: The result of a JNI operation is as expected.
for:
  function: {names: [GetVersionNumber]}
  each: {size: {small: {most: 7}, large: {most: 70}}}
id: \"sizes/{size}\"
about: \"an array of up to {most}\"
subject: \"{function}\"
chapter: general
scenario: Sleepers
at: checkpoint(asleep)
steps:
- {jni: GetArrayLength, args: [$lock], expect: {result: {at_most: 7}}}
cites: \"{function}#phase/live\"
",
        25,
    );
    let found: Vec<_> = cases.iter().map(|case| (case.id.as_str(), case.about.as_str())).collect();
    assert_eq!(found, [("sizes/small", "an array of up to 7"), ("sizes/large", "an array of up to 70")]);
    let expected = cases[0].steps[0].expect.as_ref().expect("as written");
    assert_eq!(expected.outputs[0].matcher, Matcher::Range(None, Some(7)));
}

#[test]
fn a_case_may_have_values_of_its_own_and_of_its_file() {
    let text = r#"
chapter: thread
scenario: Sleepers
at: checkpoint(asleep)
each: {way: {first: {release: 8}, last: {release: 21}}}
cases:
- id: state/{way}/{kind}
  each: {kind: {plain: {says: "{way} and plain"}, other: {says: "{kind}"}}}
  about: "It says {says}"
  releases: "{release}.."
  steps:
  - {call: GetThreadState, with: {thread: $sleeper}, as: state, given: "{kind} = plain"}
  - {call: GetThreadInfo, with: {thread: $sleeper}, expect: {error: NONE}}
  handlers:
  - {at: ThreadStart, given: "{way} != first", do: [{call: GetPhase}]}
  cites: GetThreadInfo#phase/live
"#;
    let told = |c: &model::Case| format!("{}: {}; {}+{}", c.id, c.about, c.steps.len(), c.handlers.len());
    let told: Vec<String> = cases(text, 25).iter().map(told).collect();
    assert_eq!(
        told,
        [
            "state/first/plain: It says first and plain; 2+0",
            "state/first/other: It says other; 1+0",
            "state/last/plain: It says last and plain; 2+1",
            "state/last/other: It says other; 1+1",
        ]
    );
    assert_eq!(cases(text, 17).len(), 2);
}

#[test]
fn steps_are_repeated_and_stand_within_those_of_the_file() {
    let text = r#"
chapter: thread
scenario: Sleepers
at: checkpoint(asleep)
steps:
- {call: GetPhase}
- case
- {call: GetTime}
handlers:
- {at: ThreadStart, do: [{call: GetPhase}]}
cases:
- id: states
  about: It says so
  steps:
  - each: {thread: {sleeper: {is: plain}, current_thread: {is: other}}}
    steps:
    - {call: GetThreadState, with: {thread: "${thread}"}, as: "of_{thread}"}
    - {call: GetThreadInfo, with: {thread: "${thread}"}, given: "{is} = other"}
  - {call: GetThreadState, with: {thread: $sleeper}, expect: {same_as: of_current_thread}}
  cites: GetThreadInfo#phase/live
"#;
    let cases = cases(text, 25);
    let steps: Vec<&str> = cases[0].steps.iter().map(|step| step.text.as_str()).collect();
    assert_eq!(
        steps,
        [
            "GetPhase()",
            "GetThreadState(thread: $sleeper)",
            "GetThreadState(thread: $current_thread)",
            "GetThreadInfo(thread: $current_thread)",
            "GetThreadState(thread: $sleeper)",
            "GetTime()",
        ]
    );
    assert_eq!(cases[0].handlers.len(), 1);
}
