//! Writing a report so that its file is either the old one or the whole new one.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::os;

/// A report that could not be written.
#[derive(Debug, Error)]
#[error("cannot write {}: {error}; {advice}", path.display())]
pub struct OutputError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// What the operating system said.
    pub error: io::Error,
    /// What to do about it.
    pub advice: &'static str,
}

impl OutputError {
    fn new(path: &Path, error: io::Error) -> OutputError {
        let advice = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "free some space, or name a folder on another disk"
            }
            ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => {
                "name a folder that you may write to"
            }
            ErrorKind::NotFound => "create the folder first, or name one that exists",
            ErrorKind::NotADirectory => "a part of the path is a file; name a folder",
            ErrorKind::IsADirectory => "this is a folder; name a file in it",
            ErrorKind::InvalidFilename => "name a shorter path",
            _ => "name another file",
        };
        OutputError { path: path.to_owned(), error, advice }
    }
}

/// Writes the file as a whole: into a new file beside it, which then takes its name. Readers see the old or the new
/// one, never half. What is not a regular file (`/dev/stdout`, a pipe) is written to directly.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    try_write(path, bytes).map_err(|error| OutputError::new(path, error))
}

fn try_write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match fs::metadata(path) {
        Ok(at) if at.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        Ok(at) if !at.is_file() => return File::options().write(true).open(path)?.write_all(bytes),
        // A link stays a link: the file it leads to is replaced.
        Ok(_) => fs::canonicalize(path)?,
        Err(_) => path.to_owned(),
    };
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(&target)?;
    Ok(())
}

/// A new file in that folder, readable like any other once it has its name (temporary files are private by default).
fn temporary(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".jvmti-check-");
    os::readable(&mut builder);
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_whole_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        write(&path, b"old").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn says_which_path_and_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("none/results.json");
        let error = write(&missing, b"").unwrap_err().to_string();
        assert!(error.contains("none/results.json") && error.contains("create the folder first"), "{error}");
        let error = write(folder.path(), b"").unwrap_err().to_string();
        assert!(error.contains("this is a folder"), "{error}");
        let file = folder.path().join("file");
        fs::write(&file, b"").unwrap();
        let error = write(&file.join("results.json"), b"").unwrap_err().to_string();
        assert!(error.contains("a part of the path is a file"), "{error}");
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, b"old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
    }

    #[test]
    fn a_full_disk_is_reported_as_such() {
        let error = write(Path::new("/dev/full"), b"x").unwrap_err().to_string();
        assert!(error.contains("/dev/full") && error.contains("free some space"), "{error}");
    }
}
