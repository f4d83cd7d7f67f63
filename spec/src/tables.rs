//! The content of a release's tables by kind: functions, forbidden calls, null arguments, error rows and so on, each
//! with the assertions that represent it. Coverage is counted over these as well as over single assertions.

use std::collections::HashMap;

use crate::derived::{error_assertion, error_strength, parameter_assertion};
use crate::edition::{Dir, Edition, Event, Function, NullRule, Param, Phase};
use crate::{Assertion, Strength};

/// One kind of requirement, with all requirements of that kind in the release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What is counted ("calls forbidden in a phase").
    pub name: &'static str,
    /// One row for each requirement, in the order of the specification.
    pub rows: Vec<Row>,
}

/// A requirement, and the assertions that it consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Short name for people (`SuspendThread in start`).
    pub name: String,
    /// The ids of its assertions.
    pub assertions: Vec<String>,
    /// Whether it counts as tested once one of its assertions is tested, rather than all of them.
    pub one_is_enough: bool,
}

/// The tables of the edition. `assertions` must be those of the same release.
pub fn tables(edition: &Edition, assertions: &[Assertion]) -> Vec<Table> {
    let about = by_subject(assertions);
    let subjects = |names: &mut dyn Iterator<Item = &String>| names.map(|n| subject(n, &about)).collect();
    let kind = |prefix: &'static str| assertions.iter().filter(move |a| of_kind(&a.id, prefix));
    let each_of = |prefix| kind(prefix).map(|a| Row::of(&a.id)).collect();
    let functions = &edition.functions;
    let of_functions = function_tables(edition).into_iter();
    let tables = [("functions", subjects(&mut functions.iter().map(|f| &f.name)))].into_iter();
    let tables = tables.chain(of_functions).chain([
        ("callback-safe functions", each_of("callback-safe")),
        ("allocated outputs", outputs(functions, true)),
        ("outputs with allocated fields", outputs(functions, false)),
        ("outputs with local references", each_of("local-refs/")),
        ("events", subjects(&mut edition.events.iter().map(|e| &e.name))),
        ("events × required capabilities", edition.events.iter().flat_map(needs).collect()),
        ("events that can be enabled per thread", thread_filters(&edition.events)),
        ("event parameters", each_of("params/")),
        ("capabilities", subjects(&mut edition.capabilities.iter().map(|c| &c.name))),
        ("error codes", edition.errors.iter().map(|e| named(&e.name, "JVMTI_ERROR_", "number")).collect()),
    ]);
    tables.map(|(name, rows)| Table { name, rows }).collect()
}

