//! Lists the items of the specification by kind.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::str::FromStr;

use crate::{Release, Spec};

/// What to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Function categories.
    Chapters,
    /// Functions.
    Functions,
    /// Events.
    Events,
    /// Capabilities.
    Capabilities,
    /// Error codes.
    Errors,
    /// Constant groups.
    Constants,
    /// Structures, unions and enumerations.
    Structs,
    /// Types of functions that the agent implements.
    Callbacks,
    /// Statements of the specification, from all releases.
    Assertions,
}

impl Kind {
    /// Every kind, with the word that names it.
    pub const ALL: [(&str, Kind); 9] = [
        ("chapters", Kind::Chapters),
        ("functions", Kind::Functions),
        ("events", Kind::Events),
        ("capabilities", Kind::Capabilities),
        ("errors", Kind::Errors),
        ("constants", Kind::Constants),
        ("structs", Kind::Structs),
        ("callbacks", Kind::Callbacks),
        ("assertions", Kind::Assertions),
    ];
}

/// The word is not one of those in [`Kind::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot list `{word}`; the kinds are: {}", Kind::ALL.map(|(w, _)| w).join(", "))]
pub struct UnknownKind {
    /// The given word.
    pub word: String,
}

impl FromStr for Kind {
    type Err = UnknownKind;
    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let found = Kind::ALL.iter().find(|(w, _)| *w == word);
        found.map(|(_, kind)| *kind).ok_or_else(|| UnknownKind { word: word.into() })
    }
}

/// One line for each item: its name, the version that introduced it, and a short note. With `since`, only the items
/// that this release or a later one introduced.
pub fn list(spec: &Spec, kind: Kind, since: Option<Release>) -> String {
    let rows = rows(spec, kind);
    let kept: Vec<_> =
        rows.iter().filter(|row| since.is_none_or(|first| row.first.is_some_and(|f| f >= first))).collect();
    let name_width = kept.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for row in kept {
        let line = format!("{:<name_width$}  {:<4}  {}", row.name, row.printed, row.about);
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

struct Row {
    name: String,
    /// Version as printed.
    printed: String,
    first: Option<Release>,
    about: String,
}

fn rows(spec: &Spec, kind: Kind) -> Vec<Row> {
    let facts = &spec.facts;
    let row = |name: &str, since: &str, about: String| Row {
        name: name.into(),
        printed: since.into(),
        first: Release::of_since(since),
        about,
    };
    let plain = |name: &str, since: Option<Release>, about: String| {
        row(name, &since.map_or("1.0".to_string(), |first| first.to_string()), about)
    };
    match kind {
        Kind::Chapters => facts.chapters.iter().map(|c| plain(&c.id, c.since, c.name.clone())).collect(),
        Kind::Functions => facts
            .chapters
            .iter()
            .zip(&facts.functions)
            .flat_map(|(c, functions)| functions.iter().map(|f| row(&f.name, &f.since, c.id.clone())))
            .collect(),
        Kind::Events => facts.events.iter().map(|e| row(&e.name, &e.since, e.constant.clone())).collect(),
        Kind::Capabilities => (0..)
            .zip(&facts.capabilities)
            .map(|(bit, c): (u16, _)| row(&c.name, &c.since, format!("bit {bit}")))
            .collect(),
        Kind::Errors => {
            let e = &facts.errors;
            let codes = [&e.universal, &e.function_required, &e.function_agent].into_iter().flatten();
            codes.map(|c| plain(&c.name, c.since, c.number.to_string())).collect()
        }
        Kind::Constants => facts
            .constants
            .iter()
            .map(|g| plain(&g.name, None, format!("{} constants", g.constants.len())))
            .collect(),
        Kind::Structs => facts.structs.iter().map(|s| plain(&s.name, None, String::new())).collect(),
        Kind::Callbacks => facts.callbacks.iter().map(|c| plain(&c.name, None, c.chapter.clone())).collect(),
        Kind::Assertions => {
            let mut seen = BTreeSet::new();
            let all = Release::REVIEWED.iter().rev().flat_map(|release| spec.assertions(*release));
            let newest = all.filter(|assertion| seen.insert(assertion.id.clone()));
            newest.map(|assertion| plain(&assertion.id, assertion.since, assertion.text)).collect()
        }
    }
}
