//! Compares two editions of the specification: those of two releases, or that of a release and an imported page.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::{Edition, Release};

/// The differences between two editions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// Release of the first edition.
    pub from: Release,
    /// Release of the second.
    pub to: Release,
    /// Differences, by part of the specification and in its order.
    pub changes: Vec<Change>,
}

/// A function, event or other item that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Part of the specification it belongs to (`functions`, `events`, …).
    pub part: &'static str,
    /// Its name.
    pub name: String,
    /// How it differs.
    pub what: What,
}

/// How an item differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Only the second edition contains it.
    Added,
    /// Only the first edition contains it.
    Removed,
    /// Both editions contain it, and these details differ.
    Changed(Vec<Detail>),
}

/// A detail that differs. For a list, each difference is a single element that only one side contains.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Detail {
    /// Path within the item (`phases`, `params.thread.null`).
    pub path: String,
    /// The value in the first edition.
    pub before: Option<String>,
    /// The value in the second edition.
    pub after: Option<String>,
}

impl Diff {
    /// Whether the editions agree.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

/// The differences from one edition to another, not counting the release numbers themselves.
pub fn editions(from: &Edition, to: &Edition) -> Diff {
    let mut changes = Vec::new();
    macro_rules! parts {
        ($($part:ident),*) => {$(
            items(stringify!($part), &values(&from.$part), &values(&to.$part), &mut changes);
        )*};
    }
    parts!(chapters, functions, events, capabilities, errors, constants, callbacks, structs);
    Diff { from: from.release, to: to.release, changes }
}

fn values<T: Serialize>(items: &[T]) -> Vec<Value> {
    items.iter().map(|item| serde_json::to_value(item).unwrap_or_default()).collect()
}

fn name(item: &Value) -> Option<&str> {
    item.get("name").and_then(Value::as_str)
}

fn items(part: &'static str, from: &[Value], to: &[Value], changes: &mut Vec<Change>) {
    let before: BTreeMap<_, _> = from.iter().map(|item| (name(item), item)).collect();
    let after: BTreeMap<_, _> = to.iter().map(|item| (name(item), item)).collect();
    let mut push = |item: &Value, what| {
        changes.push(Change { part, name: name(item).unwrap_or_default().to_string(), what });
    };
    for item in to {
        match before.get(&name(item)) {
            None => push(item, What::Added),
            Some(old) => {
                let mut details = Vec::new();
                compare("", old, item, &mut details);
                if !details.is_empty() {
                    push(item, What::Changed(details));
                }
            }
        }
    }
    for item in from.iter().filter(|item| !after.contains_key(&name(item))) {
        push(item, What::Removed);
    }
}

fn compare(path: &str, before: &Value, after: &Value, details: &mut Vec<Detail>) {
    match (before, after) {
        _ if before == after => {}
        (Value::Object(old), Value::Object(new)) => {
            let keys: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in keys {
                let absent = Value::Null;
                let (old, new) = (old.get(key).unwrap_or(&absent), new.get(key).unwrap_or(&absent));
                compare(&join(path, key), old, new, details);
            }
        }
        (Value::Array(old), Value::Array(new)) => compare_lists(path, old, new, details),
        _ => details.push(Detail { path: path.into(), before: words(before), after: words(after) }),
    }
}

fn compare_lists(path: &str, old: &[Value], new: &[Value], details: &mut Vec<Detail>) {
    let same_item = |a: &Value, b: &Value| name(a).is_some() && name(a) == name(b);
    let only_in = |list: &[Value], other: &[Value]| -> Vec<Value> {
        list.iter().filter(|a| !other.iter().any(|b| *a == b || same_item(a, b))).cloned().collect()
    };
    for item in old {
        if let Some(now) = new.iter().find(|now| same_item(item, now)) {
            compare(&join(path, name(item).unwrap_or_default()), item, now, details);
        }
    }
    let (gone, come) = (only_in(old, new), only_in(new, old));
    if gone.is_empty() && come.is_empty() && sequence(old) != sequence(new) {
        details.push(Detail {
            path: join(path, "order"),
            before: Some(sequence(old)),
            after: Some(sequence(new)),
        });
    }
    details.extend(gone.iter().map(|v| Detail { path: path.into(), before: words(v), after: None }));
    details.extend(come.iter().map(|v| Detail { path: path.into(), before: None, after: words(v) }));
}

fn sequence(list: &[Value]) -> String {
    let item = |v: &Value| name(v).map(str::to_string).or_else(|| words(v)).unwrap_or_default();
    list.iter().map(item).collect::<Vec<_>>().join(", ")
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.into() } else { format!("{path}.{key}") }
}

