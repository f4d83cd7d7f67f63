//! Where case files come from: a folder that the user names, or those that this program was built with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::source::SourceFile;
use crate::{CaseSet, Diagnostics, LoadError, files, load};

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

/// The built-in case files, or those of the folder in `only` or of the one that the variable names, together with those of
/// each folder in `added`: see [`CaseSet::read_layers`]. What is wrong is told with the path of its file.
pub fn layered(only: Option<&Path>, added: &[PathBuf]) -> Result<CaseSet, LoadError> {
    let named = only.map(Path::to_owned).or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from));
    if named.is_none() && added.is_empty() {
        return Ok(CaseSet::read(built_in())?);
    }
    let folders: Vec<PathBuf> = named.iter().cloned().chain(added.iter().cloned()).collect();
    let mut layers = if named.is_none() { vec![built_in().collect()] } else { Vec::new() };
    for folder in &folders {
        layers.push(files::read(folder)?);
    }
    let told = |faults: Diagnostics| LoadError::Faulty(with_paths(faults, &folders));
    let set = CaseSet::read_layers(layers).map_err(told)?;
    let faults = set.check_others(is_built_in);
    if faults.has_errors() { Err(told(faults)) } else { Ok(set) }
}

/// Whether the program was built with that file, and so checked it.
fn is_built_in(file: &SourceFile) -> bool {
    text(&file.name) == Some(&file.text)
}

/// The same with the paths of files that are in these folders, the last of them first, instead of their names.
pub fn with_paths(mut faults: Diagnostics, folders: &[PathBuf]) -> Diagnostics {
    for fault in &mut faults.0 {
        let has = |folder: &&PathBuf| {
            std::fs::read_to_string(folder.join(&fault.file.name)).is_ok_and(|text| text == fault.file.text)
        };
        if let Some(folder) = folders.iter().rev().find(has) {
            let name = folder.join(&fault.file.name).display().to_string();
            fault.file = Arc::new(SourceFile { name, text: fault.file.text.clone() });
        }
    }
    faults
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
