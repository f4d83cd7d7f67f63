//! Windows.

/// Why native agents cannot be recorded here.
pub(crate) const NO_RECORDING: Option<&str> = Some(
    "agents cannot be recorded, run or measured on Windows: the probe has no stubs for its calling convention. Recordings made \
     elsewhere can be shown, checked and compared",
);

/// Nothing to do: that is an error here.
pub(crate) fn outlive_large_files() {}
