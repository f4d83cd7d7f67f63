//! Which cases of many suffice to test every statement that all of them test, at little cost.
//!
//! The choice is greedy: again and again the case that tests most new statements for its time, which depends on what has
//! been chosen before. A case is cheap if its JVM and the run of its scenario are needed anyway.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use jvmti_cases::model::Case;

use super::Offer;
use super::launches::{self, WORTH_A_JVM};
use super::placement;
use super::scenario_runs::{self, OF_SCENARIO, OF_STEP};

/// What it takes to find out again that a case crashes the JVM or makes it hang, in the unit of
/// [`ScenarioRun::cost`](super::scenario_runs::ScenarioRun::cost).
const OF_FATAL: u64 = 100 * WORTH_A_JVM;
/// How many times as much a case may cost that may turn out to be inapplicable.
const OF_DOUBT: u64 = 4;

/// Indices of cases that test each statement which any of them tests on a JVM that offers this. Cases that are known to be
/// `fatal` to it are among them only if no other case tests one of their statements.
pub fn cover(cases: &[Case], offer: &Offer, fatal: &BTreeSet<usize>) -> Vec<usize> {
    let placeable = (0..cases.len()).filter(|&index| placement::place(&cases[index], offer).is_ok());
    let mut choice = Choice::of(cases, placeable, fatal);
    while choice.next() {}
    choice.chosen.into_iter().collect()
}

/// What cases share a JVM by: options, whether it may crash, and the name of those that are apart.
type Jvm<'c> = (&'c [String], bool, Option<&'c str>);

struct Choice<'c> {
    cases: &'c [Case],
    fatal: &'c BTreeSet<usize>,
    /// The statements of each case, as numbers.
    statements: BTreeMap<usize, Vec<usize>>,
    /// The cases that each run of a scenario is shared by.
    sharing: BTreeMap<(Jvm<'c>, &'c str), Vec<usize>>,
    is_tested: Vec<bool>,
    jvms: BTreeSet<Jvm<'c>>,
    scenarios: BTreeSet<(Jvm<'c>, &'c str)>,
    chosen: BTreeSet<usize>,
    /// The cases that are left, with a bound of their worth; the first of equal ones comes first.
    left: BinaryHeap<(u64, Reverse<usize>)>,
}

impl<'c> Choice<'c> {
    fn of(cases: &'c [Case], placeable: impl Iterator<Item = usize>, fatal: &'c BTreeSet<usize>) -> Self {
        let mut numbers = BTreeMap::new();
        let mut statements = BTreeMap::new();
        let mut sharing: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for index in placeable {
            let number = |statement| {
                let next = numbers.len();
                *numbers.entry(statement).or_insert(next)
            };
            let cited: BTreeSet<usize> = cases[index].citations().map(number).collect();
            statements.insert(index, cited.into_iter().collect());
            if let Some(scenario) = shared_scenario(&cases[index]) {
                sharing.entry((jvm(&cases[index]), scenario)).or_default().push(index);
            }
        }
        let is_tested = vec![false; numbers.len()];
        let (jvms, scenarios, chosen) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let left = BinaryHeap::new();
        let mut choice =
            Choice { cases, fatal, statements, sharing, is_tested, jvms, scenarios, chosen, left };
        let all: Vec<usize> = choice.statements.keys().copied().collect();
        choice.weigh(all);
        choice
    }

    /// Chooses the most worthy case, unless no case tests anything new.
    fn next(&mut self) -> bool {
        while let Some((bound, Reverse(index))) = self.left.pop() {
            let worth = self.worth(index);
            if worth == 0 || self.chosen.contains(&index) {
                continue;
            }
            // What was chosen meanwhile tests some of its statements.
            if worth < bound {
                self.left.push((worth, Reverse(index)));
                continue;
            }
            self.choose(index);
            return true;
        }
        false
    }

    fn choose(&mut self, index: usize) {
        self.chosen.insert(index);
        self.statements[&index].iter().for_each(|&statement| self.is_tested[statement] = true);
        let case = &self.cases[index];
        if has_its_own_jvm(case, self.fatal.contains(&index)) {
            return;
        }
        let jvm = jvm(case);
        let is_first = self.jvms.insert(jvm);
        let run = shared_scenario(case).map(|scenario| (jvm, scenario));
        let is_new = run.is_some_and(|run| self.scenarios.insert(run));
        if is_first {
            let left: BTreeSet<usize> = self.left.drain().map(|(_, Reverse(other))| other).collect();
            self.weigh(left);
        } else if let Some(run) = run.filter(|_| is_new) {
            self.weigh(self.sharing[&run].clone());
        }
    }

    /// Adds these cases to what is left, with their present worth.
    fn weigh(&mut self, indices: impl IntoIterator<Item = usize>) {
        for index in indices {
            self.left.push((self.worth(index), Reverse(index)));
        }
    }

    /// Untested statements for the time that the case takes.
    fn worth(&self, index: usize) -> u64 {
        let untested = self.statements[&index].iter().filter(|&&statement| !self.is_tested[statement]);
        untested.count() as u64 * 1_000_000_000 / self.cost(index)
    }

