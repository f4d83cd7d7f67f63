//! Rules over the threads of scenarios.

use super::*;

const RULE: &str = "
rule: Frames are counted
for: {thread: {of: [Cast], where: {kind: [platform, virtual], frames: not(4)}}, each: {how: [free, suspended]}}
id: \"count/{thread}/{how}\"
about: \"{thread} of {scenario} has {frames} frames\"
chapter: stack-frame
scenario: \"{scenario}\"
capabilities: [can_suspend]
at: checkpoint(there)
steps:
- {given: \"{how} = suspended\", call: SuspendThread, with: {thread: \"${thread}\"}}
- {call: GetFrameCount, with: {thread: \"${thread}\"}, as: count, expect: {count_ptr: \"fact({thread}.frames)\"}}
- {given: [\"{kind} != virtual\", \"{how} = free|other\"], call: GetFrameLocation, with: {thread: \"${thread}\", depth: \"$count.count_ptr - 1\"}}
cites: stack-frame/count
";

/// The cases with their steps, one line each.
fn told(text: &str, release: u16) -> String {
    let steps = |case: &model::Case| case.steps.iter().map(|s| s.text.clone()).collect::<Vec<_>>().join("; ");
    cases(text, release).iter().map(|c| format!("{}: {}", c.id, steps(c))).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_rule_over_threads_becomes_a_case_for_each_thread_of_the_release() {
    insta::assert_snapshot!(told(RULE, 17), @"
    count/one/free: GetFrameCount(thread: $one); GetFrameLocation(thread: $one, depth: $count.count_ptr - 1)
    count/one/suspended: SuspendThread(thread: $one); GetFrameCount(thread: $one)
    ");
    insta::assert_snapshot!(told(RULE, 25), @"
    count/one/free: GetFrameCount(thread: $one); GetFrameLocation(thread: $one, depth: $count.count_ptr - 1)
    count/one/suspended: SuspendThread(thread: $one); GetFrameCount(thread: $one)
    count/three/free: GetFrameCount(thread: $three)
    count/three/suspended: SuspendThread(thread: $three); GetFrameCount(thread: $three)
    ");
}

#[test]
fn unknown_scenarios_traits_and_comparisons_of_threads_are_mistakes() {
    let faulty = |old: &str, new: &str| report(&faults(&RULE.replace(old, new)));
    assert!(faulty("of: [Cast]", "of: [Sleepers]").contains("unknown scenario with threads `Sleepers`"));
    assert!(faulty("frames: not(4)", "count: 4").contains("unknown trait `count`"));
    assert!(faulty("{how} = suspended", "{how}").contains("malformed"));
}

#[test]
fn a_rule_over_callers_becomes_a_case_for_each_kind_of_thread_that_the_release_has() {
    let rule = "
rule: Phases are told
for: {function: {names: [GetPhase]}, caller: {platform: Cast, virtual: Virtual}}
id: \"{function}{by}\"
about: \"{function} tells the phase{calling}\"
chapter: general
scenario: \"{scenario}\"
at: checkpoint(there)
call: GetPhase
times: 2
expect: {phase_ptr: LIVE}
cites: GetPhase#phase/live
";
    assert_eq!(told(rule, 17), "GetPhase: GetPhase(); GetPhase()");
    assert_eq!(
        told(rule, 25),
        "GetPhase: GetPhase(); GetPhase()\nGetPhase/virtual-caller: GetPhase(); GetPhase()"
    );
    let faulty = report(&faults(&rule.replace("virtual: Virtual", "virtual: Nobody")));
    assert!(faulty.contains("unknown scenario `Nobody`"), "{faulty}");
}
