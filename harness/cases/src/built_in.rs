//! Where case files come from: a folder that the user names, or those that this program was built with.

use std::path::{Path, PathBuf};

use crate::source::SourceFile;
use crate::{CaseSet, LoadError, load};

/// Variable that names a folder of case files.
pub const VARIABLE: &str = "JVMTI_CHECK_CASES";

/// Folders below the cases folder whose files have another form.
const OTHER_FORMS: [&str; 1] = ["agents/"];

static BUILT_IN: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/case_files.rs"));

/// The case files of this folder, else of the one that the variable names, else those built in. Those built in have
/// been checked when they were built in; others are checked here.
pub fn case_files(given: Option<&Path>) -> Result<CaseSet, LoadError> {
    let named = given.map(Path::to_owned).or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from));
    match named {
        Some(folder) => load(&folder),
        None => Ok(CaseSet::read(built_in())?),
    }
}

/// The text of a case file that this program was built with.
pub fn text(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(built_in, _)| *built_in == name).map(|(_, text)| *text)
}

fn built_in() -> impl Iterator<Item = SourceFile> {
    BUILT_IN
        .iter()
        .filter(|(name, _)| !OTHER_FORMS.iter().any(|folder| name.starts_with(folder)))
        .map(|(name, text)| SourceFile { name: (*name).to_owned(), text: (*text).to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_built_in_are_faultless() {
        let set = CaseSet::read(built_in()).unwrap();
        let faults = set.check();
        assert!(!faults.has_errors(), "{:?}", miette::Report::new(faults));
    }
}
