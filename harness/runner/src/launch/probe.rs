//! Where the probe agent's library is.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::embedded_probe;
use crate::os::files;

/// Variable that names the library.
pub const VARIABLE: &str = "JVMTI_CHECK_PROBE";

/// The library's file name.
pub use crate::os::PROBE as FILE;

/// The library is nowhere.
#[derive(Debug, Error)]
#[error(
    "the probe agent's library is missing. Looked at:{}\nIt belongs beside the jvmti-check executable; name it with \
     `--probe PATH` or the variable {VARIABLE}",
    looked.iter().map(|path| format!("\n  {path}")).collect::<String>()
)]
pub struct NoProbe {
    /// What was looked at.
    pub looked: Vec<String>,
}

/// Finds the library as [`find`] does; if the user names none, the one inside the program comes first, which is just as old
/// as the program. `inside` is that library, if the program was built with it.
pub fn find_or_write(given: Option<&Path>, inside: Option<&[u8]>) -> Result<PathBuf, NoProbe> {
    match inside {
        Some(library) if given.is_none() && std::env::var_os(VARIABLE).is_none() => {
            embedded_probe::written(library)
                .map_err(|error| NoProbe { looked: vec![format!("the one in this program ({error})")] })
        }
        _ => find(given),
    }
}

/// Finds the library: the path given, else the one that the variable names, else the newest near the executable: beside
/// it, in `deps` beside it (where `cargo test` builds it, and leaves an older one beside the executable), in `../lib`.
pub fn find(given: Option<&Path>) -> Result<PathBuf, NoProbe> {
    let executable = std::env::current_exe().ok();
    look(given, std::env::var_os(VARIABLE).map(PathBuf::from).as_deref(), executable.as_deref())
}

fn look(
    given: Option<&Path>,
    variable: Option<&Path>,
    executable: Option<&Path>,
) -> Result<PathBuf, NoProbe> {
    let candidates: Vec<(&str, PathBuf)> = match (given, variable, executable.and_then(Path::parent)) {
        // What the user names is meant; nothing else is taken in its place.
        (Some(path), _, _) => vec![("--probe", path.to_owned())],
        (None, Some(path), _) => vec![(VARIABLE, path.to_owned())],
        (None, None, Some(folder)) => {
            // An executable of `cargo test` lies in `deps`. Above any other folder others may be able to write.
            let above = folder.ends_with("deps").then_some("..");
            let places = ["", "deps", "../lib"].into_iter().chain(above);
            places.map(|place| ("", folder.join(place).join(FILE))).collect()
        }
        (None, None, None) => Vec::new(),
    };
    let (mut looked, mut there) = (Vec::new(), Vec::new());
    for (name, path) in candidates {
        match files::canonical(&path) {
            Ok(found) if found.is_file() => there.push(found),
            _ => looked.push(if name.is_empty() {
                path.display().to_string()
            } else {
                format!("{} ({name})", path.display())
            }),
        }
    }
    let age = |path: &PathBuf| {
        path.metadata().and_then(|file| file.modified()).ok().and_then(|at| at.elapsed().ok())
    };
    there.into_iter().min_by_key(age).ok_or(NoProbe { looked })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_taken_or_missed() {
        let dir = tempfile::tempdir().unwrap();
        let library = dir.path().join(FILE);
        std::fs::write(&library, "").unwrap();
        let absent = dir.path().join("absent.so");
        let executable = dir.path().join("jvmti-check");

        assert_eq!(look(Some(&library), Some(&absent), None).unwrap(), library.canonicalize().unwrap());
        let missed = look(Some(&absent), Some(&library), Some(&executable)).unwrap_err();
        assert_eq!(missed.looked, [format!("{} (--probe)", absent.display())]);
        assert!(look(None, Some(&absent), Some(&executable)).is_err());
    }

    #[test]
    fn it_is_found_near_the_executable() {
        for place in ["bin", "bin/deps", "lib"] {
            let dir = tempfile::tempdir().unwrap();
            let folder = dir.path().join(place);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::create_dir_all(dir.path().join("bin")).unwrap();
            std::fs::write(folder.join(FILE), "").unwrap();
            let found = look(None, None, Some(&dir.path().join("bin/jvmti-check"))).unwrap();
            assert_eq!(found, folder.join(FILE).canonicalize().unwrap());
        }
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join(FILE), dir.path().join("deps").join(FILE));
        std::fs::create_dir(dir.path().join("deps")).unwrap();
        std::fs::write(&new, "").unwrap();
        let file = std::fs::File::create(&old).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(60)).unwrap();
        let found = look(None, None, Some(&dir.path().join("jvmti-check"))).unwrap();
        assert_eq!(found, new.canonicalize().unwrap(), "not what an earlier build left");
        let nothing = look(None, None, Some(Path::new("/nowhere/bin/jvmti-check"))).unwrap_err();
        assert_eq!(nothing.looked.len(), 3);
        assert!(nothing.to_string().contains("--probe"));
    }

    #[test]
    fn above_its_folder_it_is_found_only_by_tests() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), "").unwrap();
        for (folder, is_found) in [("deps", true), ("bin", false)] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
            let executable = dir.path().join(folder).join("jvmti-check");
            assert_eq!(look(None, None, Some(&executable)).is_ok(), is_found, "{folder}");
        }
    }
}
