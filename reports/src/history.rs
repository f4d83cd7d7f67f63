//! How conformance changed from build to build: deviations that are new or gone, and coverage.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::cause::{self, Kind};
use crate::conformance::{Conformance, thousands};
use crate::results::{JvmRun, Results};
use crate::summary::Summary;
use crate::terminal::Style;
use crate::visible;

/// Width of a bar, in columns.
const BAR: usize = 24;

/// One build, as it was tested once.
#[derive(Clone, Debug)]
struct Build {
    /// What is compared with each other: the kind of VM, and the options.
    line: String,
    label: String,
    order: (u16, Vec<u64>, bool, String),
    conformance: Conformance,
    /// Reasons of its deviations, by id.
    deviations: BTreeMap<String, String>,
    /// Its cases: what another build's suite did not have is no difference.
    cases: BTreeSet<String>,
    /// The cases of each deviation.
    shown_by: BTreeMap<String, Vec<String>>,
}

/// The builds of all these results from the oldest to the newest, each with what changed since the one before it of the same
/// kind. Ends with a line break.
pub fn render(parts: &[Results], style: Style) -> String {
    let mut builds: Vec<Build> = parts.iter().flat_map(of_results).collect();
    builds.sort_by(|a, b| (&a.line, &a.order).cmp(&(&b.line, &b.order)));
    let mut out = String::new();
    for line in builds.chunk_by(|a, b| a.line == b.line) {
        let _ = writeln!(out, "{}", style.bold(&visible::line(&line[0].line)));
        for (number, build) in line.iter().enumerate() {
            out += &told(build, number.checked_sub(1).map(|before| &line[before]), style);
        }
        out.push('\n');
    }
    if builds.is_empty() { "no builds\n".to_owned() } else { out }
}

fn of_results(results: &Results) -> Vec<Build> {
    let (summary, causes) = (Summary::of(results), cause::causes(results));
    let conformance = Conformance::of_all(results, &summary.runs, &causes);
    let build = |(number, run): (usize, &JvmRun)| {
        let here = causes.iter().filter(|c| c.kind != Kind::Own && c.runs.contains_key(&number));
        let here: Vec<_> = here.collect();
        let options = run.vm_options.join(" ");
        let cases = |c: &&cause::Cause<'_>| {
            let verdicts = c.runs.get(&number).into_iter().flatten();
            (c.id.clone(), verdicts.map(|v| v.case.clone()).collect())
        };
        Build {
            line: format!("{} {options}", run.jvm.vm_name).trim().to_owned(),
            label: summary.runs[number].label.clone(),
            order: {
                let (release, numbers, is_final) = cause::age(&run.jvm);
                (release, numbers, is_final, run.started.clone())
            },
            conformance: conformance[number],
            deviations: here.iter().map(|c| (c.id.clone(), c.reason.clone())).collect(),
            cases: run.verdicts.iter().filter(|v| v.status.is_judged()).map(|v| v.case.clone()).collect(),
            shown_by: here.iter().map(cases).collect(),
        }
    };
    results.runs.iter().enumerate().map(build).collect()
}

fn told(build: &Build, before: Option<&Build>, style: Style) -> String {
    let Conformance { held, tested, .. } = build.conformance;
    let filled = (held * BAR).checked_div(tested).unwrap_or(0);
    let bar = format!("{}{}", "█".repeat(filled), "░".repeat(BAR - filled));
    let count = build.deviations.len();
    let mut out = format!(
        "  {:<24}  {bar}  {:>6} of {:>6} held  {count:>3} deviations\n",
        visible::line(&build.label),
        thousands(held),
        thousands(tested),
    );
    let Some(before) = before else { return out };
    let room = style.width.saturating_sub(12).max(30);
    let mut list = |mark: &str, from: &Build, other: &Build| {
        for (id, reason) in from.deviations.iter().filter(|(id, _)| !other.deviations.contains_key(*id)) {
            // Only if the other build's suite had a case that would have shown it.
            let tested =
                from.shown_by.get(id).is_some_and(|cases| cases.iter().any(|c| other.cases.contains(c)));
            if tested {
                let reason = textwrap::fill(&visible::line(reason), room).replace('\n', "\n            ");
                let _ = writeln!(out, "    {mark:>5}   {reason}");
            }
        }
    };
    list("new", build, before);
    list("fixed", before, build);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{KnownDeviation, Status, Verdict};

    fn run(version: &str, known: &[(&str, &str)]) -> Results {
        let jvm = crate::results::Jvm {
            release: 21,
            version: version.into(),
            vm_name: "Server VM".into(),
            ..Default::default()
        };
        let verdict = |(case, reason): &(&str, &str)| Verdict {
            case: (*case).into(),
            status: if reason.is_empty() { Status::Pass } else { Status::Known },
            deviation: (!reason.is_empty()).then(|| KnownDeviation::id_of(reason)),
            ..Verdict::default()
        };
        let deviations =
            known.iter().filter(|(_, reason)| !reason.is_empty()).map(|(_, reason)| KnownDeviation {
                id: KnownDeviation::id_of(reason),
                reason: (*reason).into(),
                ..KnownDeviation::default()
            });
        let deviations = deviations.collect();
        let verdicts = known.iter().map(verdict).collect();
        Results {
            runs: vec![JvmRun { jvm, verdicts, ..JvmRun::default() }],
            deviations,
            ..Results::default()
        }
    }

    #[test]
    fn what_is_new_and_what_is_fixed_is_told_from_build_to_build() {
        let parts = [
            run("21.0.13", &[("a", ""), ("b", "B is wrong."), ("c", "C is wrong.")]),
            run("21.0.2", &[("a", "A is wrong."), ("b", "")]),
        ];
        let text = render(&parts, Style::PLAIN);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines[0], "Server VM");
        assert!(lines[1].starts_with("21.0.2") && lines[2].starts_with("21.0.13"), "{text}");
        assert_eq!(lines[3], "new   B is wrong.", "C was not tested before: {text}");
        assert_eq!(lines[4], "fixed   A is wrong.");
        assert_eq!(render(&[], Style::PLAIN), "no builds\n");
    }
}
