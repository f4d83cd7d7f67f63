//! Prints one statement of the specification, with what differs between the releases that make it.

use super::Lines;
use crate::{Assertion, Release, Spec};

/// The ids of all statements that any release makes.
pub(super) fn ids(spec: &Spec) -> impl Iterator<Item = String> {
    Release::REVIEWED.iter().flat_map(|release| spec.assertions(*release)).map(|a| a.id)
}

/// The statement of that id, if a release makes it.
pub(super) fn statement(spec: &Spec, id: &str) -> Option<String> {
    let of =
        |release: &Release| Some((*release, spec.assertions(*release).into_iter().find(|a| a.id == id)?));
    let made: Vec<(Release, Assertion)> = Release::REVIEWED.iter().filter_map(of).collect();
    let (_, newest) = made.last()?;
    let mut out = Lines::default();
    out.title(id);
    let mut each = |label: &str, value: fn(&Assertion) -> String| {
        let mut last = None;
        for (first, value) in made.iter().map(|(release, a)| (release, value(a))) {
            if last.as_ref() == Some(&value) {
                continue;
            }
            // Whoever reads the first value needs to know of a release only if there is another one.
            let from = if last.is_some() { format!(" [{first}+]") } else { String::new() };
            out.line(label, &format!("{value}{from}"));
            last = Some(value);
        }
    };
    each("says", |a| a.text.clone());
    each("strength", |a| a.strength.to_string());
    each("section", |a| format!("#{}", a.anchor));
    out.line("chapter", &newest.chapter);
    if let Some(subject) = &newest.subject {
        out.line("subject", subject);
    }
    let releases: Vec<String> = made.iter().map(|(release, _)| release.to_string()).collect();
    let all = releases.len() == Release::REVIEWED.len();
    out.line("releases", &if all { "all".to_owned() } else { releases.join(", ") });
    if let Some(reason) = &newest.untestable {
        out.line("cannot be tested", reason);
    }
    Some(out.0)
}
