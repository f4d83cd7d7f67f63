//! Settles what a finding takes: its sequence alone, others before it in the same JVM, or chance.

use crate::finding::{Finding, Key};
use crate::launches::Trouble;
use crate::model::Tables;
use crate::sequence::Sequence;
use crate::shrink::{IsOver, Judge, RUNS, Shown, rate, shrink};

/// Sequences that run after others, each time in another JVM.
struct After<'a, J> {
    judge: &'a J,
    before: &'a [Sequence],
}

impl<J: Judge> Judge for After<'_, J> {
    fn tables(&self) -> &Tables {
        self.judge.tables()
    }

    fn first_that_shows(&self, sequences: &[Sequence], key: &Key) -> Result<Shown, Trouble> {
        for sequence in sequences {
            let mut all = self.before.to_vec();
            all.push(sequence.clone());
            let shown = self.judge.first_that_shows(&all, key)?.filter(|(which, ..)| which == sequence);
            if shown.is_some() {
                return Ok(shown);
            }
        }
        Ok(None)
    }
}

/// The finding with the shortest sequence that shows it, and the fewest of those that ran `before` in the same JVM. If it does not
/// show again, its rate says so.
pub fn settle(
    judge: &impl Judge,
    finding: Finding,
    before: &[Sequence],
    is_over: IsOver<'_>,
) -> Result<Finding, Trouble> {
    let alone = rate(judge, &finding, RUNS)?;
    if alone.0 > 0 {
        return shrink(judge, finding, is_over);
    }
    let (needed, runs) = needed(judge, &finding, before, is_over)?;
    let Some(needed) = needed else {
        return Ok(Finding { rate: (0, alone.1 + runs), ..finding });
    };
    let after = After { judge, before: &needed };
    let shrunk = shrink(&after, finding, is_over)?;
    Ok(Finding { before: needed, ..shrunk })
}

/// The sequences without which the finding does not show; `None`: it does not show after all of them. With the number of runs.
fn needed(
    judge: &impl Judge,
    finding: &Finding,
    before: &[Sequence],
    is_over: IsOver<'_>,
) -> Result<(Option<Vec<Sequence>>, u32), Trouble> {
    let shows = |some: &[Sequence]| -> Result<bool, Trouble> {
        let one = std::slice::from_ref(&finding.sequence);
        Ok(After { judge, before: some }.first_that_shows(one, &finding.key)?.is_some())
    };
    if before.is_empty() || is_over() {
        return Ok((None, 0));
    }
    if !shows(before)? {
        return Ok((None, 1));
    }
    let mut left = before.to_vec();
    let mut size = left.len().div_ceil(2);
    while size > 0 && !is_over() {
        let mut start = 0;
        while start < left.len() && !is_over() {
            let mut fewer = left.clone();
            fewer.drain(start..(start + size).min(left.len()));
            if shows(&fewer)? {
                left = fewer;
            } else {
                start += size;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    Ok((Some(left), 1))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use jvmti_spec::Release;

    use super::*;
    use crate::finding::Kind;
    use crate::sequence::Move;

    /// A JVM in which `load` hangs after `start` in an earlier sequence; or only once.
    struct Fake {
        tables: Tables,
        left: Cell<u32>,
    }

    fn of(action: &'static str) -> Sequence {
        Sequence { environments: vec![0], steps: vec![Move::Java(action)], ..Sequence::default() }
    }

    impl Judge for Fake {
        fn tables(&self) -> &Tables {
            &self.tables
        }

        fn first_that_shows(&self, sequences: &[Sequence], _: &Key) -> Result<Shown, Trouble> {
            let place = |action| sequences.iter().position(|sequence| *sequence == of(action));
            let shows = place("start").zip(place("load")).is_some_and(|(first, second)| first < second);
            if !shows || self.left.get() == 0 {
                return Ok(None);
            }
            self.left.set(self.left.get() - 1);
            Ok(Some((of("load"), Kind::Hang, 0.into())))
        }
    }

    fn settled(left: u32) -> Finding {
        let fake = Fake { tables: Tables::new(Release(17)), left: Cell::new(left) };
        let key = Key { what: "Java load".to_owned(), did: "hung".to_owned(), permitted: false };
        let (kind, place, before) = (Kind::Hang, 0.into(), vec![]);
        let finding = Finding { key, kind, sequence: of("load"), before, place, rate: (0, 0), times: 1 };
        let earlier = ["fields", "start", "call", "fling", "pause"].map(of);
        settle(&fake, finding, &earlier, &|| false).unwrap()
    }

    #[test]
    fn the_sequences_that_have_to_come_before_are_told() {
        let finding = settled(u32::MAX);
        assert_eq!(finding.before, [of("start")]);
        assert_eq!((finding.sequence, finding.rate), (of("load"), (3, 3)));
    }

    #[test]
    fn what_does_not_show_again_is_told_as_such() {
        let finding = settled(0);
        assert_eq!((finding.before, finding.rate), (vec![], (0, 4)));
    }
}
