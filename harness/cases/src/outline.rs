//! The cases of a release, with no more than lists tell of them. A program can have those of all releases inside, so that a list
//! need not expand the rules: [`Outlines`].

mod stored;

use std::collections::BTreeSet;

pub use self::stored::Outlines;
use super::case_file::Inapplicable;
use super::model::{Case, Source};
use super::set::Selection;

/// What lists tell of the cases of a release.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// The cases, of which nothing but id, text, chapter, subject, place and what they cite is known.
    pub cases: Vec<Case>,
    /// Cases that are not for the release.
    pub inapplicable: Vec<Inapplicable>,
}

impl Outline {
    /// The statements that any case cites, each once.
    pub fn cited(&self) -> BTreeSet<String> {
        self.cases.iter().flat_map(Case::citations).map(str::to_owned).collect()
    }
}

impl From<Selection> for Outline {
    fn from(selection: Selection) -> Outline {
        let outlined = |case: Case| {
            let cited: BTreeSet<&str> = case.citations().collect();
            let cites = cited.into_iter().map(str::to_owned).collect();
            let Case { id, about, chapter, subject, source: Source { file, .. }, .. } = case;
            Case { id, about, chapter, subject, cites, source: Source { file, line: 0 }, ..Case::default() }
        };
        let cases = selection.cases.into_iter().map(outlined).collect();
        Outline { cases, inapplicable: selection.inapplicable }
    }
}
