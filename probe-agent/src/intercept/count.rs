//! Counts the calls of a call site or the callbacks of an event, and decides which ones the probe records.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The number of calls or callbacks so far.
#[derive(Debug)]
pub struct Count {
    seen: AtomicU64,
    /// The number of those that the probe recorded although it had only counted them, and of those that were not made.
    extra: AtomicU64,
}

/// Of so many that are counted, one is measured. A power of two.
const MEASURED: u64 = 256;

/// What the probe does with a sampled call or callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Record it.
    Record,
    /// Record it, and then the number of those that were only counted.
    Report,
    /// Count it.
    Count,
    /// Count it, and measure how long that takes.
    Measure,
}

impl Count {
    /// A count of 0.
    pub const fn new() -> Count {
        Count { seen: AtomicU64::new(0), extra: AtomicU64::new(0) }
    }

    /// Counts one more. `most` is a power of two.
    #[inline]
    pub fn next(&self, most: u64) -> Decision {
        Count::decision(self.seen.fetch_add(1, Ordering::Relaxed), most)
    }

    /// What is done with the one that comes after so many.
    #[inline]
    fn decision(before: u64, most: u64) -> Decision {
        match before {
            _ if before < most => Decision::Record,
            _ if before & (most - 1) == 0 => Decision::Report,
            _ if before & (MEASURED - 1) == MEASURED / 2 + 1 => Decision::Measure,
            _ => Decision::Count,
        }
    }

    /// Counts at once all that follow, up to the next one that is not only to be counted. The result is where these end, and how
    /// many they are. None: the next one is of another kind, or somebody else counts at this moment.
    pub fn take(&self, most: u64) -> (u64, u32) {
        let before = self.seen.load(Ordering::Relaxed);
        if before < most || !matches!(Count::decision(before, most), Decision::Count) {
            return (before, 0);
        }
        let report = (before | (most - 1)) + 1;
        let past = before.wrapping_sub(MEASURED / 2 + 1) | (MEASURED - 1);
        let measured = past.wrapping_add(1 + MEASURED / 2 + 1);
        let next = report.min(measured);
        match self.seen.compare_exchange(before, next, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => (next, u32::try_from(next - before).unwrap_or(0)),
            Err(now) => (now, 0),
        }
    }

    /// So many of those that [`take`](Count::take) has counted, up to that end, were not made. If nobody has counted since, they
    /// are the next ones again, so that the probe does not record one of the calls too early.
    pub fn give_back(&self, end: u64, many: u32) {
        let many = u64::from(many);
        let rewound =
            self.seen.compare_exchange(end, end.saturating_sub(many), Ordering::Relaxed, Ordering::Relaxed);
        if many > 0 && rewound.is_err() {
            self.extra.fetch_add(many, Ordering::Relaxed);
        }
    }

    /// The probe has recorded a call or callback that it had counted.
    pub fn recorded(&self) {
        self.extra.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of calls or callbacks so far that were not recorded.
    pub fn counted(&self, most: u64) -> u64 {
        let later = self.seen.load(Ordering::Relaxed).saturating_sub(most);
        (later - later.div_ceil(most)).saturating_sub(self.extra.load(Ordering::Relaxed))
    }
}

/// Takes one of so many; gives how many were taken before. `None`: all are. Bits that are not in `mask` tell something else.
#[inline]
pub fn take(taken: &AtomicU32, mask: u32, most: u32) -> Option<u32> {
    let before = |taken: u32| Some(taken & mask).filter(|before| *before < most);
    // A number that has been reached is not written again.
    before(taken.load(Ordering::Relaxed)).and_then(|_| before(taken.fetch_add(1, Ordering::Relaxed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_recorded_is_counted() {
        for most in [1, 2, 8, 64] {
            let count = Count::new();
            let mut counted = 0;
            for _ in 0..1000 {
                counted += u64::from(matches!(count.next(most), Decision::Count | Decision::Measure));
                assert_eq!(count.counted(most), counted);
            }
            count.recorded();
            assert_eq!(count.counted(most), counted.saturating_sub(1));
        }
    }

    #[test]
    fn taken_at_once_are_only_those_that_are_only_counted() {
        for most in [1, 2, 8, 64, 256, 4096] {
            let (count, one_by_one) = (Count::new(), Count::new());
            for turn in 0..20_000 {
                let decision = count.next(most);
                assert_eq!(decision, one_by_one.next(most));
                if turn % 3 == 0 {
                    let (_, taken) = count.take(most);
                    for _ in 0..taken {
                        assert_eq!(one_by_one.next(most), Decision::Count);
                    }
                    assert!(taken == 0 || one_by_one.decision_of_next(most) != Decision::Count);
                }
            }
            assert_eq!(count.counted(most), one_by_one.counted(most));
        }
    }

    #[test]
    fn what_is_given_back_is_counted_again() {
        for most in [1, 2, 8, 64, 256, 4096] {
            let (count, one_by_one) = (Count::new(), Count::new());
            for turn in 0..20_000 {
                assert_eq!(count.next(most), one_by_one.next(most));
                let (end, taken) = count.take(most);
                let made = taken.min(turn % 5);
                for _ in 0..made {
                    assert_eq!(one_by_one.next(most), Decision::Count);
                }
                count.give_back(end, taken - made);
                assert_eq!(count.counted(most), one_by_one.counted(most));
            }
        }
    }

    #[test]
    fn what_others_count_meanwhile_stays() {
        let count = Count::new();
        (0..9).for_each(|_| _ = count.next(8));
        let (end, taken) = count.take(8);
        assert_eq!((end, taken), (16, 7));
        assert_eq!(count.next(8), Decision::Report);
        count.give_back(end, 5);
        assert_eq!((count.counted(8), count.next(8)), (2, Decision::Count));
    }

    impl Count {
        fn decision_of_next(&self, most: u64) -> Decision {
            Count::decision(self.seen.load(Ordering::Relaxed), most)
        }
    }

    #[test]
    fn the_first_ones_and_one_in_so_many_are_recorded() {
        let count = Count::new();
        let turns: Vec<Decision> = (0..13).map(|_| count.next(4)).collect();
        assert!(turns[..4].iter().all(|turn| *turn == Decision::Record));
        let told: Vec<usize> = (0..13).filter(|i| turns[*i] == Decision::Report).collect();
        assert_eq!(told, [4, 8, 12]);
    }
}