    fn cost(&self, index: usize) -> u64 {
        let case = &self.cases[index];
        let is_fatal = self.fatal.contains(&index);
        let is_alone = has_its_own_jvm(case, is_fatal);
        let start = if !is_alone && self.jvms.contains(&jvm(case)) { 0 } else { WORTH_A_JVM };
        let run = shared_scenario(case).map(|scenario| (jvm(case), scenario));
        let is_run_anyway = !is_alone && run.is_some_and(|run| self.scenarios.contains(&run));
        let scenario = if case.scenario.is_none() || is_run_anyway { 0 } else { OF_SCENARIO };
        let runs = u64::from(case.repeats) + 1;
        let time = start + runs * (scenario + OF_STEP * (case.steps.len() as u64 + 1));
        let is_doubtful = !case.occasion.is_empty() || !case.awaited.is_empty();
        time * if is_doubtful { OF_DOUBT } else { 1 } + if is_fatal { OF_FATAL } else { 0 }
    }
}

fn jvm(case: &Case) -> Jvm<'_> {
    (&case.vm_options, case.undefined, case.apart.as_deref())
}

fn has_its_own_jvm(case: &Case, is_fatal: bool) -> bool {
    launches::needs_its_own_jvm(case) || case.life.is_some() || is_fatal
}

/// The scenario that the case runs together with others.
fn shared_scenario(case: &Case) -> Option<&str> {
    case.scenario.as_deref().filter(|_| !scenario_runs::needs_its_own_run(case))
}

#[cfg(test)]
mod tests {
    use jvmti_cases::model::{Life, Sharing};
    use proptest::prelude::*;

    use super::*;
    use crate::plan::tests;

    fn case(cites: &[&str]) -> Case {
        Case { cites: cites.iter().map(|s| s.to_string()).collect(), ..Case::default() }
    }

    fn covered(cases: &[Case], fatal: &[usize]) -> Vec<usize> {
        cover(cases, &Offer::default(), &fatal.iter().copied().collect())
    }

    #[test]
    fn one_case_is_enough_for_what_it_tests() {
        assert_eq!(covered(&[case(&["a"]), case(&["a", "b"]), case(&["b"])], &[]), [1]);
    }

    #[test]
    fn cases_that_share_a_jvm_come_before_one_that_needs_another() {
        let ends = Case { life: Some(Life::default()), ..case(&["a", "b"]) };
        let all = [ends, case(&["a"]), case(&["b"]), case(&["c", "d", "e"])];
        assert_eq!(covered(&all, &[]), [1, 2, 3]);
        assert_eq!(covered(&all[..2], &[]), [0]);
    }

    #[test]
    fn a_scenario_that_runs_anyway_makes_cases_cheap() {
        let of = |scenario: &str, cites| Case { scenario: Some(scenario.to_owned()), ..case(cites) };
        let cases = [of("Other", &["b"]), of("Busy", &["a", "c", "d"]), of("Busy", &["b"])];
        assert_eq!(covered(&cases, &[]), [1, 2]);
    }

    #[test]
    fn what_is_known_to_end_the_jvm_runs_only_if_nothing_else_tests_the_statement() {
        let cases = [case(&["a", "b"]), case(&["a"]), case(&["b"])];
        assert_eq!(covered(&cases, &[0]), [1, 2]);
        assert_eq!(covered(&cases[..2], &[0]), [0, 1]);
    }

    #[test]
    fn what_may_be_inapplicable_comes_last() {
        let doubtful = Case { awaited: vec![0], ..case(&["a"]) };
        assert_eq!(covered(&[doubtful, case(&["a"])], &[]), [1]);
    }

    fn any_case() -> impl Strategy<Value = Case> {
        let cites = proptest::collection::vec("[a-h]", 0..4);
        let scenario = proptest::option::of(proptest::sample::select(vec!["S", "T"]));
        let sharing = proptest::sample::select(vec![Sharing::Scenario, Sharing::Jvm, Sharing::Nothing]);
        let capabilities = proptest::sample::subsequence(vec!["can_fly"], 0..=1);
        (cites, scenario, sharing, capabilities).prop_map(|(cites, scenario, sharing, capabilities)| Case {
            cites,
            ..tests::case(scenario, vec![], &capabilities, sharing)
        })
    }

    proptest! {
        #[test]
        fn every_statement_is_tested_by_a_case_that_can_run(
            cases in proptest::collection::vec(any_case(), 0..40),
            fatal in proptest::collection::btree_set(0usize..40, 0..5),
        ) {
            let offer = Offer::default();
            let chosen = cover(&cases, &offer, &fatal);
            let can_run = |index: &usize| placement::place(&cases[*index], &offer).is_ok();
            prop_assert!(chosen.iter().all(can_run));
            let cited = |indices: &[usize]| -> BTreeSet<String> {
                indices.iter().flat_map(|&index| cases[index].citations()).map(str::to_owned).collect()
            };
            let able: Vec<usize> = (0..cases.len()).filter(can_run).collect();
            prop_assert_eq!(cited(&chosen), cited(&able));
            prop_assert!(chosen.len() <= cited(&able).len());
        }
    }
}
