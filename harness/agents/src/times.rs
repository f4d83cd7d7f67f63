//! How long things took.

use hdrhistogram::Histogram;

/// Durations, in memory that does not grow with their number; what is read off them is right to two digits.
#[derive(Clone, Debug, PartialEq)]
pub struct Times(Histogram<u64>);

impl Default for Times {
    fn default() -> Times {
        // Two significant digits, from a nanosecond to what fits: this cannot fail.
        Times(Histogram::new(2).unwrap_or_else(|_| unreachable!("two digits are few enough")))
    }
}

impl Times {
    /// One more, in nanoseconds.
    pub fn add(&mut self, took: u64) {
        // It grows as it has to; what does not fit is centuries long.
        let _ = self.0.record(took.max(1));
    }

    /// Adds others.
    pub fn merge(&mut self, others: &Times) {
        // As above.
        let _ = self.0.add(&others.0);
    }

    /// The mean of all but the longest hundredth, in nanoseconds, and its standard error. A thread that loses the processor within
    /// a call makes that call long; so a few of the longest tell little of the others.
    pub fn typical(&self) -> (f64, f64) {
        let most = (self.0.len() as f64 * 0.99).max(1.0);
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for step in self.0.iter_recorded() {
            let value = step.value_iterated_to() as f64;
            let of_these = (step.count_since_last_iteration() as f64).min(most - count);
            count += of_these;
            sum += of_these * value;
            squares += of_these * value * value;
            if count >= most {
                break;
            }
        }
        if count == 0.0 {
            return (0.0, 0.0);
        }
        let mean = sum / count;
        let variance = (squares / count - mean * mean).max(0.0);
        (mean, (variance / count).sqrt())
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The time that so many percent did not exceed, in nanoseconds; 0 if there is none.
    pub fn percentile(&self, percent: f64) -> u64 {
        self.0.value_at_quantile(percent / 100.0)
    }
}

/// Nanoseconds in the unit that suits them.
pub fn duration(nanoseconds: u64) -> String {
    let n = nanoseconds as f64;
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => format!("{:.1} µs", n / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", n / 1e6),
        _ => format!("{:.2} s", n / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_time_says_nothing_of_the_others() {
        let mut times = Times::default();
        (0..999).for_each(|_| times.add(1000));
        times.add(60_000_000_000);
        let (mean, error) = times.typical();
        assert!((990.0..1010.0).contains(&mean) && error < 10.0, "{mean} ± {error}");
        assert_eq!(Times::default().typical(), (0.0, 0.0));
    }
}
