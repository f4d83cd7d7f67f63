use std::collections::BTreeSet;

use jvmti_cases::model::{Environment, Life, Sharing, Step};
use jvmti_wire::plan::{Action, Made, OnThread, PlannedStep, Trigger};
use proptest::prelude::*;

use super::*;

const CAPABILITIES: [&str; 4] = ["can_tag_objects", "can_suspend", "can_pop_frame", "can_redefine_any_class"];

fn offer() -> Offer {
    let set = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<BTreeSet<_>>();
    Offer {
        on_load: set(&CAPABILITIES[..3]),
        live: set(&CAPABILITIES[..2]),
        exclusive: set(&["can_suspend"]),
        other_locations: false,
    }
}

pub(super) fn case(
    scenario: Option<&str>,
    triggers: Vec<Trigger>,
    capabilities: &[&str],
    sharing: Sharing,
) -> Case {
    let step = |at: Trigger| Step {
        plan: PlannedStep {
            at,
            action: Action::Call { environment: 0, function: 17, args: vec![], on: OnThread::Current },
            save: None,
        },
        expect: None,
        cites: vec![],
        helper: false,
        text: String::new(),
    };
    Case {
        scenario: scenario.map(str::to_owned),
        sharing,
        environments: vec![Environment {
            name: "main".to_owned(),
            made: None,
            version: None,
            capabilities: capabilities.iter().map(|c| c.to_string()).collect(),
            events: vec![],
        }],
        steps: triggers.into_iter().map(step).collect(),
        ..Case::default()
    }
}

fn checkpoint() -> Trigger {
    Trigger::Checkpoint("ready".to_owned())
}

#[test]
fn environments_are_made_as_late_as_capabilities_allow() {
    let made = |case: Case| place(&case, &offer()).map(|p| p.timings[0].made);
    let at =
        |trigger, capability: &str| made(case(Some("S"), vec![trigger], &[capability], Sharing::Scenario));
    assert_eq!(at(checkpoint(), "can_tag_objects"), Ok(Made::FirstStep));
    assert_eq!(at(Trigger::RunBegin, "can_tag_objects"), Ok(Made::ScenarioRun));
    assert_eq!(at(Trigger::VmDeath, "can_tag_objects"), Ok(Made::VmInit));
    assert_eq!(at(Trigger::OnLoad, "can_tag_objects"), Ok(Made::OnLoad));
    assert_eq!(at(checkpoint(), "can_pop_frame"), Ok(Made::OnLoad));
    let refused = at(checkpoint(), "can_redefine_any_class").unwrap_err();
    assert_eq!(refused.to_string(), "this JVM does not offer the optional can_redefine_any_class");
}

#[test]
fn brief_holders_of_an_exclusive_capability_share_a_scenario_run() {
    let cases = vec![case(Some("S"), vec![checkpoint()], &["can_suspend"], Sharing::Scenario); 5];
    let schedule = schedule(&cases, &[0, 1, 2, 3, 4], &offer(), Limits { jobs: 4, ..Limits::STANDARD });
    assert_eq!(schedule.launches.len(), 1);
    assert_eq!(schedule.launches[0].scenario_runs, ["S"]);
}

#[test]
fn lasting_holders_of_an_exclusive_capability_get_scenario_runs_of_their_own() {
    let cases =
        vec![case(Some("S"), vec![Trigger::RunBegin, checkpoint()], &["can_suspend"], Sharing::Scenario); 3];
    let schedule = schedule(&cases, &[0, 1, 2], &offer(), Limits::FEW);
    assert_eq!(schedule.launches.len(), 1);
    assert_eq!(schedule.launches[0].scenario_runs.len(), 3);
}

#[test]
fn a_holder_from_the_start_keeps_others_out_of_its_jvm() {
    let early = case(None, vec![Trigger::OnLoad], &["can_suspend"], Sharing::Scenario);
    let late = case(Some("S"), vec![checkpoint()], &["can_suspend"], Sharing::Scenario);
    let schedule = schedule(&[early, late], &[0, 1], &offer(), Limits::FEW);
    assert_eq!(schedule.launches.len(), 2);
}

/// The cases of each launch.
fn together(schedule: &Schedule) -> Vec<Vec<usize>> {
    let cases = |launch: &Launch| launch.cases.iter().map(|entry| entry.case).collect();
    schedule.launches.iter().map(cases).collect()
}

#[test]
fn what_the_text_leaves_open_shares_no_jvm_with_others() {
    let other = case(Some("S"), vec![checkpoint()], &[], Sharing::Scenario);
    let undefined = Case { undefined: true, ..other.clone() };
    let cases = [other.clone(), undefined.clone(), other, undefined];
    assert_eq!(together(&schedule(&cases, &[0, 1, 2, 3], &offer(), Limits::FEW)), [[0, 2], [1, 3]]);
}

