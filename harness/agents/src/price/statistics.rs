//! Decides whether the times of two kinds of runs differ by more than chance.

/// A difference is significant if the probability that chance alone makes it is below this.
pub const CHANCE: f64 = 0.001;

/// The times of the runs of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// Adds the time of one more run.
    pub fn add(&mut self, value: f64) {
        self.0.push(value);
    }

    /// All times, in the order in which they were added.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// The median; 0 if there are no values.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The lower and the upper quartile, between which the middle half of the values lies.
    pub fn quartiles(&self) -> (f64, f64) {
        (self.quantile(0.25), self.quantile(0.75))
    }

    /// Half the distance between the quartiles, divided by the median.
    pub fn spread(&self) -> f64 {
        let (low, high) = self.quartiles();
        let median = self.median();
        if median > 0.0 { (high - low) / 2.0 / median } else { 0.0 }
    }

    /// The value below which that share of all values lies, interpolated between the two nearest.
    fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let place = share * sorted.len().saturating_sub(1) as f64;
        let at = |index: f64| sorted.get(index as usize).copied().unwrap_or(0.0);
        let (below, above) = (at(place.floor()), at(place.ceil()));
        below + (above - below) * place.fract()
    }
}

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Sample {
        Sample(values.into_iter().collect())
    }
}

/// The result of a comparison of two kinds of runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MedianDifference {
    /// They differ: the second median divided by the first.
    Seen(f64),
    /// Chance alone may make the difference.
    NoneSeen,
    /// There are too few runs for any difference to be significant.
    TooFew,
}

/// Compares two kinds of runs.
pub fn difference(without: &Sample, with: &Sample) -> MedianDifference {
    let apart = |first: f64, count: usize| (0..count).map(move |i| first + i as f64).collect::<Vec<_>>();
    let (n, m) = (without.0.len(), with.0.len());
    if chance(&apart(0.0, n), &apart(n as f64, m)) >= CHANCE {
        return MedianDifference::TooFew;
    }
    match chance(&without.0, &with.0) < CHANCE {
        true => MedianDifference::Seen(with.median() / without.median()),
        false => MedianDifference::NoneSeen,
    }
}

