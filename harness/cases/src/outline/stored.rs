//! The outlines of many releases in little space: most lines are the same in most releases, and most texts come more than once.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use jvmti_spec::Release;
use serde::{Deserialize, Serialize};

use super::Outline;
use crate::case_file::Inapplicable;
use crate::model::{Case, Source};

/// The place of something in a table that has it once.
type Index = u32;

/// A table under construction.
struct Table<T>(HashMap<T, Index>);

impl<T: Clone + Eq + Hash> Table<T> {
    fn index(&mut self, item: T) -> Index {
        let next = Index::try_from(self.0.len()).unwrap_or(Index::MAX);
        *self.0.entry(item).or_insert(next)
    }

    /// The items by their places.
    fn items(self) -> Vec<T> {
        let mut items: Vec<(T, Index)> = self.0.into_iter().collect();
        items.sort_unstable_by_key(|(_, index)| *index);
        items.into_iter().map(|(item, _)| item).collect()
    }
}

/// A case, or why there is none: places in the table of texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Line {
    id: Index,
    about: Index,
    chapter: Index,
    subject: Option<Index>,
    /// The file, or the reason.
    more: Index,
    cites: Vec<Index>,
}

/// The lines of a release: places in the table of lines.
#[derive(Serialize, Deserialize)]
struct Lines {
    cases: Vec<Index>,
    inapplicable: Vec<Index>,
}

/// The outlines of many releases.
#[derive(Serialize, Deserialize)]
pub struct Outlines<'t> {
    #[serde(borrow)]
    texts: Vec<&'t str>,
    lines: Vec<Line>,
    /// Of each release its lines, which nobody needs to read for others.
    #[serde(borrow)]
    releases: Vec<(Release, &'t [u8])>,
}

impl<'t> Outlines<'t> {
    /// Reads what [`Outlines::bytes`] has written. `None`: it has not.
    pub fn read(bytes: &'t [u8]) -> Option<Outlines<'t>> {
        postcard::from_bytes(bytes).ok()
    }

    /// The outlines of these releases, as a program may have them inside.
    pub fn bytes(outlines: &[(Release, Outline)]) -> Result<Vec<u8>, postcard::Error> {
        let (mut texts, mut lines) = (Table(HashMap::new()), Table(HashMap::new()));
        let mut releases = Vec::new();
        for (release, outline) in outlines {
            let cases = outline.cases.iter().map(|case| lines.index(of_case(case, &mut texts))).collect();
            let inapplicable = outline.inapplicable.iter();
            let inapplicable =
                inapplicable.map(|case| lines.index(of_inapplicable(case, &mut texts))).collect();
            releases.push((*release, postcard::to_allocvec(&Lines { cases, inapplicable })?));
        }
        let releases = releases.iter().map(|(release, lines)| (*release, lines.as_slice())).collect();
        postcard::to_allocvec(&Outlines { texts: texts.items(), lines: lines.items(), releases })
    }

    /// The outline of that release, if it is there.
    pub fn of(&self, release: Release) -> Option<Outline> {
        let Lines { cases, inapplicable } = self.lines_of(release)?;
        let cases = cases.into_iter().map(|index| self.case(self.line(index)?));
        let inapplicable = inapplicable.into_iter().map(|index| self.inapplicable(self.line(index)?));
        Some(Outline {
            cases: cases.collect::<Option<_>>()?,
            inapplicable: inapplicable.collect::<Option<_>>()?,
        })
    }

    /// The statements that any case of that release cites, each once.
    pub fn cited(&self, release: Release) -> Option<BTreeSet<String>> {
        let Lines { cases, .. } = self.lines_of(release)?;
        let mut is_cited = vec![false; self.texts.len()];
        for index in cases {
            for cited in &self.line(index)?.cites {
                *is_cited.get_mut(*cited as usize)? = true;
            }
        }
        let cited = self.texts.iter().zip(is_cited).filter(|(_, is_cited)| *is_cited);
        Some(cited.map(|(text, _)| (*text).to_owned()).collect())
    }

    fn lines_of(&self, release: Release) -> Option<Lines> {
        let (_, lines) = self.releases.iter().find(|(one, _)| *one == release)?;
        postcard::from_bytes(lines).ok()
    }

    fn case(&self, line: &Line) -> Option<Case> {
        Some(Case {
            id: self.text(line.id)?,
            about: self.text(line.about)?,
            chapter: self.text(line.chapter)?,
            subject: self.subject(line)?,
            source: Source { file: self.text(line.more)?, line: 0 },
            cites: line.cites.iter().map(|index| self.text(*index)).collect::<Option<_>>()?,
            ..Case::default()
        })
    }

    fn inapplicable(&self, line: &Line) -> Option<Inapplicable> {
        Some(Inapplicable {
            id: self.text(line.id)?,
            about: self.text(line.about)?,
            chapter: self.text(line.chapter)?,
            subject: self.subject(line)?,
            reason: self.text(line.more)?,
        })
    }

    fn subject(&self, line: &Line) -> Option<Option<String>> {
        line.subject.map_or(Some(None), |index| self.text(index).map(Some))
    }

    fn line(&self, index: Index) -> Option<&Line> {
        self.lines.get(index as usize)
    }

    fn text(&self, index: Index) -> Option<String> {
        self.texts.get(index as usize).map(|text| (*text).to_owned())
    }
}

fn of_case<'t>(case: &'t Case, texts: &mut Table<&'t str>) -> Line {
    Line {
        id: texts.index(&case.id),
        about: texts.index(&case.about),
        chapter: texts.index(&case.chapter),
        subject: case.subject.as_deref().map(|subject| texts.index(subject)),
        more: texts.index(&case.source.file),
        cites: case.cites.iter().map(|id| texts.index(id.as_str())).collect(),
    }
}

fn of_inapplicable<'t>(case: &'t Inapplicable, texts: &mut Table<&'t str>) -> Line {
    Line {
        id: texts.index(&case.id),
        about: texts.index(&case.about),
        chapter: texts.index(&case.chapter),
        subject: case.subject.as_deref().map(|subject| texts.index(subject)),
        more: texts.index(&case.reason),
        cites: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in;
    use jvmti_spec::Spec;

    #[test]
    fn outlines_are_read_as_they_were_written() {
        let set = built_in::layered(None, &[]).unwrap();
        let outline = |release| {
            let selection = set.for_release(&Spec::embedded().at(release)).unwrap();
            (release, Outline::from(selection))
        };
        let all = [Release(8), Release(28)].map(outline);
        let bytes = Outlines::bytes(&all).unwrap();
        let read = Outlines::read(&bytes).unwrap();
        for (release, outline) in all {
            assert!(outline.cases.len() > 1000 && !outline.inapplicable.is_empty());
            assert_eq!(read.cited(release), Some(outline.cited()));
            assert_eq!(read.of(release), Some(outline));
        }
        assert_eq!(read.of(Release(17)), None);
        assert!(Outlines::read(&bytes[..bytes.len() - 1]).is_none());
    }
}
