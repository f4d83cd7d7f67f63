//! The grammar as a whole: the project's own files, faulty ones, and any text at all.

mod also_on;
mod each;
mod threads;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use jvmti_spec::edition::NullRule;
use jvmti_spec::{Edition, Release, Spec};
use miette::{GraphicalReportHandler, GraphicalTheme};
use proptest::prelude::*;

use super::model::{ErrorExpectation, Matcher};
use super::source::SourceFile;
use super::*;

const SCENARIOS: &str = "
- name: Sleepers
  about: Threads that sleep.
  binds: [{name: sleeper, is: a thread}, {name: lock, is: an object}]
  checkpoints: [{name: asleep, is: the thread sleeps}]
  facts: [{name: state, is: its state}]
- {name: Virtual, about: Virtual threads., releases: 21.., checkpoints: [{name: there, is: there}]}
- name: Cast
  about: Threads.
  threads:
  - {name: one, is: a thread, traits: {kind: platform, frames: '3'}}
  - {name: two, is: a thread, traits: {kind: platform, frames: '4'}}
  - {name: three, is: a thread, releases: 21.., traits: {kind: virtual, frames: '5'}}
  thread_facts: [{name: frames, is: their number}]
  checkpoints: [{name: there, is: there}]
";
const ARGUMENTS: &str = "
types: {jthread: {early: null, live: $current_thread}, jint: 0}
functions:
  ResumeThread:
    before: {live: [{call: SuspendThread, with: {thread: $sleeper}}]}
";

fn set(text: &str) -> Result<CaseSet, Diagnostics> {
    let file = |name: &str, text: &str| SourceFile { name: name.into(), text: text.into() };
    CaseSet::read([
        file("scenarios.yaml", SCENARIOS),
        file("arguments.yaml", ARGUMENTS),
        file("cases.yaml", text),
    ])
}

fn faults(text: &str) -> Diagnostics {
    set(text).map_or_else(|faults| faults, |set| set.check())
}

fn cases(text: &str, release: u16) -> Vec<model::Case> {
    let set = set(text).expect("reads");
    let faults = set.check();
    assert!(!faults.has_errors(), "{}", report(&faults));
    set.for_release(&Spec::embedded().at(Release(release))).expect("faultless").cases
}

/// As the terminal shows it, without colour.
fn report(faults: &Diagnostics) -> String {
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    for fault in &faults.0 {
        handler.render_report(&mut text, fault).expect("renders");
    }
    text
}

fn own_files() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases"))
}

#[test]
fn the_projects_own_files_are_faultless() {
    let set = load(own_files()).unwrap_or_else(|error| match error {
        LoadError::Faulty(faults) => panic!("{}", report(&faults)),
        other => panic!("{other}"),
    });
    for release in 8..=28 {
        let selection = set.for_release(&Spec::embedded().at(Release(release))).expect("faultless");
        assert!(!selection.cases.is_empty());
    }
}

#[test]
fn rules_reach_every_element_of_25() {
    let set = load(own_files()).expect("loads");
    let edition = Spec::embedded().at(Release(25));
    let selection = set.for_release(&edition).expect("faultless");
    let cases = selection.cases.iter().map(|c| c.id.as_str());
    let ids: BTreeSet<&str> = cases.chain(selection.inapplicable.iter().map(|c| c.id.as_str())).collect();
    for function in &edition.functions {
        let nulls = function.params.iter().filter(|p| matches!(p.null, NullRule::Forbidden { .. }));
        let wanted = nulls
            .map(|p| format!("{}#null/{}", function.name, p.name))
            .chain(function.capabilities.required.iter().map(|c| format!("{}#capability/{c}", function.name)))
            .chain([format!("{}#phase/onload", function.name)]);
        for id in wanted {
            assert!(ids.contains(id.as_str()), "no case {id}");
        }
    }
}

