//! Windows.

/// Nothing to do: who can read a file is for its folder to say.
pub(crate) fn readable(_builder: &mut tempfile::Builder<'_, '_>) {}