#[test]
fn what_is_to_be_alone_shares_no_jvm_with_others() {
    let cases = vec![case(Some("S"), vec![checkpoint()], &[], Sharing::Scenario); 4];
    let limits = Limits { alone: &BTreeSet::from([1, 3]), ..Limits::FEW };
    assert_eq!(together(&schedule(&cases, &[0, 1, 2, 3], &offer(), limits)), [vec![0, 2], vec![1], vec![3]]);
}

#[test]
fn a_case_of_several_runs_has_a_jvm_to_itself() {
    let other = case(Some("S"), vec![checkpoint()], &[], Sharing::Scenario);
    let repeated = Case { repeats: 99, ..other.clone() };
    let schedule = schedule(&[other.clone(), repeated, other], &[0, 1, 2], &offer(), Limits::STANDARD);
    assert_eq!(together(&schedule), [vec![0, 2], vec![1; 100]]);
    assert_eq!(schedule.launches[1].scenario_runs.len(), 100);
    assert_eq!(schedule.launches[1].distinct_cases().len(), 1);
}

#[test]
fn a_case_that_cannot_run_again_in_the_same_jvm_runs_once() {
    let offer = Offer { exclusive: offer().on_load, live: BTreeSet::new(), ..offer() };
    let made = |environments: usize| {
        let mut case = case(Some("S"), vec![checkpoint()], &["can_suspend"], Sharing::Scenario);
        case.environments = vec![case.environments[0].clone(); environments];
        Case { repeats: 9, ..case }
    };
    let runs = |case| schedule(&[case], &[0], &offer, Limits::STANDARD).launches[0].cases.len();
    assert_eq!(runs(made(1)), 10, "the environment passes from run to run");
    assert_eq!(runs(made(2)), 1);
}

fn any_case() -> impl Strategy<Value = Case> {
    let scenario = prop_oneof![Just(None), Just(Some("A")), Just(Some("B"))];
    let trigger = prop_oneof![
        Just(Trigger::OnLoad),
        Just(Trigger::VmInit),
        Just(Trigger::RunBegin),
        Just(checkpoint()),
        Just(Trigger::VmDeath)
    ];
    let capabilities = proptest::sample::subsequence(CAPABILITIES.to_vec(), 0..3);
    let sharing =
        prop_oneof![3 => Just(Sharing::Scenario), 1 => Just(Sharing::Jvm), 1 => Just(Sharing::Nothing)];
    (scenario, proptest::collection::vec(trigger, 0..3), capabilities, sharing).prop_map(
        |(scenario, triggers, capabilities, sharing)| case(scenario, triggers, &capabilities, sharing),
    )
}

proptest! {
    #[test]
    fn every_case_is_scheduled_once_and_never_beside_a_rival(
        cases in proptest::collection::vec(any_case(), 0..40),
        jobs in 1usize..5,
    ) {
        let wanted: Vec<usize> = (0..cases.len()).collect();
        let schedule = schedule(&cases, &wanted, &offer(), Limits { jobs, ..Limits::STANDARD });
        let mut seen: Vec<usize> = schedule.inapplicable.iter().map(|(index, _)| *index).collect();
        for launch in &schedule.launches {
            seen.extend(launch.cases.iter().map(|entry| entry.case));
            let alone = launch.cases.iter().any(|e| cases[e.case].sharing == Sharing::Nothing);
            prop_assert!(!alone || launch.cases.len() == 1);
            let holds = |e: &launches::Entry, from: &[Made]| {
                cases[e.case].environments[0].capabilities.iter().any(|c| c == "can_suspend") && from.contains(&e.timings[0].made)
            };
            let from_start: Vec<_> = launch.cases.iter().filter(|e| holds(e, &[Made::OnLoad, Made::VmInit])).collect();
            let later = launch.cases.iter().filter(|e| holds(e, &[Made::ScenarioRun, Made::FirstStep])).count();
            prop_assert!(from_start.len() <= 1);
            prop_assert!(from_start.is_empty() || later == 0);
            for scenario_run in 0..launch.scenario_runs.len() as u32 {
                let here: Vec<_> = launch.cases.iter().filter(|e| e.scenario_run == Some(scenario_run)).collect();
                let lasting = here.iter().filter(|e| holds(e, &[Made::ScenarioRun])).count();
                let passing = here.iter().filter(|e| holds(e, &[Made::FirstStep])).count();
                prop_assert!(lasting <= 1 && (lasting == 0 || passing == 0));
                prop_assert!(here.iter().all(|e| cases[e.case].scenario.as_deref() == Some(&launch.scenario_runs[scenario_run as usize])));
            }
        }
        seen.sort_unstable();
        prop_assert_eq!(seen, wanted);
    }
}

