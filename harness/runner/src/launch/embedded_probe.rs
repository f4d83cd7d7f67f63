//! The probe's library as part of the program: written out to a private folder before its first use.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::probe::FILE;
use super::scratch::Scratch;
use crate::jvm::cache_folder;
use crate::os::files;

/// Folder of the libraries, in the folder for what is cached.
const FOLDER: &str = "probe";

/// Writes the library to the cache folder, unless it is there, and gives its path. Where nothing can be cached, it goes to
/// a folder that is gone after the program.
pub fn written(library: &[u8]) -> io::Result<PathBuf> {
    let digest: String = Sha256::digest(library).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let cached = cache_folder().map(|folder| in_folder(library, &folder.join(FOLDER).join(digest)));
    match cached {
        Some(Ok(path)) => Ok(path),
        Some(Err(_)) | None => {
            // Lives as long as the program: JVMs load from it up to the end.
            let scratch = Box::leak(Box::new(Scratch::new()?));
            let path = scratch.file(FILE);
            std::fs::write(&path, library)?;
            Ok(path)
        }
    }
}

/// Writes the library to this folder, unless just it is there. The folder and the file are nobody else's: whoever could
/// change them could run code in the JVMs.
fn in_folder(library: &[u8], folder: &Path) -> io::Result<PathBuf> {
    files::make_private(folder)?;
    for above in [Some(folder), folder.parent()].into_iter().flatten() {
        let data = std::fs::symlink_metadata(above)?;
        if !data.is_dir() || !files::is_private(&data) {
            let message = format!("{} is open to other users", above.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
    }
    let path = folder.join(FILE);
    if is_it(&path, library)? {
        return files::canonical(&path);
    }
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(library)?;
    file.persist(&path)?;
    files::canonical(&path)
}

/// Whether the file has just this content. One that others could write to is not trusted, whatever it holds now.
fn is_it(path: &Path, library: &[u8]) -> io::Result<bool> {
    match std::fs::symlink_metadata(path) {
        Ok(data) if data.is_file() && files::is_private(&data) && data.len() == library.len() as u64 => {}
        Ok(_) => return Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    }
    let mut found = Vec::with_capacity(library.len());
    File::open(path)?.take(library.len() as u64 + 1).read_to_end(&mut found)?;
    Ok(Sha256::digest(&found) == Sha256::digest(library))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    #[test]
    fn the_library_is_written_once_and_renewed_if_changed() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("cache/probe/0123");
        let path = in_folder(b"library", &folder).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"library");
        assert_eq!(folder.metadata().unwrap().mode() & 0o777, 0o700);
        let before = path.metadata().unwrap().ino();
        in_folder(b"library", &folder).unwrap();
        assert_eq!(path.metadata().unwrap().ino(), before, "it is there already");
        std::fs::write(&path, b"LIBRARY").unwrap();
        in_folder(b"library", &folder).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"library", "somebody else's");
        std::fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
        in_folder(b"library", &folder).unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o022, 0, "open to others");
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("0123");
        std::fs::create_dir(&folder).unwrap();
        std::fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
        assert_eq!(in_folder(b"library", &folder).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        let elsewhere = place.path().join("elsewhere");
        std::os::unix::fs::symlink(&folder, &elsewhere).unwrap();
        assert!(in_folder(b"library", &elsewhere).is_err());
    }
}
