//! Folders and files that belong to one user alone: what a user makes below the own profile, where temporary folders and caches
//! are, is the user's alone by the access list that it inherits. It is not looked at.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Makes a folder with that prefix in `parent`.
pub(crate) fn temporary_folder(parent: &Path, prefix: &str) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).tempdir_in(parent)
}

/// Makes the folder, and those above it.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

/// Whether it belongs to this user: taken to be so, see above.
pub(crate) fn is_own(_data: &Metadata) -> bool {
    true
}

/// Whether only this user can change it: taken to be so, see above.
pub(crate) fn is_private(_data: &Metadata) -> bool {
    true
}

/// Opens what anybody may have put there.
pub(crate) fn open_suspect(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// The path with all links resolved, as programs take it: most do not know the system's own form, `\\?\C:\folder`.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    let path = path.canonicalize()?;
    let plain = path.to_str().and_then(|text| text.strip_prefix(r"\\?\"));
    let plain = plain.filter(|text| text.as_bytes().get(1) == Some(&b':')).map(PathBuf::from);
    Ok(plain.unwrap_or(path))
}
