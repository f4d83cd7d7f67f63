//! What the lists of known deviations should become, going by results: what is listed and passes goes or is narrowed
//! down, what fails and is not listed is added, for somebody to look into.

mod found;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use jvmti_results::{JvmRun, Results, Status};
use jvmti_spec::Release;

use crate::known::{Jvms, Listed};
use crate::{CaseSet, Releases};

/// What becomes of one file of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its name below the cases folder.
    pub file: String,
    /// What it says now; empty if it is not there.
    pub before: String,
    /// What it should say; `None`: it goes.
    pub after: Option<String>,
}

/// Changes, and what could not be brought into one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposal {
    /// By file.
    pub changes: Vec<Change>,
    /// What somebody has to look at.
    pub remarks: Vec<String>,
}

/// What to do about one case of one entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Gone,
    Narrowed(Option<Release>, Option<Release>),
}

/// What the lists of this set should become.
pub fn propose(set: &CaseSet, results: &Results) -> Proposal {
    let mut proposal = Proposal::default();
    let mut files: BTreeMap<String, (String, Vec<text::Edit>)> = BTreeMap::new();
    let listed: Vec<_> = set.listed().collect();
    for (index, (file, entry)) in listed.iter().enumerate() {
        let fates = fates(entry, results, &mut proposal.remarks);
        if fates.is_empty() {
            continue;
        }
        let next = listed.get(index + 1).filter(|(other, _)| other.name == file.name).map(|(_, next)| *next);
        let edits = &mut files.entry(file.name.clone()).or_insert_with(|| (file.text.clone(), Vec::new())).1;
        edits.extend(text::edits(&file.text, entry, next, &fates));
    }
    for (file, entries) in found::entries(results, &mut proposal.remarks) {
        let there = listed.iter().find(|(there, _)| there.name == file).map(|(there, _)| there.text.clone());
        let (text, edits) = files.entry(file).or_insert_with(|| (there.unwrap_or_default(), Vec::new()));
        edits.push(text::Edit::append(text, &entries));
    }
    for (file, (before, edits)) in files {
        let after = text::apply(&before, edits);
        let after = after.lines().any(|line| line.starts_with('-')).then_some(after);
        proposal.changes.push(Change { file, before, after });
    }
    proposal
}

/// What to do about those cases of the entry that pass on a JVM that it is about.
fn fates(entry: &Listed, results: &Results, remarks: &mut Vec<String>) -> BTreeMap<String, Fate> {
    let deviation = &entry.deviation;
    let concerned: Vec<&JvmRun> =
        results.runs.iter().filter(|run| deviation.on.contain(&run.jvm, &run.vm_options)).collect();
    let mut fates = BTreeMap::new();
    for case in &deviation.cases {
        let on = |status: Status| -> BTreeSet<Release> {
            let has = |run: &&&JvmRun| run.verdicts.iter().any(|v| v.case == *case && v.status == status);
            concerned.iter().filter(has).map(|run| Release(run.jvm.release)).collect()
        };
        let (still, gone) = (on(Status::Known), on(Status::Fixed));
        let (Some(first_gone), Some(last_gone)) = (gone.first(), gone.last()) else { continue };
        let fate = match (still.first(), still.last()) {
            (_, Some(last)) if last < first_gone => Fate::Narrowed(None, Some(*last)),
            (Some(first), _) if first > last_gone => Fate::Narrowed(Some(*first), None),
            (Some(_), _) => {
                remarks.push(format!(
                    "{case} passes on some JVMs of {} and not on others, which their release does not tell apart",
                    deviation.on
                ));
                continue;
            }
            (None, _) => Fate::Gone,
        };
        fates.insert(case.clone(), fate);
    }
    fates
}

/// The conditions within these releases only.
fn within(on: &Jvms, first: Option<Release>, last: Option<Release>) -> Jvms {
    Jvms { releases: on.releases.and(Releases { first, last }), ..on.clone() }
}

#[cfg(test)]
mod tests;