/// A value in readable form, without quotes, braces and nulls.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        // The prefix of a condition repeats its error code.
        Value::String(text) => Some(text.split_once(':').map_or(text.as_str(), |(_, what)| what).to_string()),
        Value::Array(list) => Some(list.iter().filter_map(words).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            // Names and codes come first; the rest follows in parentheses.
            let lead = ["name", "error", "rule"].iter().find_map(|key| fields.get(*key));
            let rest: Vec<String> = fields.values().filter(|v| Some(*v) != lead).filter_map(words).collect();
            let lead = lead.and_then(words).unwrap_or_else(|| "unnamed".into());
            Some(if rest.is_empty() { lead } else { format!("{lead} ({})", rest.join("; ")) })
        }
        other => Some(other.to_string()),
    }
}

impl fmt::Display for Diff {
    /// One line for each item that was added or removed; items with the same differences are listed together.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "JVM TI {} → {}", self.from, self.to)?;
        if self.is_empty() {
            return writeln!(f, "\nno difference");
        }
        let mut parts: Vec<&str> = self.changes.iter().map(|c| c.part).collect();
        parts.dedup();
        for part in parts {
            writeln!(f, "\n{part}")?;
            let of_part = || self.changes.iter().filter(move |c| c.part == part);
            for change in of_part() {
                match change.what {
                    What::Added => writeln!(f, "  + {}", change.name)?,
                    What::Removed => writeln!(f, "  - {}", change.name)?,
                    What::Changed(_) => {}
                }
            }
            let mut alike: Vec<(&[Detail], Vec<&str>)> = Vec::new();
            for change in of_part() {
                let What::Changed(details) = &change.what else { continue };
                match alike.iter_mut().find(|(same, _)| same == details) {
                    Some((_, names)) => names.push(&change.name),
                    None => alike.push((details, vec![&change.name])),
                }
            }
            for (details, names) in alike {
                writeln!(f, "  ~ {}", names.join(", "))?;
                details.iter().try_for_each(|detail| writeln!(f, "      {detail}"))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => write!(f, "{}: {before} → {after}", self.path),
            (None, Some(after)) => write!(f, "{}: + {after}", self.path),
            (Some(before), None) => write!(f, "{}: - {before}", self.path),
            (None, None) => write!(f, "{}", self.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Release, Spec, diff};

    fn between(from: u16, to: u16) -> String {
        let spec = Spec::embedded();
        diff::editions(&spec.at(Release(from)), &spec.at(Release(to))).to_string()
    }

    #[test]
    fn an_edition_does_not_differ_from_itself() {
        assert_eq!(between(25, 25), "JVM TI 25 → 25\n\nno difference\n");
        assert_eq!(between(26, 27), "JVM TI 26 → 27\n\nno difference\n");
    }

    #[test]
    fn differences_read_well() {
        insta::assert_snapshot!("diff_11_17", between(11, 17));
        insta::assert_snapshot!("diff_17_25", between(17, 25));
        insta::assert_snapshot!("diff_25_28", between(25, 28));
    }

    #[test]
    fn changes_take_effect_in_the_release_that_made_them() {
        assert!(between(12, 13).contains("PopFrame"));
        assert!(between(11, 12).contains("no difference"));
        assert!(between(8, 9).contains("GetAllModules"));
        assert!(!between(8, 10).contains("SampledObjectAlloc"));
    }
}