/// The probability that chance alone separates two groups of these sizes at least as far, in either direction: the exact
/// rank sum test of Wilcoxon, Mann and Whitney, in which equal values share their ranks.
pub fn chance(a: &[f64], b: &[f64]) -> f64 {
    let mut all: Vec<(f64, bool)> =
        a.iter().map(|value| (*value, true)).chain(b.iter().map(|value| (*value, false))).collect();
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    // Twice the rank, so that it is a whole number.
    let ranks: Vec<usize> = (all.iter())
        .map(|(value, _)| {
            let below = all.partition_point(|(other, _)| other < value);
            let up_to = all.partition_point(|(other, _)| other <= value);
            below + up_to + 1
        })
        .collect();
    let seen: usize = ranks.iter().zip(&all).filter(|(_, (_, of_a))| *of_a).map(|(rank, _)| rank).sum();
    // The number of ways in which so many of the values have that sum of ranks.
    let most: usize = ranks.iter().sum();
    let mut ways = vec![vec![0.0f64; most + 1]; a.len() + 1];
    ways[0][0] = 1.0;
    for rank in &ranks {
        for count in (1..=a.len()).rev() {
            let (fewer, more) = ways.split_at_mut(count);
            for sum in (*rank..=most).rev() {
                more[0][sum] += fewer[count - 1][sum - rank];
            }
        }
    }
    let mean = most as f64 * a.len() as f64 / all.len().max(1) as f64;
    let far = (seen as f64 - mean).abs() - 1e-6;
    let dealt = &ways[a.len()];
    let as_far = |(sum, _): &(usize, &f64)| (*sum as f64 - mean).abs() >= far;
    let extreme: f64 = dealt.iter().enumerate().filter(as_far).map(|(_, ways)| ways).sum();
    (extreme / dealt.iter().sum::<f64>()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn sample(values: &[f64]) -> Sample {
        values.iter().copied().collect()
    }

    #[test]
    fn the_middle_is_where_it_is() {
        let odd = sample(&[5.0, 1.0, 3.0]);
        assert_eq!((odd.median(), odd.quartiles()), (3.0, (2.0, 4.0)));
        assert_eq!(sample(&[4.0, 1.0]).median(), 2.5);
        assert!((odd.spread() - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!((Sample::default().median(), Sample::default().spread()), (0.0, 0.0));
    }

    #[test]
    fn chance_is_as_in_published_tables() {
        // 2 of the C(10, 5) = 252 ways to deal out ten values are as extreme.
        let apart = chance(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0, 7.0, 8.0, 9.0, 10.0]);
        assert!((apart - 2.0 / 252.0).abs() < 1e-12);
        // U = 2 of 5 and 5: 8 of 252.
        let near = chance(&[1.0, 2.0, 3.0, 4.0, 7.0], &[5.0, 6.0, 8.0, 9.0, 10.0]);
        assert!((near - 8.0 / 252.0).abs() < 1e-12, "{near}");
        assert_eq!(chance(&[1.0, 1.0], &[1.0, 1.0]), 1.0);
    }

    #[test]
    fn from_seven_rounds_on_something_can_be_said() {
        let runs = |from: f64, count: usize| (0..count).map(|i| from + i as f64).collect::<Sample>();
        assert_eq!(difference(&runs(10.0, 6), &runs(100.0, 6)), MedianDifference::TooFew);
        assert_eq!(difference(&runs(10.0, 7), &runs(100.0, 7)), MedianDifference::Seen(103.0 / 13.0));
        assert_eq!(difference(&Sample::default(), &Sample::default()), MedianDifference::TooFew);
        // One run that was disturbed neither makes a difference nor hides one.
        let mut disturbed = runs(10.0, 11);
        disturbed.add(1e9);
        assert_eq!(difference(&runs(10.0, 12), &disturbed), MedianDifference::NoneSeen);
        assert!(matches!(difference(&disturbed, &runs(100.0, 12)), MedianDifference::Seen(_)));
    }

    /// By going through all ways.
    fn by_hand(a: &[f64], b: &[f64]) -> f64 {
        let all: Vec<f64> = a.iter().chain(b).copied().collect();
        // How often the first group is above the second, less how often below.
        let above = |mask: u32| {
            let mut sum = 0i32;
            for i in (0..all.len()).filter(|i| mask >> i & 1 == 1) {
                for j in (0..all.len()).filter(|j| mask >> j & 1 == 0) {
                    sum += i32::from(all[i] > all[j]) - i32::from(all[i] < all[j]);
                }
            }
            sum.abs()
        };
        let seen = above((1 << a.len()) - 1);
        let ways: Vec<u32> = (0..1u32 << all.len()).filter(|m| m.count_ones() as usize == a.len()).collect();
        ways.iter().filter(|mask| above(**mask) >= seen).count() as f64 / ways.len() as f64
    }

    proptest! {
        #[test]
        fn chance_is_what_going_through_all_ways_gives(
            a in vec(0u8..6, 1..6), b in vec(0u8..6, 1..6),
        ) {
            let floats = |values: &[u8]| values.iter().map(|v| f64::from(*v)).collect::<Vec<_>>();
            let (a, b) = (floats(&a), floats(&b));
            let found = chance(&a, &b);
            prop_assert!((found - by_hand(&a, &b)).abs() < 1e-9, "{found}");
            prop_assert!((found - chance(&b, &a)).abs() < 1e-9);
        }

        #[test]
        fn the_unit_does_not_matter(
            a in vec(1.0f64..1e9, 7..12), b in vec(1.0f64..1e9, 7..12), unit in 1e-3f64..1e3,
        ) {
            let scaled = |values: &[f64]| values.iter().map(|value| value * unit).collect::<Vec<_>>();
            prop_assert!((chance(&a, &b) - chance(&scaled(&a), &scaled(&b))).abs() < 1e-9);
            let seen = difference(&sample(&a), &sample(&b));
            let seen_scaled = difference(&sample(&scaled(&a)), &sample(&scaled(&b)));
            match (seen, seen_scaled) {
                (MedianDifference::Seen(x), MedianDifference::Seen(y)) => prop_assert!((x / y - 1.0).abs() < 1e-9),
                (x, y) => prop_assert_eq!(x, y),
            }
        }

        #[test]
        fn the_median_lies_in_the_middle_half(values in vec(0.0f64..1e9, 1..40)) {
            let sample = sample(&values);
            let (low, high) = sample.quartiles();
            prop_assert!(low <= sample.median() && sample.median() <= high);
            let least = values.iter().copied().fold(f64::MAX, f64::min);
            prop_assert!(low >= least && high <= values.iter().copied().fold(0.0, f64::max));
        }
    }
}
