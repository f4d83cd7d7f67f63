//! What commands tell of the cases of a release without running them.
//!
//! To expand the rules takes a tenth of a second. What `list` and `spec coverage` need of it is therefore remembered for as
//! long as this program is the same.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use jvmti_cases::model::Case;
use jvmti_cases::{Inapplicable, Selection, built_in};
use jvmti_runner::jvm::cache_folder;
use jvmti_spec::{Release, Spec};
use serde::{Deserialize, Serialize};

use super::cases::CaseArgs;
use super::fault::Fault;

/// The cases of a release, with no more than lists tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// The program that it comes from.
    key: String,
    cases: Vec<Line>,
    /// Cases that are not for the release.
    pub inapplicable: Vec<Inapplicable>,
    /// The statements that any case cites, each once.
    pub cited: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    id: String,
    about: String,
    chapter: String,
    subject: Option<String>,
    /// Which of the outline's statements the case cites, by their place there.
    cites: Vec<usize>,
}

impl Outline {
    /// The cases of these files for the release.
    pub fn of(args: &CaseArgs, release: Release) -> Result<Outline, Fault> {
        let is_own = args.cases.is_empty()
            && args.only_cases.is_none()
            && std::env::var_os(built_in::VARIABLE).is_none();
        let place = is_own.then(Place::current).flatten();
        if let Some(known) = place.as_ref().and_then(|place| place.read(release)) {
            return Ok(known);
        }
        let set = std::mem::ManuallyDrop::new(args.load()?);
        let selection = set.for_release(&Spec::embedded().at(release)).map_err(Fault::Diagnostics)?;
        let mut outline = Outline::from(&selection);
        if let Some(place) = place {
            outline.key.clone_from(&place.key);
            // Without it, the next command takes as long as this one.
            let _ = place.write(release, &outline);
        }
        // To free the cases takes long, and the command is about to end.
        std::mem::forget(selection);
        Ok(outline)
    }

    /// The cases, of which nothing but id, text, chapter, subject and what they cite is known.
    pub fn cases(self) -> Vec<Case> {
        let cited = self.cited;
        let case = |Line { id, about, chapter, subject, cites }| {
            let cites = cites.into_iter().filter_map(|place| cited.get(place).cloned()).collect();
            Case { id, about, chapter, subject, cites, ..Case::default() }
        };
        self.cases.into_iter().map(case).collect()
    }
}

impl From<&Selection> for Outline {
    fn from(selection: &Selection) -> Outline {
        let mut cited: Vec<&str> = selection.cases.iter().flat_map(Case::citations).collect();
        cited.sort_unstable();
        cited.dedup();
        let line = |case: &Case| Line {
            id: case.id.clone(),
            about: case.about.clone(),
            chapter: case.chapter.clone(),
            subject: case.subject.clone(),
            cites: case.citations().filter_map(|id| cited.binary_search(&id).ok()).collect(),
        };
        Outline {
            key: String::new(),
            cases: selection.cases.iter().map(line).collect(),
            inapplicable: selection.inapplicable.clone(),
            cited: cited.into_iter().map(str::to_owned).collect(),
        }
    }
}

/// Where outlines are remembered, and for which program they hold.
struct Place {
    folder: PathBuf,
    key: String,
}

impl Place {
    fn current() -> Option<Place> {
        let program = std::env::current_exe().ok()?;
        let data = program.metadata().ok()?;
        let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let key = format!("{} {} {}", program.display(), data.len(), changed.as_nanos());
        Some(Place { folder: cache_folder()?.join("cases"), key })
    }

    fn file(&self, release: Release) -> PathBuf {
        self.folder.join(format!("{release}.json"))
    }

    fn read(&self, release: Release) -> Option<Outline> {
        let outline: Outline = serde_json::from_slice(&fs::read(self.file(release)).ok()?).ok()?;
        (outline.key == self.key).then_some(outline)
    }

    fn write(&self, release: Release, outline: &Outline) -> std::io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&serde_json::to_vec(outline)?)?;
        file.persist(self.file(release))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_is_remembered_for_the_same_program_only() {
        let folder = tempfile::tempdir().unwrap();
        let place = |key: &str| Place { folder: folder.path().to_owned(), key: key.to_owned() };
        let case = Case { id: "a/b".to_owned(), about: "it is".to_owned(), ..Case::default() };
        let selection = Selection { cases: vec![case], ..Selection::default() };
        let outline = Outline { key: "this".to_owned(), ..Outline::from(&selection) };
        place("this").write(Release(25), &outline).unwrap();
        assert_eq!(place("this").read(Release(25)), Some(outline.clone()));
        assert_eq!(place("other").read(Release(25)), None);
        assert_eq!(place("this").read(Release(17)), None);
        assert_eq!(outline.cases(), selection.cases);
    }
}
