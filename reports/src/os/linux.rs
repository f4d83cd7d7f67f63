//! Linux.

use std::os::unix::fs::PermissionsExt;

/// Has temporary files be readable like any other: they are private by default.
pub(crate) fn readable(builder: &mut tempfile::Builder<'_, '_>) {
    builder.permissions(PermissionsExt::from_mode(0o666));
}
