//! `jvmti-check spec coverage`: how many of the specification's statements are tested.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use jvmti_check::results::citations;
use jvmti_spec::{Assertion, Release, Spec};

use super::cases::CaseArgs;
use super::fault::Fault;
use super::terminal::table;

#[derive(Default)]
struct Count {
    registered: usize,
    tested: usize,
    untestable: usize,
}

impl Count {
    fn row(&self, name: &str) -> Vec<String> {
        let testable = self.registered - self.untestable;
        let share = (self.tested * 100).checked_div(testable).map_or("–".to_owned(), |n| format!("{n} %"));
        let untested = testable - self.tested.min(testable);
        let mut row = vec![name.to_owned()];
        row.extend([self.registered, self.tested, self.untestable, untested].map(|n| n.to_string()));
        row.push(share);
        row
    }
}

/// A table per release: statements by chapter.
pub fn coverage(releases: &[Release], untested: bool, cases: &CaseArgs) -> Result<String, Fault> {
    let set = cases.load()?;
    let releases = if releases.is_empty() { &Release::REVIEWED[..] } else { releases };
    let mut out = String::new();
    for release in releases {
        let edition = Spec::embedded().at(*release);
        let selection = set.for_release(&edition).map_err(Fault::Diagnostics)?;
        let cited: BTreeSet<&str> = selection.cases.iter().flat_map(citations).collect();
        let assertions = Spec::embedded().assertions(*release);
        out.push_str(&of_release(*release, &assertions, &cited));
        if untested {
            for a in assertions.iter().filter(|a| a.untestable.is_none() && !cited.contains(a.id.as_str())) {
                let _ = writeln!(out, "  untested  {}  {}", a.id, a.text);
            }
        }
        for a in &assertions {
            if let (true, Some(why)) = (untested, &a.untestable) {
                let _ = writeln!(out, "  untestable  {}  {why}", a.id);
            }
        }
    }
    Ok(out)
}

fn of_release(release: Release, assertions: &[Assertion], cited: &BTreeSet<&str>) -> String {
    let mut chapters: BTreeMap<&str, Count> = BTreeMap::new();
    let mut all = Count::default();
    for assertion in assertions {
        let tested = cited.contains(assertion.id.as_str());
        for count in [chapters.entry(&assertion.chapter).or_default(), &mut all] {
            count.registered += 1;
            count.tested += usize::from(tested);
            count.untestable += usize::from(!tested && assertion.untestable.is_some());
        }
    }
    let title = format!("RELEASE {release}");
    let mut rows = vec![
        [&title, "REGISTERED", "TESTED", "UNTESTABLE", "UNTESTED", "TESTED OF TESTABLE"]
            .map(str::to_owned)
            .to_vec(),
    ];
    rows.extend(chapters.iter().map(|(chapter, count)| count.row(chapter)));
    rows.push(all.row("all"));
    table(&rows) + "\n"
}
