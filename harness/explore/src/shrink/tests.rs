use std::cell::Cell;

use jvmti_spec::Release;
use jvmti_wire::plan::Arg;
use proptest::prelude::*;

use super::*;
use crate::coverage::Reached;
use crate::generate::{Generator, Offered};
use crate::sequence::Moment;

/// A JVM that crashes in the last call of these functions, if all have been called in that order and the first of them with a
/// number of more than 1.
struct Fake {
    tables: Tables,
    functions: Vec<u16>,
    trials: Cell<usize>,
}

impl Fake {
    fn new(names: &[&str]) -> Fake {
        let tables = Tables::new(Release(25));
        let functions = names.iter().map(|name| tables.edition.function(name).unwrap().slot).collect();
        Fake { tables, functions, trials: Cell::new(0) }
    }

    fn crashes_at(&self, sequence: &Sequence) -> Option<usize> {
        let mut left = self.functions.as_slice();
        for (place, call) in sequence.calls() {
            let numbers = call.args.iter().any(|arg| matches!(arg, Arg::Int(number) if *number > 1));
            if left.first() == Some(&call.function) && (left.len() < self.functions.len() || numbers) {
                left = &left[1..];
            }
            if left.is_empty() {
                return Some(place);
            }
        }
        None
    }

    fn key(&self) -> Key {
        Key { what: "it".to_owned(), did: "crashed".to_owned(), permitted: false }
    }

    fn finding(&self, sequence: Sequence) -> Option<Finding> {
        let step = self.crashes_at(&sequence)?;
        let kind = Kind::Crash { how: String::new() };
        let place = step.into();
        Some(Finding { key: self.key(), kind, sequence, before: vec![], place, rate: (0, 0), times: 1 })
    }
}

impl Judge for Fake {
    fn tables(&self) -> &Tables {
        &self.tables
    }

    fn first_that_shows(&self, sequences: &[Sequence], _: &Key) -> Result<Shown, Trouble> {
        self.trials.set(self.trials.get() + sequences.len());
        let shown = |sequence: &Sequence| {
            let step = self.crashes_at(sequence)?;
            Some((sequence.clone(), Kind::Crash { how: String::new() }, step.into()))
        };
        Ok(sequences.iter().find_map(shown))
    }
}

fn call(fake: &Fake, name: &str, args: Vec<Arg>) -> Move {
    let function = fake.tables.edition.function(name).unwrap().slot;
    Move::Call(crate::sequence::Call { environment: 0, function, args, on: OnThread::Attached, save: None })
}

#[test]
fn only_what_shows_the_finding_is_left() {
    let fake = Fake::new(&["GetErrorName", "GetPhase"]);
    let idle = || call(&fake, "GetTime", vec![Arg::Storage]);
    let steps = vec![
        idle(),
        Move::Java("load"),
        call(&fake, "GetErrorName", vec![Arg::Int(0x4000_0000), Arg::Storage]),
        idle(),
        idle(),
        call(&fake, "GetPhase", vec![Arg::Storage]),
        idle(),
    ];
    let sequence = Sequence { environments: vec![u128::MAX, 0], steps, ..Sequence::default() };
    let shrunk = shrink(&fake, fake.finding(sequence).unwrap(), &|| false).unwrap();
    assert_eq!(shrunk.sequence.environments, [0]);
    assert_eq!((shrunk.sequence.steps.len(), shrunk.place.step, shrunk.rate), (2, 1, (3, 3)));
    let ons: Vec<OnThread> = shrunk.sequence.calls().map(|(_, call)| call.on).collect();
    assert_eq!(ons, [OnThread::Current; 2]);
}

#[test]
fn nothing_is_tried_once_the_time_is_over() {
    let fake = Fake::new(&["GetPhase"]);
    let step = || call(&fake, "GetPhase", vec![Arg::Int(2)]);
    let sequence = Sequence { environments: vec![0], steps: vec![step(), step()], ..Sequence::default() };
    let shrunk = shrink(&fake, fake.finding(sequence.clone()).unwrap(), &|| true).unwrap();
    assert_eq!(shrunk.sequence, sequence);
    // Only its rate is told.
    assert_eq!(fake.trials.get(), RUNS as usize);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// What is left always shows the finding, and never is longer.
    #[test]
    fn shrinking_keeps_the_finding(seed in any::<u64>(), first in 0usize..16, second in 0usize..16) {
        let tables = Tables::new(Release(25));
        let generator = Generator::new(&tables, Offered::default(), &[], false, seed);
        let sequence = generator.sequence(seed, Moment::Checkpoint, &Reached::default());
        let called: Vec<u16> = sequence.calls().map(|(_, call)| call.function).collect();
        prop_assume!(!called.is_empty());
        let (first, second) = (first % called.len(), second % called.len());
        let functions = vec![called[first.min(second)], called[first.max(second)]];
        let fake = Fake { tables: Tables::new(Release(25)), functions, trials: Cell::new(0) };
        let Some(finding) = fake.finding(sequence.clone()) else { return Ok(()) };
        let shrunk = shrink(&fake, finding, &|| false).unwrap();
        prop_assert_eq!(fake.crashes_at(&shrunk.sequence), Some(shrunk.place.step));
        prop_assert_eq!(shrunk.sequence.steps.len(), 2);
        // A second time there is nothing left to remove.
        let again = shrink(&fake, shrunk.clone(), &|| false).unwrap();
        prop_assert_eq!(again.sequence, shrunk.sequence);
    }
}