#[test]
fn a_step_becomes_a_call_with_what_it_must_achieve() {
    let text = "
chapter: thread
scenario: Sleepers
cases:
- id: sleeping
  about: A thread that sleeps
  at: checkpoint(asleep)
  steps:
  - {call: GetThreadInfo, with: {thread: $sleeper}, as: info, expect: {info: {name: Sandy, priority: {at_least: 1}}}}
  - call: GetThreadState
    with: {thread: $sleeper}
    expect: {thread_state: {java: TIMED_WAITING, has: [SLEEPING], lacks: [PARKED]}}
  - {call: GetThreadGroupInfo, with: {group: $info.info.thread_group}, expect: any}
  - {call: SuspendThread, with: {thread: invalid(plain-object)}, expect: {error: [INVALID_THREAD, MUST_POSSESS_CAPABILITY]}, cites: SuspendThread#errors/INVALID_THREAD}
  cites: thread-state/sleeping
";
    insta::assert_json_snapshot!(cases(text, 25));
}

#[test]
fn an_environment_that_only_an_expectation_is_about_is_kept() {
    let text = "
rule: Events that nobody has enabled
for: {event: {names: [ClassLoad]}}
id: \"{event}#enable\"
about: \"{event} does not come\"
chapter: events
scenario: Sleepers
environments: [{name: main}, {name: other}, {name: idle}]
at: checkpoint(asleep)
call: GetTime
expect_events: {never: [{event: \"{event}\", env: other}]}
cites: \"{event}#enable\"
";
    let cases = cases(text, 25);
    assert_eq!(cases[0].environments.len(), 2);
}

#[test]
fn a_rule_becomes_a_case_for_each_element() {
    let text = "
rule: Functions that need a suspended thread
for: {function: {names: [ResumeThread, SuspendThread]}, capability: required}
id: \"{function}#capability/{capability}\"
about: \"{function} without {capability}\"
chapter: \"{chapter}\"
scenario: Sleepers
environments:
- {name: main, capabilities: {required_by: $function, except: $capability}}
- {name: able, capabilities: {required_by: $function}}
at: checkpoint(asleep)
call: {$function: minimal}
expect: {error: MUST_POSSESS_CAPABILITY}
cites: \"{function}#capability/{capability}\"
";
    let able = ARGUMENTS.replace("{call: SuspendThread, ", "{call: SuspendThread, env: able, ");
    let file = |name: &str, text: &str| SourceFile { name: name.into(), text: text.into() };
    let set = CaseSet::read([
        file("scenarios.yaml", SCENARIOS),
        file("arguments.yaml", &able),
        file("cases.yaml", text),
    ]);
    let set = set.expect("reads");
    assert!(!set.check().has_errors(), "{}", report(&set.check()));
    let cases = set.for_release(&Spec::embedded().at(Release(25))).expect("faultless").cases;
    let lines: Vec<String> = cases
        .iter()
        .flat_map(|c| std::iter::once(c.id.clone()).chain(c.steps.iter().map(|s| format!("  {}", s.text))))
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn outputs_imply_success_and_silence_too() {
    let text = "
chapter: thread
cases:
- {id: a, about: a, at: vm_init, call: GetThreadState, with: {thread: null}, expect: {thread_state: 5}}
- {id: b, about: b, at: vm_init, call: GetThreadState, with: {thread: null}}
- {id: c, about: c, at: vm_init, call: GetThreadState, with: {thread: null}, expect: any}
- {id: d, about: d, at: vm_init, call: GetThreadState, with: {thread: null}, expect: {error: not(WRONG_PHASE)}}
";
    let expected: Vec<Option<ErrorExpectation>> =
        cases(text, 17).into_iter().map(|c| c.steps[0].expect.clone().and_then(|e| e.error)).collect();
    let success = Some(ErrorExpectation::OneOf(vec!["NONE".into()]));
    let not = Some(ErrorExpectation::NoneOf(vec!["WRONG_PHASE".into()]));
    assert_eq!(expected, [success.clone(), success, None, not]);
}

#[test]
fn calls_whose_success_goes_without_saying_are_helpers_where_the_case_expects_something_else() {
    let helpers = |rest: &str| {
        let text = format!(
            "{{chapter: thread, scenario: Sleepers, at: checkpoint(asleep), capabilities: [can_suspend], cites: thread-state/sleeping,
               cases: [{{id: a, about: b, {rest}}}]}}"
        );
        cases(&text, 25)[0].steps.iter().map(|step| step.helper).collect::<Vec<_>>()
    };
    let suspend = "{call: SuspendThread, with: {thread: $sleeper}}";
    let state = "call: GetThreadState, with: {thread: $sleeper}";
    let then = |more: &str| helpers(&format!("steps: [{suspend}, {{{state}{more}}}]"));
    assert_eq!(then(", expect: {error: NONE}"), [true, false]);
    assert_eq!(then(", cites: thread-state/parked"), [true, false]);
    // That both succeed is all that the case is about.
    assert_eq!(then(""), [false, false]);
    assert_eq!(then(", expect: any"), [false, false]);
    assert_eq!(helpers(&format!("steps: [{suspend}], expect_facts: {{state: 1}}")), [true]);
    // What the argument table adds is a helper whatever the case expects.
    assert_eq!(helpers("call: {ResumeThread: minimal}"), [true, false]);
}

#[test]
fn cases_that_name_places_by_indices_in_bytecode_are_marked() {
    let marked = |step: &str| {
        let text = format!(
            "{{chapter: breakpoint, scenario: Sleepers, at: checkpoint(asleep), capabilities: [can_generate_breakpoint_events],
               cites: breakpoint/set, cases: [{{id: a, about: b, {step}}}]}}"
        );
        cases(&text, 25)[0].bytecode_indices
    };
    let set = "call: SetBreakpoint, with: {method: method(java/lang/String.length()I), location";
    assert!(marked(&format!("{set}: 0}}, expect: {{error: NONE}}")));
    let get = "call: GetFrameLocation, with: {thread: $sleeper, depth: 0}, expect: {location";
    assert_eq!(
        ["3", "{any: [3, 4]}", "-1", "{at_least: 0}"].map(|at| marked(&format!("{get}: {at}}}"))),
        [true, true, false, false]
    );
    let event = "steps: [], expect_events: {never: [Breakpoint: {location: 3}]}";
    assert!(marked(event));
}

#[test]
fn fields_go_before_conditions_of_the_same_name() {
    let text = "
chapter: method
capabilities: can_access_local_variables
cases:
- id: a
  about: a
  at: vm_init
  call: GetLocalVariableTable
  with: {method: method(java/lang/Object.hashCode()I)}
  expect: {table: {each: {length: {at_least: 0}}}, entry_count: {at_least: 1}}
";
    let case = cases(text, 25).remove(0);
    let outputs = case.steps[0].expect.clone().expect("expects").outputs;
    let Matcher::Each(each) = &outputs[0].matcher else { panic!("{outputs:?}") };
    assert!(matches!(**each, Matcher::Fields(_)), "{each:?}");
}

#[test]
fn releases_decide_whether_a_case_applies() {
    let text = "
chapter: thread
cases:
- {id: old, about: old, releases: ..20, at: vm_init, call: GetVersionNumber}
- {id: new, about: new, releases: 21.., at: vm_init, call: GetVersionNumber}
";
    let set = set(text).expect("reads");
    let selection = set.for_release(&Spec::embedded().at(Release(21))).expect("faultless");
    assert_eq!(selection.cases[0].id, "new");
    assert_eq!(selection.inapplicable[0].reason, "for Java ..20");
}

/// One file with a fault of every kind.
#[test]
fn faults_are_shown_all_at_once() {
    let text = include_str!("faulty.yaml");
    insta::assert_snapshot!(report(&faults(text)));
}

#[test]
fn faults_of_cases_that_are_well_formed() {
    let text = "
chapter: thread
cases:
- {id: twice, about: The first, at: vm_init, call: GetVersionNumber}
- {id: twice, about: The second, at: vm_init, call: GetVersionNumber}
- {id: empty, about: Nothing is checked}
- {id: late, about: No moment, call: GetVersionNumber}
- {id: nobody, about: No scenario, at: checkpoint(asleep), call: GetVersionNumber}
- {id: outlived, about: No environment later, scenario: Sleepers, at: checkpoint(asleep), call: GetPhase, cites: GetPhase#phase/live,
   environments: [{name: main, made: first_step}], handlers: [{at: checkpoint(asleep), do: [{call: GetPhase}]}]}
";
    insta::assert_snapshot!(report(&faults(text)));
}

#[test]
fn faults_of_the_text_itself() {
    let shown = |text: &str| report(&faults(text)).lines().next().unwrap_or_default().to_owned();
    assert_eq!(
        shown("cases: ["),
        "  × cases.yaml:1:9: not YAML: while parsing a node, did not find expected node content"
    );
    assert_eq!(shown(""), "  × cases.yaml:1:1: the file is empty");
    assert_eq!(shown("- 1"), "  × cases.yaml:1:1: expected a case file, found a list");
    assert_eq!(shown("42"), "  × cases.yaml:1:1: expected a case file, found an integer");
}

#[test]
fn files_that_are_no_text_are_refused() {
    let dir = tempfile::tempdir().expect("folder");
    let message = || load(dir.path()).expect_err("refused").to_string();
    assert!(message().starts_with("no case files (*.yaml) in "), "{}", message());
    std::fs::write(dir.path().join("a.yaml"), b"chapter: \xff\xfe").expect("writes");
    assert!(message().ends_with("a.yaml is not UTF-8 text (byte 9)"), "{}", message());
}

/// Enough to show that nothing panics, and quicker.
fn faults_of_one_release(text: &str) -> Diagnostics {
    static EDITION: LazyLock<Edition> = LazyLock::new(|| Spec::embedded().at(Release(25)));
    set(text).and_then(|set| set.for_release(&EDITION)).err().unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Damaged files: clear faults or a reading, never a panic.
    #[test]
    fn no_damage_upsets_the_loader(
        whole in prop::sample::select(vec![
            include_str!("faulty.yaml"),
            include_str!("../../../cases/rules/missing-capability.yaml"),
            include_str!("../../../cases/events/monitor.yaml"),
        ]),
        at in any::<prop::sample::Index>(),
        length in 0_usize..20,
        put in "(\\PC|[\n :$.,()\\[\\]{}\\-']){0,12}",
    ) {
        let start = whole.char_indices().map(|(byte, _)| byte).nth(at.index(whole.chars().count())).unwrap_or(0);
        let end = (start..=whole.len()).filter(|byte| whole.is_char_boundary(*byte)).nth(length).unwrap_or(whole.len());
        let damaged = format!("{}{put}{}", &whole[..start], &whole[end..]);
        report(&faults_of_one_release(&damaged));
    }

    #[test]
    fn no_text_upsets_the_loader(text in "((chapter|cases|id|call|with|expect|for|function|at)?(: |\n|- |\\{|\\[|\\]|\\}|\\PC)){0,40}") {
        report(&faults_of_one_release(&text));
    }

    #[test]
    fn no_catalogue_upsets_the_loader(text in "(- |name: |binds: |\\PC|\n|\\[|\\{|: ){0,30}") {
        let file = SourceFile { name: "scenarios.yaml".into(), text };
        if let Err(faults) = CaseSet::read([file]) {
            report(&faults);
        }
    }
}

#[test]
fn a_rule_over_conditions_becomes_a_case_for_each_value() {
    let text = "
rule: Threads that are not alive
for:
  function: {names: {SuspendThread: {who: $sleeper}, ResumeThread: {who: $sleeper}, PopFrame: {who: $sleeper}}, not: ResumeThread}
  condition: {error: THREAD_NOT_ALIVE, is: thread, or: THREAD_NOT_SUSPENDED}
  each: {number: [1, two]}
id: \"{row}/{number}\"
about: \"{function} is answered with {answers}\"
chapter: \"{chapter}\"
scenario: Sleepers
undefined: true
capabilities: {required_by: $function}
at: checkpoint(asleep)
steps:
- {call: $function, with: {$param: \"{who}\"}, expect: {error: \"{answers}\"}}
cites: [\"{row}\", \"{function}#errors/{error}\"]
";
    let cases = cases(text, 25);
    let told = |c: &model::Case| {
        let Some(model::ErrorExpectation::OneOf(answers)) =
            c.steps[0].expect.as_ref().and_then(|e| e.error.clone())
        else {
            panic!("no error expected")
        };
        format!("{} {} {answers:?} {:?} {}", c.id, c.steps[0].text, c.cites, c.undefined)
    };
    insta::assert_snapshot!(cases.iter().map(told).collect::<Vec<_>>().join("\n"), @r#"
    SuspendThread#errors/THREAD_NOT_ALIVE/1 SuspendThread(thread: $sleeper) ["THREAD_NOT_ALIVE"] ["SuspendThread#errors/THREAD_NOT_ALIVE"] true
    SuspendThread#errors/THREAD_NOT_ALIVE/two SuspendThread(thread: $sleeper) ["THREAD_NOT_ALIVE"] ["SuspendThread#errors/THREAD_NOT_ALIVE"] true
    PopFrame#errors/THREAD_NOT_ALIVE/1 PopFrame(thread: $sleeper) ["THREAD_NOT_ALIVE", "THREAD_NOT_SUSPENDED"] ["PopFrame#errors/THREAD_NOT_ALIVE"] true
    PopFrame#errors/THREAD_NOT_ALIVE/two PopFrame(thread: $sleeper) ["THREAD_NOT_ALIVE", "THREAD_NOT_SUSPENDED"] ["PopFrame#errors/THREAD_NOT_ALIVE"] true
    "#);
}

/// The examples of the guide, as files beside those that this project has.
#[test]
fn the_guides_examples_are_faultless() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/writing-cases.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let blocks = guide.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut examples = 0;
    for (number, text) in blocks.enumerate() {
        let name = match text {
            _ if text.starts_with("- cases:") => format!("known/example-{number}.yaml"),
            _ if text.starts_with("  ") || text.contains("Mine") => continue, // a part; one that shown.rs runs
            _ => format!("example-{number}.yaml"),
        };
        examples += 1;
        let mut files = super::files::read(own_files()).unwrap();
        // An example may be a case that is there.
        files.retain(|file| {
            matches!(file.name.as_str(), "scenarios.yaml" | "arguments.yaml") || name.starts_with("known/")
        });
        let text = match text.starts_with("- id:") {
            true => format!("chapter: general\nat: vm_init\ncases:\n{text}"),
            false => text.to_owned(),
        };
        files.push(SourceFile { name: name.clone(), text });
        let set = CaseSet::read(files).unwrap_or_else(|faults| panic!("{:?}", miette::Report::new(faults)));
        let mut faults = set.check();
        faults.0.retain(|fault| fault.file.name == name);
        assert!(!faults.has_errors(), "{:?}", miette::Report::new(faults));
    }
    assert!(examples > 4, "{examples} examples found");
}

#[test]
fn an_optional_error_needs_a_statement_that_promises_it() {
    let text = |cites: &str| {
        format!(
            "
chapter: thread
scenario: Sleepers
cases:
- id: refused
  about: A thread that is none
  at: checkpoint(asleep)
  call: SuspendThread
  with: {{thread: invalid(plain-object)}}
  expect: {{error: INVALID_THREAD}}
  cites: [{cites}]
"
        )
    };
    let unfounded = report(&faults(&text("thread-state/sleeping")));
    assert!(unfounded.contains("which no cited statement promises"), "{unfounded}");
    assert!(!faults(&text("thread-state/sleeping, \"SuspendThread#errors/INVALID_THREAD\"")).has_errors());
}
