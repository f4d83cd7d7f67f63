//! Folders and files that belong to one user alone.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::process::geteuid;
use tempfile::TempDir;

/// Makes a folder with that prefix in `parent`, to which no other user has access.
pub(crate) fn temporary_folder(parent: &Path, prefix: &str) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).permissions(Permissions::from_mode(0o700)).tempdir_in(parent)
}

/// Makes the folder, and those above it, so that no other user has access to them.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Whether it belongs to this user.
pub(crate) fn is_own(data: &Metadata) -> bool {
    data.uid() == geteuid().as_raw()
}

/// Whether only this user can change it.
pub(crate) fn is_private(data: &Metadata) -> bool {
    is_own(data) && data.mode() & 0o022 == 0
}

/// Opens what anybody may have put there, if only a pipe, which would block whoever opens it, or a link.
pub(crate) fn open_suspect(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
    OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)
}

/// The path with all links resolved, as programs take it.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}
