//! Shows prices as a table for people, and as data for programs.

use serde::Serialize;

use super::statistics::{MedianDifference, Sample, chance, difference};
use super::{Answer, Priced, Runs};
use crate::times::duration;

/// The rows of the table: each time with its spread, and the ratio if it is significant.
pub fn rows(priced: &Priced) -> Vec<Vec<String>> {
    let row = |cells: [&str; 5]| cells.map(str::to_owned).to_vec();
    let mut rows = vec![row(["", "CPU", "", "wall", ""])];
    if priced.rounds == 0 {
        rows.clear();
    } else {
        let Runs { cpu, wall } = &priced.without;
        rows.push(row(["none", &shown(cpu), "", &shown(wall), ""]));
    }
    for (name, answer) in &priced.answers {
        match answer {
            Answer::Ran(runs) if priced.rounds > 0 => {
                let Runs { cpu, wall } = &priced.without;
                let (of_cpu, of_wall) = (difference(cpu, &runs.cpu), difference(wall, &runs.wall));
                let (cpu, wall) = (shown(&runs.cpu), shown(&runs.wall));
                rows.push(row([name, &cpu, &in_words(of_cpu), &wall, &in_words(of_wall)]));
            }
            Answer::Ran(_) => rows.push(row([name, "not run", "", "", ""])),
            Answer::NotOffered => rows.push(vec![name.clone(), "not offered by this JVM".to_owned()]),
            Answer::Failed(_) => rows.push(vec![name.clone(), "failed, see below".to_owned()]),
        }
    }
    rows
}

/// The capabilities with which the program failed, and how.
pub fn failures(priced: &Priced) -> String {
    let failed = |(name, answer): &(String, Answer)| match answer {
        Answer::Failed(why) => Some(format!("{name}: {why}\n")),
        _ => None,
    };
    priced.answers.iter().filter_map(failed).collect()
}

/// The median, with the spread of the middle half of the values.
fn shown(sample: &Sample) -> String {
    format!("{} ± {:.1} %", duration(sample.median() as u64), sample.spread() * 100.0)
}

fn in_words(difference: MedianDifference) -> String {
    match difference {
        MedianDifference::Seen(ratio) => format!("× {ratio:.3}"),
        MedianDifference::NoneSeen => "not significant".to_owned(),
        MedianDifference::TooFew => "too few rounds".to_owned(),
    }
}

/// The result for one capability on one JVM, for programs. Times are in nanoseconds.
#[derive(Debug, Serialize)]
pub struct PriceLine<'p> {
    /// Home of the JDK.
    pub jdk: String,
    /// What the JVM calls itself.
    pub jvm: &'p str,
    /// The capability.
    pub capability: &'p str,
    /// `priced`, `not offered` or `failed`; `not run` if the user interrupted the first round.
    pub status: &'static str,
    /// How it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<&'p str>,
    /// The number of complete rounds.
    pub rounds: u32,
    /// Processor time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Compared<'p>>,
    /// Time from start to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall: Option<Compared<'p>>,
}

/// The comparison of runs with a capability and runs without.
#[derive(Debug, Serialize)]
pub struct Compared<'p> {
    without: Figures<'p>,
    with: Figures<'p>,
    /// The median with the capability divided by the median without, whether or not the difference is significant.
    ratio: f64,
    /// The probability that chance alone makes such a difference.
    chance: f64,
    /// `significant`, `not significant` or `too few rounds`.
    difference: &'static str,
}

/// The times of the runs of one kind.
#[derive(Debug, Serialize)]
struct Figures<'p> {
    median: f64,
    quartiles: (f64, f64),
    runs: &'p [f64],
}

impl<'p> Compared<'p> {
    fn of(without: &'p Sample, with: &'p Sample) -> Compared<'p> {
        let told = |sample: &'p Sample| Figures {
            median: sample.median(),
            quartiles: sample.quartiles(),
            runs: sample.values(),
        };
        Compared {
            without: told(without),
            with: told(with),
            ratio: with.median() / without.median(),
            chance: chance(without.values(), with.values()),
            difference: match difference(without, with) {
                MedianDifference::Seen(_) => "significant",
                MedianDifference::NoneSeen => "not significant",
                MedianDifference::TooFew => "too few rounds",
            },
        }
    }
}

/// The results for all capabilities.
pub fn told<'p>(priced: &'p Priced, jdk: &str) -> Vec<PriceLine<'p>> {
    let of = |(name, answer): &'p (String, Answer)| {
        let (status, runs, failure) = match answer {
            Answer::Ran(runs) if priced.rounds > 0 => ("priced", Some(runs), None),
            Answer::Ran(_) => ("not run", None, None),
            Answer::NotOffered => ("not offered", None, None),
            Answer::Failed(why) => ("failed", None, Some(why.as_str())),
        };
        PriceLine {
            jdk: jdk.to_owned(),
            jvm: &priced.jvm,
            capability: name,
            status,
            failure,
            rounds: priced.rounds,
            cpu: runs.map(|runs| Compared::of(&priced.without.cpu, &runs.cpu)),
            wall: runs.map(|runs| Compared::of(&priced.without.wall, &runs.wall)),
        }
    };
    priced.answers.iter().map(of).collect()
}
