//! Reads an [`Edition`] from the published specification: the `jvmti.html` of any release.
//!
//! The pages have one of two layouts: the one up to JDK 8 (plain tables throughout), or the later one (captions, and
//! tables made of `div`s). `page` turns both into the same sequence of blocks, which the other modules read.
//!
//! A page states most facts in tables and in generated sentences, which the importer reads mechanically. It omits facts
//! that require a reader's judgement, or keeps the wording of the page; [`comparable`] clears these on both sides:
//!
//! * the conditions of error rows, other than null pointers and missing capabilities;
//! * the meaning of an allowed null, and when an output, a field or an event parameter can be null;
//! * the required state of a target thread, and whether the heap must not change during a call;
//! * whether a description mentions virtual threads or depends on preview features.

mod declaration;
mod page;
mod reader;
mod sentences;

use crate::diff::{self, Diff};
use crate::edition::NullRule;
use crate::{Edition, Release, Spec};

/// Why a page could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The title does not name a version of JVM TI.
    #[error("this is not a JVM TI specification: its title is `{0}`, not `JVM(TM) Tool Interface <version>`")]
    NotTheSpecification(String),
    /// The page lacks a kind of item that every release contains.
    #[error("found no {0} in the page: the importer does not know its layout")]
    Missing(&'static str),
}

/// Reads the edition from a published page. The [module documentation](self) lists what it does not read.
pub fn read(html: &str) -> Result<Edition, ImportError> {
    let page = page::Page::parse(html);
    let release = release_of(&page.title)?;
    let edition = reader::read(release, &page.blocks);
    let parts = [
        ("chapters", edition.chapters.is_empty()),
        ("functions", edition.functions.is_empty()),
        ("events", edition.events.is_empty()),
        ("capabilities", edition.capabilities.is_empty()),
        ("error codes", edition.errors.is_empty()),
        ("constants", edition.constants.is_empty()),
        ("structures", edition.structs.is_empty()),
    ];
    match parts.iter().find(|(_, empty)| *empty) {
        Some((part, _)) => Err(ImportError::Missing(part)),
        None => Ok(edition),
    }
}

/// The changes that importing the page would make to the merged facts of its release; empty if they agree.
pub fn changes(spec: &Spec, imported: &Edition) -> Diff {
    let ours = Edition { release: imported.release, ..spec.at(imported.release) };
    diff::editions(&comparable(&ours), &comparable(imported))
}

/// `JVM(TM) Tool Interface 25.0.0` belongs to release 25; `1.2.3`, the last version of that scheme, to release 8.
fn release_of(title: &str) -> Result<Release, ImportError> {
    let foreign = || ImportError::NotTheSpecification(title.into());
    let version = title.strip_prefix("JVM(TM) Tool Interface ").ok_or_else(foreign)?;
    match version.split(['.', ' ']).next().and_then(|major| major.parse().ok()).ok_or_else(foreign)? {
        1 => Ok(Release(8)),
        major => Ok(Release(major)),
    }
}

/// The edition without the facts that require a reader's judgement.
pub fn comparable(edition: &Edition) -> Edition {
    let mut e = edition.clone();
    for f in &mut e.functions {
        f.thread_state_rule = None;
        f.heap_frozen = false;
        f.preview_sensitive = false;
        f.mentions_virtual_threads = false;
        for row in &mut f.errors {
            row.conditions = row.conditions.iter().filter_map(|c| mechanical(c)).collect();
        }
        for p in &mut f.params {
            p.returns_null_when = None;
            if let NullRule::Means { meaning, unless } = &mut p.null {
                meaning.clear();
                if let Some(unless) = unless {
                    unless.when.clear();
                }
            }
        }
    }
    for event in &mut e.events {
        event.preview_sensitive = false;
        event.mentions_virtual_threads = false;
        event.params.iter_mut().for_each(|p| p.null_when = None);
    }
    e.callbacks.iter_mut().flat_map(|c| &mut c.params).for_each(|p| p.null_when = None);
    e.structs.iter_mut().flat_map(|s| &mut s.fields).for_each(|f| f.null_when = None);
    e
}

/// A condition that the importer can read mechanically, without its qualifier.
fn mechanical(condition: &str) -> Option<String> {
    let (prefix, what) = condition.split_once(':')?;
    let plain = what.split('@').next().unwrap_or(what);
    let is_name = plain.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (matches!(prefix, "null_pointer" | "must_possess_capability") && is_name)
        .then(|| format!("{prefix}:{plain}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_gives_the_release() {
        assert_eq!(release_of("JVM(TM) Tool Interface 25.0.0"), Ok(Release(25)));
        assert_eq!(release_of("JVM(TM) Tool Interface 1.2.3"), Ok(Release(8)));
        assert!(release_of("The Java Language Specification").is_err());
        assert!(release_of("JVM(TM) Tool Interface next").is_err());
    }

    #[test]
    fn foreign_pages_are_refused_with_a_reason() {
        let error = read("<title>Something else</title>").expect_err("not the specification");
        assert!(error.to_string().contains("Something else"));
        let error = read("<title>JVM(TM) Tool Interface 25.0.0</title>").expect_err("empty");
        assert_eq!(error, ImportError::Missing("chapters"));
    }
}
