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
