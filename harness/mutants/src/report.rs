//! What a score came to, as a table and as JSON.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use crate::{Detection, Score};

/// The scores of several mutants of one JVM.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The JVM.
    pub jvm: String,
    /// How many mutants came to what.
    pub counts: Counts,
    /// Each mutant's score.
    pub scores: Vec<Score>,
}

/// Mutants by what they came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// All.
    pub mutants: usize,
    /// Detected by a case that cites a broken rule.
    pub detected: usize,
    /// Detected by others only.
    pub otherwise: usize,
    /// Not detected.
    pub survived: usize,
    /// They did nothing else than the real JVM.
    pub idle: usize,
    /// No case cites what they break.
    pub untested: usize,
    /// Permitted by the text.
    pub excused: usize,
}

impl Report {
    /// A report on that JVM.
    pub fn new(jvm: String, scores: Vec<Score>) -> Report {
        let of = |outcome| scores.iter().filter(|score| score.outcome == outcome).count();
        let counts = Counts {
            mutants: scores.len(),
            detected: of(Detection::Detected),
            otherwise: of(Detection::Otherwise),
            survived: of(Detection::Survived),
            idle: of(Detection::Idle),
            untested: of(Detection::Untested),
            excused: of(Detection::Excused),
        };
        Report { jvm, counts, scores }
    }

    /// Whether every mutant that did anything and is not excused was detected by a case that cites what it breaks.
    pub fn is_perfect(&self) -> bool {
        self.counts.detected + self.counts.excused + self.counts.idle == self.counts.mutants
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (outcome, title) in [
            (Detection::Otherwise, "detected, but by no case that cites a broken rule"),
            (Detection::Survived, "not detected"),
            (Detection::Idle, "idle: what they change does not occur on this JVM in the cases that cite it"),
            (Detection::Untested, "no case cites a broken rule, applies, and passes on the unbroken JVM"),
            (Detection::Excused, "excused"),
        ] {
            let scores: Vec<&Score> = self.scores.iter().filter(|score| score.outcome == outcome).collect();
            if scores.is_empty() {
                continue;
            }
            writeln!(f, "── {title} ──")?;
            for score in scores {
                writeln!(f, "{}\n    {}", score.mutant, score.does)?;
                match (&score.reason, score.told_by.as_slice()) {
                    (Some(reason), _) => writeln!(f, "    excused: {reason}")?,
                    (None, []) => writeln!(f, "    breaks {}", some(&score.rules))?,
                    (None, told_by) => writeln!(f, "    detected by {}", told_by.join(", "))?,
                }
            }
            writeln!(f)?;
        }
        let Counts { mutants, detected, otherwise, survived, idle, untested, excused } = self.counts;
        let counted = mutants - excused - idle;
        let share = if counted == 0 { 100.0 } else { 100.0 * detected as f64 / counted as f64 };
        writeln!(f, "{}", self.jvm)?;
        for (count, what) in [
            (mutants, "mutants"),
            (detected, "detected by a case that cites a broken rule"),
            (otherwise, "detected only by other cases"),
            (survived, "not detected"),
            (idle, "idle: what they change does not occur"),
            (untested, "untested: no case cites a broken rule, applies, and passes on the unbroken JVM"),
            (excused, "excused: the specification permits what they do"),
        ] {
            writeln!(f, "{count:>7}  {what}")?;
        }
        writeln!(
            f,
            "{share:>6.1}%  score: share detected by a case that cites a broken rule, of those neither excused nor idle"
        )
    }
}

/// The first of them, and how many more there are.
fn some(items: &[String]) -> String {
    const SHOWN: usize = 6;
    let shown = items[..items.len().min(SHOWN)].join(", ");
    if items.len() > SHOWN { format!("{shown} and {} more", items.len() - SHOWN) } else { shown }
}
