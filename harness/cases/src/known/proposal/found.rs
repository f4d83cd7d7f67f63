//! Entries for what fails and is not listed.

use std::collections::{BTreeMap, BTreeSet};

use jvmti_results::{JvmRun, Results, Verdict};
use jvmti_spec::Release;

use crate::Releases;
use crate::known::{Deviation, Jvms, Shows, UNEXPLAINED};

/// Kinds of VM by which a list tells JVMs apart: part of `java.vm.name`.
const KINDS: [&str; 5] = ["Server", "Client", "Minimal", "Zero", "OpenJ9"];
/// Longer texts of what was observed tell too much to be the same next time.
const TELLING: usize = 80;

/// A failure that may be the same on several JVMs.
type Failure<'a> = (&'a str, Shows, Vec<String>);

/// New entries, by the file that they belong into.
pub fn entries(results: &Results, remarks: &mut Vec<String>) -> BTreeMap<String, Vec<Deviation>> {
    let mut failures: BTreeMap<Failure<'_>, (&Verdict, Vec<&JvmRun>)> = BTreeMap::new();
    for run in &results.runs {
        for verdict in &run.verdicts {
            let Some(shows) = Shows::of(verdict.status) else { continue };
            let failure = (verdict.case.as_str(), shows, observed(verdict));
            failures.entry(failure).or_insert_with(|| (verdict, Vec::new())).1.push(run);
        }
    }
    let mut files: BTreeMap<String, Vec<Deviation>> = BTreeMap::new();
    for ((case, shows, observed), (verdict, failing)) in failures {
        let others: Vec<&JvmRun> = results
            .runs
            .iter()
            .filter(|run| run.verdicts.iter().any(|v| v.case == case && v.status.is_judged()))
            .filter(|run| !failing.iter().any(|other| std::ptr::eq(*other, *run)))
            .collect();
        let chapter = if verdict.chapter.is_empty() { "universal" } else { &verdict.chapter };
        // Results come from anywhere: what they call a chapter must not lead out of the folder.
        if !chapter.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
            remarks.push(format!("{case}: its chapter `{chapter}` cannot name a file"));
            continue;
        }
        let entries = files.entry(format!("known/{chapter}.yaml")).or_default();
        for on in conditions(&failing, &others) {
            if others.iter().any(|run| on.contain(&run.jvm, &run.vm_options)) {
                remarks.push(format!(
                    "{case}: nothing that a list can say tells the JVMs on which it fails from others"
                ));
            }
            let seen = failing.iter().filter(|run| on.contain(&run.jvm, &run.vm_options));
            let seen: Vec<String> = seen.map(|run| run.short()).collect();
            let evidence = format!("Seen on {}.", seen.join("; "));
            let same = |e: &&mut Deviation| {
                (&e.on, e.shows, &e.observed, &e.evidence) == (&on, shows, &observed, &evidence)
            };
            match entries.iter_mut().find(same) {
                Some(entry) => entry.cases.push(case.to_owned()),
                None => entries.push(Deviation {
                    cases: vec![case.to_owned()],
                    on,
                    shows,
                    sometimes: false,
                    observed: observed.clone(),
                    reason: format!("{UNEXPLAINED} so far: which statement is broken, and how?"),
                    evidence,
                    tracker: None,
                    expires: None,
                }),
            }
        }
    }
    files
}

/// What all findings say was observed, if they say the same and it will be the same next time.
fn observed(verdict: &Verdict) -> Vec<String> {
    let mut lines = verdict.findings.iter().map(|f| f.observed.lines().next().unwrap_or_default().trim());
    let Some(first) = lines.next() else { return Vec::new() };
    let is_stable = !first.is_empty() && first.chars().count() <= TELLING && !first.contains("0x");
    if is_stable && lines.all(|line| line == first) { vec![first.to_owned()] } else { Vec::new() }
}

fn kind(run: &JvmRun) -> &str {
    KINDS.into_iter().find(|kind| run.jvm.vm_name.contains(kind)).unwrap_or(&run.jvm.vm_name)
}

/// The fewest conditions that hold for the failing JVMs and, if possible, for none of the others: the kind of VM, and
/// stretches of releases between those that do not fail.
fn conditions(failing: &[&JvmRun], others: &[&JvmRun]) -> Vec<Jvms> {
    let kinds: BTreeSet<&str> = failing.iter().map(|run| kind(run)).collect();
    kinds.into_iter().flat_map(|name| of_kind(name, failing, others)).collect()
}

fn of_kind(name: &str, failing: &[&JvmRun], others: &[&JvmRun]) -> Vec<Jvms> {
    let here = |runs: &[&JvmRun]| -> BTreeSet<Release> {
        runs.iter().filter(|run| kind(run) == name).map(|run| Release(run.jvm.release)).collect()
    };
    let (bad, good) = (here(failing), here(others));
    let mut stretches: Vec<(Release, Release)> = Vec::new();
    for release in &bad {
        let is_next = |last: Release| !good.iter().any(|good| last <= *good && good <= release);
        match stretches.last_mut().filter(|(_, last)| is_next(*last)) {
            Some((_, last)) => *last = *release,
            None => stretches.push((*release, *release)),
        }
    }
    let on = |(first, last)| {
        let releases = Releases { first: Some(first), last: Some(last) };
        let on = Jvms { releases, vm: Some(name.to_owned()), ..Jvms::default() };
        narrowed(on, failing, others)
    };
    stretches.into_iter().flat_map(on).collect()
}

/// Further conditions where the same release of the same kind both fails and does not: processor, vendor, options, version.
fn narrowed(on: Jvms, failing: &[&JvmRun], others: &[&JvmRun]) -> Vec<Jvms> {
    let within = |runs: &[&JvmRun], on: &Jvms| -> Vec<JvmRun> {
        runs.iter().filter(|run| on.contain(&run.jvm, &run.vm_options)).map(|run| (*run).clone()).collect()
    };
    let (bad, good) = (within(failing, &on), within(others, &on));
    if good.is_empty() {
        return vec![on];
    }
    let by = |more: &dyn Fn(&JvmRun) -> Jvms| -> Option<Vec<Jvms>> {
        let mut all: Vec<Jvms> = Vec::new();
        for run in &bad {
            let on = more(run);
            if !all.contains(&on) {
                all.push(on);
            }
        }
        let is_apart = |on: &Jvms| !good.iter().any(|run| on.contain(&run.jvm, &run.vm_options));
        all.iter().all(is_apart).then_some(all)
    };
    by(&|run| Jvms { arch: Some(run.jvm.arch.clone()), ..on.clone() })
        .or_else(|| by(&|run| Jvms { vendor: Some(run.jvm.vendor.clone()), ..on.clone() }))
        .or_else(|| by(&|run| Jvms { options: run.vm_options.clone(), ..on.clone() }))
        .or_else(|| {
            by(&|run| {
                let version = run.jvm.version.strip_prefix("1.").unwrap_or(&run.jvm.version);
                let numbers: String = version
                    .replace('_', ".")
                    .chars()
                    .take_while(|c| c.is_ascii_digit() || *c == '.')
                    .collect();
                Jvms { versions: numbers.parse().unwrap_or_default(), ..on.clone() }
            })
        })
        .unwrap_or_else(|| vec![on.clone()])
}