#[test]
fn cases_share_a_jvm_if_agents_get_into_it_in_the_same_way() {
    let life = |option: &str| Some(Life { options: vec![option.to_owned()], ..Life::default() });
    let with = |life, sharing| Case { life, ..case(None, vec![Trigger::VmInit], &[], sharing) };
    let cases = [
        with(life("-a"), Sharing::Scenario),
        with(life("-b"), Sharing::Scenario),
        with(life("-a"), Sharing::Scenario),
        with(life("-a"), Sharing::Nothing),
        with(None, Sharing::Scenario),
    ];
    let schedule = schedule(&cases, &[0, 1, 2, 3, 4], &offer(), Limits::FEW);
    let of = |launch: &Launch| launch.cases.iter().map(|entry| entry.case).collect::<Vec<_>>();
    let mut together: Vec<Vec<usize>> = schedule.launches.iter().map(of).collect();
    together.sort();
    assert_eq!(together, [vec![0, 2], vec![1], vec![3], vec![4]]);
}

#[test]
fn environments_whose_capabilities_cannot_be_had_again_pass_from_case_to_case() {
    let holder = |capabilities: &[&str]| case(Some("S"), vec![checkpoint()], capabilities, Sharing::Jvm);
    let cases = [
        holder(&["can_suspend", "can_pop_frame"]),
        holder(&["can_suspend", "can_pop_frame"]),
        holder(&["can_pop_frame"]),
        holder(&["can_suspend", "can_pop_frame", "can_tag_objects"]),
    ];
    let schedule = schedule(&cases, &[0, 1, 2, 3], &offer(), Limits::FEW);
    let entries = |launch: &Launch| {
        launch.cases.iter().map(|e| (e.case, e.timings[0].made, e.chain)).collect::<Vec<_>>()
    };
    let mut all: Vec<_> = schedule.launches.iter().map(entries).collect();
    all.sort_by_key(|entries| entries[0].0);
    // Tags would stay; and what is not exclusive needs no chain.
    assert_eq!(
        all,
        [
            vec![(0, Made::OnLoad, Some(0)), (1, Made::Inherited, Some(0)), (2, Made::OnLoad, None)],
            vec![(3, Made::OnLoad, None)]
        ]
    );
}

#[test]
fn cases_that_change_their_environment_for_good_are_in_no_chain() {
    let held = ["can_suspend", "can_pop_frame"];
    let disposing = Action::Dispose { environment: 0 };
    for (action, sharing) in [(None, Sharing::Nothing), (Some(disposing), Sharing::Jvm)] {
        let mut one = case(Some("S"), vec![checkpoint()], &held, sharing);
        for step in &mut one.steps {
            step.plan.action = action.clone().unwrap_or_else(|| step.plan.action.clone());
        }
        assert_eq!(place(&one, &offer()).unwrap().link, None);
    }
    let late = case(Some("S"), vec![Trigger::VmDeath], &held, Sharing::Jvm);
    assert_eq!(place(&late, &offer()).unwrap().link, None);
    let ordinary = case(Some("S"), vec![checkpoint()], &held, Sharing::Jvm);
    assert!(place(&ordinary, &offer()).unwrap().link.is_some());
}

#[test]
fn cases_that_are_apart_share_a_jvm_among_themselves() {
    let of = |apart: Option<&str>| Case {
        apart: apart.map(str::to_owned),
        ..case(Some("S"), vec![checkpoint()], &[], Sharing::Jvm)
    };
    let cases = [of(None), of(Some("a")), of(Some("b")), of(Some("a"))];
    let schedule = schedule(&cases, &[0, 1, 2, 3], &offer(), Limits::FEW);
    let of = |launch: &Launch| launch.cases.iter().map(|entry| entry.case).collect::<Vec<_>>();
    let mut together: Vec<Vec<usize>> = schedule.launches.iter().map(of).collect();
    together.sort();
    assert_eq!(together, [vec![0], vec![1, 3], vec![2]]);
}

#[test]
fn cases_with_indices_in_bytecode_do_not_apply_to_other_locations() {
    let mut case = case(None, vec![Trigger::VmInit], &[], Sharing::Scenario);
    case.bytecode_indices = true;
    let other = Offer { other_locations: true, ..offer() };
    assert!(placement::place(&case, &offer()).is_ok());
    assert_eq!(placement::place(&case, &other), Err(Unavailable::Locations));
}

#[test]
fn a_jvm_with_hundreds_of_cases_that_get_events_asks_for_less_than_a_gigabyte() {
    let of = |count: usize| {
        let mut hot = case(Some("S"), vec![Trigger::RunBegin], &[], Sharing::Scenario);
        hot.environments[0].events = vec!["MethodEntry".to_owned()];
        let cases = vec![hot; count];
        let all: Vec<usize> = (0..count).collect();
        let schedule = schedule(&cases, &all, &offer(), Limits::STANDARD);
        schedule.launches.iter().map(|launch| launch.capacity(&cases)).max().unwrap_or_default()
    };
    assert_eq!(of(8) - of(7), 16 << 20);
    assert_eq!(of(10) - of(9), 512 << 10);
    assert!(of(640) < 1 << 30, "{}", of(640));
}
