//! Windows.

/// Nothing to do: that is an error here.
pub(crate) fn outlive_large_files() {}
