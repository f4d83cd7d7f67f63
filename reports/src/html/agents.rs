//! The front of a report on agents: each case with its verdicts, failures first.

use serde::Serialize;

use super::front::shown;
use crate::results::{Results, Status, Verdict};
use crate::summary::labels;
use crate::visible;

/// One case on all JVMs.
#[derive(Serialize)]
pub struct Case {
    case: String,
    about: String,
    /// The colour: the gravest status.
    tone: &'static str,
    verdicts: Vec<Row>,
    #[serde(skip)]
    gravity: usize,
}

/// Its verdict on one JVM.
#[derive(Serialize)]
struct Row {
    on: String,
    status: &'static str,
    findings: Vec<Found>,
    again: String,
    trace: String,
    #[serde(skip)]
    gravity: usize,
}

#[derive(Serialize)]
struct Found {
    place: String,
    expected: String,
    observed: String,
}

/// The gravest first.
const GRAVITY: [Status; 9] = [
    Status::Crash,
    Status::Timeout,
    Status::Fail,
    Status::Error,
    Status::Known,
    Status::Permitted,
    Status::Fixed,
    Status::Pass,
    Status::Inapplicable,
];

fn gravity(status: Status) -> usize {
    GRAVITY.iter().position(|one| *one == status).unwrap_or(GRAVITY.len())
}

/// Whether the results are about agents: no verdict rests on a statement of the specification.
pub fn are_about_agents(results: &Results) -> bool {
    let mut verdicts = results.runs.iter().flat_map(|run| &run.verdicts).peekable();
    verdicts.peek().is_some() && verdicts.all(|verdict| verdict.cited().is_empty())
}

/// The cases, those that failed first. Empty if the results are about JVMs.
pub fn cases(results: &Results) -> Vec<Case> {
    if !are_about_agents(results) {
        return Vec::new();
    }
    let mut cases: Vec<Case> = Vec::new();
    for (run, label) in results.runs.iter().zip(labels(results)) {
        for verdict in &run.verdicts {
            let id = shown(&verdict.case);
            let place = cases.iter().position(|case| case.case == id).unwrap_or_else(|| {
                let about = shown(&verdict.about);
                cases.push(Case { case: id, about, tone: "pass", verdicts: Vec::new(), gravity: usize::MAX });
                cases.len() - 1
            });
            let case = &mut cases[place];
            if gravity(verdict.status) < case.gravity {
                (case.gravity, case.tone) = (gravity(verdict.status), verdict.status.name());
            }
            case.verdicts.push(row(verdict, &label));
        }
    }
    for case in &mut cases {
        case.verdicts.sort_by_key(|row| row.gravity);
    }
    cases.sort_by_key(|case| case.gravity);
    cases
}

fn row(verdict: &Verdict, label: &str) -> Row {
    let block = |text: &str| visible::block(text).into_owned();
    let found = |f: &crate::results::Finding| Found {
        place: shown(&f.place),
        expected: block(&f.expected),
        observed: block(&f.observed),
    };
    Row {
        on: shown(label),
        status: verdict.status.name(),
        findings: verdict.findings.iter().map(found).collect(),
        again: if verdict.status == Status::Pass { String::new() } else { shown(&verdict.reproduce) },
        trace: shown(verdict.trace.as_deref().unwrap_or_default()),
        gravity: gravity(verdict.status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::JvmRun;
    use crate::sample;

    fn agents() -> Results {
        let verdict = |case: &str, status| Verdict { case: case.into(), status, ..Verdict::default() };
        let run = |verdicts| JvmRun { verdicts, ..JvmRun::default() };
        let first = run(vec![verdict("good", Status::Pass), verdict("bad", Status::Pass)]);
        let second = run(vec![verdict("good", Status::Pass), verdict("bad", Status::Fail)]);
        Results { runs: vec![first, second], ..Results::default() }
    }

    #[test]
    fn failures_come_first() {
        let cases = cases(&agents());
        assert_eq!((cases[0].case.as_str(), cases[0].tone), ("bad", "fail"));
        assert_eq!((cases[0].verdicts[0].status, cases[1].tone), ("fail", "pass"));
        assert!(!are_about_agents(&sample::small()) && !are_about_agents(&Results::default()));
    }

    #[test]
    fn the_page_is_about_agents_and_claims_nothing_about_statements() {
        let page = crate::html::render(&agents());
        assert!(page.contains("JVM TI agent report") && page.contains("id=\"agents\""));
        assert!(!page.contains("0 % tested"));
        assert!(crate::html::render(&sample::small()).contains("JVM TI compliance report"));
    }
}
