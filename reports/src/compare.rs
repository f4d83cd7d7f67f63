//! What changed from one run to another: verdict by verdict, JVM by JVM.

use std::collections::BTreeMap;

use crate::results::{Results, Status, Verdict};
use crate::summary::labels;
use crate::terminal::count;
use crate::visible;

/// In which way a case came out differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Unexpected now, and not before (or not there before).
    Broken,
    /// Unexpected before, and not now.
    Mended,
    /// Another status, or other findings, yet neither of the above.
    Changed,
    /// There before, not now.
    Missing,
    /// Not there before, and nothing unexpected.
    Added,
}

impl Kind {
    /// All, in order of display.
    pub const ALL: [Kind; 5] = [Kind::Broken, Kind::Mended, Kind::Changed, Kind::Missing, Kind::Added];

    /// What a reader calls it.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Broken => "New failures",
            Kind::Mended => "Fixed",
            Kind::Changed => "Changed",
            Kind::Missing => "Missing",
            Kind::Added => "New cases",
        }
    }
}

/// One case on one JVM that came out differently.
#[derive(Clone, Debug, PartialEq)]
pub struct Change<'a> {
    /// In which way.
    pub kind: Kind,
    /// Name of the run.
    pub run: String,
    /// Before, if it was there.
    pub before: Option<&'a Verdict>,
    /// After, if it is there.
    pub after: Option<&'a Verdict>,
}

impl Change<'_> {
    /// Id of the case.
    pub fn case(&self) -> &str {
        self.after.or(self.before).map_or("", |v| &v.case)
    }
}

/// Everything that differs, in order of kind, JVM and case. A JVM is recognised by its label
/// ([`crate::summary::labels`]); if each side has but one JVM, these are compared whatever they are.
pub fn compare<'a>(before: &'a Results, after: &'a Results) -> Vec<Change<'a>> {
    let single = before.runs.len() == 1 && after.runs.len() == 1;
    let names = |results: &Results| if single { vec![String::new()] } else { labels(results) };
    let mut both: BTreeMap<(String, &str), [Option<&Verdict>; 2]> = BTreeMap::new();
    for (side, results) in [before, after].into_iter().enumerate() {
        for (run, label) in results.runs.iter().zip(names(results)) {
            for verdict in &run.verdicts {
                both.entry((label.clone(), &verdict.case)).or_default()[side] = Some(verdict);
            }
        }
    }
    let changed = both.into_iter().filter_map(|((run, _), [before, after])| {
        kind(before, after).map(|kind| Change { kind, run, before, after })
    });
    let mut changes: Vec<_> = changed.collect();
    changes.sort_by_key(|c| c.kind);
    changes
}

fn kind(before: Option<&Verdict>, after: Option<&Verdict>) -> Option<Kind> {
    let unexpected = |v: Option<&Verdict>| v.is_some_and(|v| v.status.is_unexpected());
    match (before, after) {
        (_, None) => before.map(|_| Kind::Missing),
        _ if unexpected(after) && !unexpected(before) => Some(Kind::Broken),
        (None, Some(_)) => Some(Kind::Added),
        _ if unexpected(before) && !unexpected(after) => Some(Kind::Mended),
        (Some(b), Some(a)) => (b.status != a.status || b.findings != a.findings).then_some(Kind::Changed),
    }
}

/// The changes for reading; ends with a line break.
pub fn render(changes: &[Change<'_>]) -> String {
    if changes.is_empty() {
        return "No difference.\n".to_owned();
    }
    let mut out = String::new();
    for kind in Kind::ALL {
        let of_kind: Vec<_> = changes.iter().filter(|c| c.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        out += &format!("{} ({})\n", kind.title(), count(of_kind.len(), "case"));
        for change in of_kind {
            let run = if change.run.is_empty() {
                String::new()
            } else {
                format!("{}  ", visible::line(&change.run))
            };
            let name = |v: Option<&Verdict>| v.map_or("absent", |v| Status::name(v.status));
            let (before, after) = (name(change.before), name(change.after));
            out += &format!("  {run}{}  {before} → {after}\n", visible::line(change.case()));
            if let Some(finding) = change.after.and_then(|v| v.findings.first()) {
                out += &format!("      {}\n", visible::line(&finding.observed));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn nothing_differs_from_itself() {
        let results = sample::small();
        assert_eq!(render(&compare(&results, &results)), "No difference.\n");
    }

    #[test]
    fn each_kind_of_difference() {
        let before = sample::small();
        let mut after = before.clone();
        let verdicts = &mut after.runs[0].verdicts;
        verdicts[0].status = Status::Fail;
        verdicts[1].status = Status::Pass;
        verdicts[1].findings.clear();
        verdicts[2].findings[0].observed = "SIGBUS\u{1b}[2J".into();
        verdicts.pop();
        verdicts.push(Verdict { case: "new".into(), status: Status::Pass, ..Verdict::default() });
        insta::assert_snapshot!(render(&compare(&before, &after)));
    }

    #[test]
    fn one_jvm_is_compared_with_its_successor() {
        let mut before = sample::small();
        before.runs.truncate(1);
        let mut after = before.clone();
        after.runs[0].jvm.version = "26".into();
        assert!(compare(&before, &after).is_empty());
    }
}