/// Phases, parameters, capabilities and errors of functions.
fn function_tables(edition: &Edition) -> [(&'static str, Vec<Row>); 9] {
    let functions = &edition.functions;
    let pairs_of = |which: fn(&Function) -> &[String]| {
        functions.iter().flat_map(|f| pairs(&f.name, which(f))).collect::<Vec<_>>()
    };
    let required = |f: &Function| error_rows(f, |error| error_strength(edition, error) == Strength::Must);
    [
        ("calls forbidden in a phase", cells(functions, false)),
        ("calls allowed in a phase", cells(functions, true)),
        ("null arguments forbidden", nulls(functions, |n| matches!(n, NullRule::Forbidden { .. }))),
        ("null arguments with a meaning", nulls(functions, |n| matches!(n, NullRule::Means { .. }))),
        ("functions × required capabilities", pairs_of(|f| &f.capabilities.required)),
        ("functions × optional capabilities", pairs_of(|f| &f.capabilities.optional)),
        ("rows of error tables", functions.iter().flat_map(|f| error_rows(f, |_| true)).collect()),
        ("rows that the VM must detect", functions.iter().flat_map(required).collect()),
        ("parameters with an INVALID_… error", functions.iter().flat_map(guarded).collect()),
    ]
}

/// Functions × the phases in which they may or must not be called.
fn cells(functions: &[Function], allowed: bool) -> Vec<Row> {
    let of = |f: &Function| {
        let phases = Phase::ALL.into_iter().filter(|phase| f.phases.contains(phase) == allowed);
        phases.map(|p| single(&f.name, &format!("phase/{p}"))).collect::<Vec<_>>()
    };
    functions.iter().flat_map(of).collect()
}

/// Parameters to which this rule on null applies.
fn nulls(functions: &[Function], applies: fn(&NullRule) -> bool) -> Vec<Row> {
    params(functions, |p| applies(&p.null), "null")
}

/// Outputs that are allocated as a whole, or of which only fields are.
fn outputs(functions: &[Function], whole: bool) -> Vec<Row> {
    let is_allocated = |p: &Param| match p.dir {
        Dir::OutAlloc | Dir::OutAllocAlloc => whole,
        _ => !whole && !p.alloc_fields.is_empty(),
    };
    params(functions, is_allocated, "output")
}

fn params(functions: &[Function], is_meant: impl Fn(&Param) -> bool, what: &str) -> Vec<Row> {
    let all = functions.iter().flat_map(|f| f.params.iter().map(move |p| (f, p)));
    let meant = all.filter(|(_, p)| is_meant(p));
    meant.map(|(f, p)| single(&f.name, &format!("{what}/{}", p.name))).collect()
}

/// Parameters of the function that an `INVALID_…` error covers.
fn guarded(f: &Function) -> Vec<Row> {
    let row = |p: &Param| match &p.null {
        NullRule::InvalidReference { error } => Some(Row {
            name: format!("{} of {}", p.name, f.name),
            assertions: vec![parameter_assertion(f, error, &p.name)],
            one_is_enough: false,
        }),
        _ => None,
    };
    f.params.iter().filter_map(row).collect()
}

fn thread_filters(events: &[Event]) -> Vec<Row> {
    events.iter().filter(|e| e.thread_filterable).map(|e| single(&e.name, "thread-filter")).collect()
}

impl Row {
    fn of(id: &str) -> Row {
        Row { name: id.to_owned(), assertions: vec![id.to_owned()], one_is_enough: false }
    }
}

fn single(subject: &str, what: &str) -> Row {
    Row::of(&format!("{subject}#{what}"))
}

fn named(name: &str, prefix: &str, what: &str) -> Row {
    Row { name: name.to_owned(), ..single(&format!("{prefix}{name}"), what) }
}

fn of_kind(id: &str, prefix: &str) -> bool {
    id.split_once('#').is_some_and(|(_, what)| what.starts_with(prefix))
}

/// The ids of the assertions about each function, event and capability, other than those about positions in the function table.
fn by_subject(assertions: &[Assertion]) -> HashMap<&str, Vec<&str>> {
    let mut about: HashMap<&str, Vec<&str>> = HashMap::new();
    for assertion in assertions.iter().filter(|assertion| !assertion.id.ends_with("#slot")) {
        if let Some(subject) = &assertion.subject {
            about.entry(subject).or_default().push(&assertion.id);
        }
    }
    about
}

/// A function, event or capability as a whole: it counts as tested once any of these assertions about it is tested.
fn subject(name: &str, about: &HashMap<&str, Vec<&str>>) -> Row {
    let assertions = about.get(name).into_iter().flatten().map(|id| (*id).to_owned()).collect();
    Row { name: name.to_owned(), assertions, one_is_enough: true }
}

fn pairs<'a>(subject: &'a str, capabilities: &'a [String]) -> impl Iterator<Item = Row> + 'a {
    capabilities.iter().map(move |c| single(subject, &format!("capability/{c}")))
}

/// An event that requires capabilities.
fn needs(event: &Event) -> Option<Row> {
    let required = &event.capabilities.required;
    let assertions: Vec<String> = pairs(&event.name, required).flat_map(|row| row.assertions).collect();
    (!required.is_empty()).then(|| Row { name: event.name.clone(), assertions, one_is_enough: false })
}

/// The rows of a function's error table. For `NULL_POINTER` and `MUST_POSSESS_CAPABILITY`, the assertions on null
/// arguments and on capabilities represent the row.
fn error_rows(f: &Function, which: impl Fn(&str) -> bool) -> Vec<Row> {
    let rows = f.errors.iter().filter(|row| which(&row.error));
    rows.map(|row| {
        let conditions = row.conditions.iter();
        let mut assertions: Vec<String> =
            conditions.map(|condition| error_assertion(f, &row.error, condition)).collect();
        assertions.sort();
        assertions.dedup();
        let name = format!("{} {} ({})", f.name, row.error, row.conditions.join(", "));
        Row { name, assertions, one_is_enough: false }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Release, Spec};

    #[test]
    fn tables_of_25_have_the_sizes_counted_by_other_means() {
        let spec = Spec::embedded();
        let assertions = spec.assertions(Release(25));
        let tables = tables(&spec.at(Release(25)), &assertions);
        let size = |name: &str| tables.iter().find(|t| t.name == name).map(|t| t.rows.len());
        for (name, expected) in [
            ("functions", 151),
            ("calls forbidden in a phase", 465),
            ("calls allowed in a phase", 290),
            ("null arguments forbidden", 144),
            ("null arguments with a meaning", 67),
            ("functions × required capabilities", 66),
            ("rows of error tables", 583),
            ("rows that the VM must detect", 146),
            ("parameters with an INVALID_… error", 66),
            ("callback-safe functions", 15),
            ("allocated outputs", 37),
            ("outputs with local references", 24),
            ("events", 34),
            ("events × required capabilities", 23),
            ("events that can be enabled per thread", 25),
            ("capabilities", 45),
        ] {
            assert_eq!(size(name), Some(expected), "{name}");
        }
    }

    #[test]
    fn every_row_consists_of_registered_assertions() {
        for release in Release::REVIEWED {
            let assertions = Spec::embedded().assertions(release);
            let ids: BTreeSet<&str> = assertions.iter().map(|a| a.id.as_str()).collect();
            for table in tables(&Spec::embedded().at(release), &assertions) {
                for row in &table.rows {
                    assert!(!row.assertions.is_empty(), "{release} {}: {} has none", table.name, row.name);
                    for id in &row.assertions {
                        assert!(ids.contains(id.as_str()), "{release} {}: no assertion {id}", table.name);
                    }
                }
            }
        }
    }
}
