//! `jvmti-check spec coverage`: how many statements of the specification the cases test.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use jvmti_judge::universal_assertions;
use jvmti_spec::tables::{self, Row};
use jvmti_spec::{Assertion, Edition, Release, Spec};

use super::fault::Fault;
use super::outline;
use super::report;
use super::spec::CoverageArgs;
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

/// Two tables per release: the statements by chapter, and the requirements of the specification's tables by kind.
pub fn coverage(args: &CoverageArgs) -> Result<String, Fault> {
    let results = match args.results.as_slice() {
        [] => None,
        from => Some(report::read(from)?),
    };
    let reviewed = Release::REVIEWED.iter().copied();
    let releases: Vec<Release> = match (args.release.as_slice(), &results) {
        ([], None) => reviewed.collect(),
        ([], Some(results)) => reviewed.filter(|release| results.tells_of(release.0)).collect(),
        (asked, _) => asked.to_vec(),
    };
    let untested = args.untested;
    let mut out = String::new();
    for (release, by_cases) in releases.iter().copied().zip(outline::cited(&args.cases, &releases)?) {
        let edition = Spec::embedded().at(release);
        let mut cited: BTreeSet<&str> = by_cases.iter().map(String::as_str).collect();
        cited.extend(universal_assertions(&edition));
        let mut unjudged = BTreeSet::new();
        if let Some(results) = &results {
            let judged = results.judged(release.0);
            (cited, unjudged) = cited.into_iter().partition(|id| judged.contains(id));
        }
        let assertions = Spec::embedded().assertions(release);
        out.push_str(&of_release(release, &assertions, &cited));
        out.push_str(&of_tables(&edition, &assertions, &cited));
        if untested {
            for a in assertions.iter().filter(|a| a.untestable.is_none() && !cited.contains(a.id.as_str())) {
                let why = if unjudged.contains(a.id.as_str()) { "not judged" } else { "untested" };
                let _ = writeln!(out, "  {why}  {}  {}", a.id, a.text);
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

/// Whether a requirement is tested.
enum Met<'a> {
    Tested,
    Untested,
    /// It cannot be tested, with the reason.
    Untestable(&'a str),
}

/// The requirements, counted by kind; then each one that is not tested, by reason.
fn of_tables(edition: &Edition, assertions: &[Assertion], cited: &BTreeSet<&str>) -> String {
    let reasons: BTreeMap<&str, &str> =
        assertions.iter().filter_map(|a| a.untestable.as_deref().map(|why| (a.id.as_str(), why))).collect();
    let mut rows = vec![vec!["REQUIREMENTS BY KIND".to_owned()]];
    rows[0]
        .extend(["REGISTERED", "TESTED", "UNTESTABLE", "UNTESTED", "TESTED OF TESTABLE"].map(str::to_owned));
    // A row may be counted in several tables; it is listed once.
    let mut left: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let tables = tables::tables(edition, assertions);
    for table in &tables {
        let mut count = Count { registered: table.rows.len(), ..Count::default() };
        for row in &table.rows {
            let why = match met(row, cited, &reasons) {
                Met::Tested => {
                    count.tested += 1;
                    continue;
                }
                Met::Untested => "no case tests it yet",
                Met::Untestable(why) => {
                    count.untestable += 1;
                    why
                }
            };
            left.entry(why).or_default().insert(&row.name);
        }
        rows.push(count.row(table.name));
    }
    let mut out = table(&rows) + "\n";
    for (why, names) in left {
        let _ = writeln!(out, "  not tested ({}): {why}", names.len());
        for name in names {
            let _ = writeln!(out, "    {name}");
        }
    }
    out + "\n"
}

fn met<'a>(row: &Row, cited: &BTreeSet<&str>, reasons: &BTreeMap<&str, &'a str>) -> Met<'a> {
    let mut open = row.assertions.iter().filter(|id| !cited.contains(id.as_str())).peekable();
    let tested = open.peek().is_none()
        || row.one_is_enough && row.assertions.iter().any(|id| cited.contains(id.as_str()));
    if tested {
        return Met::Tested;
    }
    // A requirement with some untestable statements counts as tested if its other statements are.
    let open: Vec<Option<&&str>> = open.map(|id| reasons.get(id.as_str())).collect();
    match open.iter().flatten().next() {
        Some(_) if open.len() < row.assertions.len() && open.iter().all(Option::is_some) => Met::Tested,
        Some(why) if open.iter().all(Option::is_some) => Met::Untestable(why),
        _ => Met::Untested,
    }
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
