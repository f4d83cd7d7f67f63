//! From the cases and a JVM to what the runner takes; from what it gives to the results that reports render.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use jvmti_cases::select::Filters;
use jvmti_cases::{CaseSet, Diagnostics};
use jvmti_results::{AssertionInfo, ChapterInfo, JvmRun, Results, SCHEMA, Skipped, Suite};
use jvmti_spec::{Assertion, Edition, Release, Spec};

use crate::run::Tests;

/// What JVMs of that release are tested with.
pub fn tests(release: Release, set: &CaseSet, wanted: &Filters) -> Result<Tests, Diagnostics> {
    let edition = Spec::embedded().at(release);
    let selection = set.for_release(&edition)?;
    let mut inapplicable = selection.inapplicable;
    inapplicable.retain(|case| wanted.fits_id(&case.id));
    Ok(Tests {
        assertions: Spec::embedded().assertions(edition.release).into_iter().collect(),
        cases: wanted.select(selection.cases),
        known: set.known().cloned().collect(),
        inapplicable,
        edition,
    })
}

/// The results of these runs by this suite. They began at `started` and took `wall`.
pub fn results(
    suite: Suite,
    runs: Vec<JvmRun>,
    skipped: Vec<Skipped>,
    started: SystemTime,
    wall: Duration,
) -> Results {
    let releases: BTreeSet<Release> = runs.iter().map(|run| Release(run.jvm.release).clamped()).collect();
    let at = humantime::format_rfc3339_seconds(started).to_string();
    let newest = Spec::embedded().at(releases.last().copied().unwrap_or(Release::NEWEST));
    Results {
        schema: SCHEMA,
        suite,
        started: at.clone(),
        wall_ms: wall.as_millis() as u64,
        runs: runs.into_iter().map(|run| JvmRun { machine: machine(), started: at.clone(), ..run }).collect(),
        skipped,
        assertions: assertions(&releases),
        chapters: chapters(&newest),
        deviations: Vec::new(),
    }
}

/// Names the machine in results, where the program cannot tell: that it is emulated.
const MACHINE: &str = "JVMTI_CHECK_MACHINE";

fn machine() -> String {
    if let Some(named) = std::env::var(MACHINE).ok().filter(|name| !name.trim().is_empty()) {
        return named;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{} {}, {cores} cores", std::env::consts::OS, std::env::consts::ARCH)
}

fn chapters(edition: &Edition) -> Vec<ChapterInfo> {
    let info = |c: &jvmti_spec::edition::Chapter| ChapterInfo {
        id: c.id.clone(),
        title: c.name.clone(),
        anchor: c.anchor.clone(),
    };
    edition.chapters.iter().map(info).collect()
}

/// The statements of these releases, each once, with the span of these releases in which it holds.
fn assertions(releases: &BTreeSet<Release>) -> Vec<AssertionInfo> {
    let (Some(first), Some(last)) = (releases.first(), releases.last()) else { return Vec::new() };
    let mut order: Vec<String> = Vec::new();
    let mut found: BTreeMap<String, (Assertion, Release, Release)> = BTreeMap::new();
    for release in releases {
        for assertion in Spec::embedded().assertions(*release) {
            match found.get_mut(&assertion.id) {
                Some((text, _, until)) => (*text, *until) = (assertion, *release),
                None => {
                    order.push(assertion.id.clone());
                    found.insert(assertion.id.clone(), (assertion, *release, *release));
                }
            }
        }
    }
    let mut infos = Vec::with_capacity(order.len());
    for (a, since, until) in order.iter().filter_map(|id| found.remove(id)) {
        infos.push(AssertionInfo {
            strength: a.strength.to_string(),
            since: a.since.map(|r| r.0).or((since > *first).then_some(since.0)),
            until: a.until.map(|r| r.0).or((until < *last).then_some(until.0)),
            id: a.id,
            chapter: a.chapter,
            subject: a.subject,
            text: a.text,
            anchor: a.anchor,
            untestable: a.untestable,
        });
    }
    infos
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_hold_in_exactly_the_releases_that_make_them() {
        let releases = BTreeSet::from([Release(17), Release(25)]);
        let all = assertions(&releases);
        for release in releases {
            let here: BTreeSet<&str> =
                all.iter().filter(|a| a.holds_in(release.0)).map(|a| a.id.as_str()).collect();
            let stated = Spec::embedded().assertions(release);
            let stated: BTreeSet<&str> = stated.iter().map(|a| a.id.as_str()).collect();
            assert_eq!(here, stated, "release {release}");
        }
    }
}
