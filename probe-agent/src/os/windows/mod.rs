//! Windows.

pub(crate) mod images;
pub(crate) mod linkage;
pub(crate) mod memory;
pub(crate) mod process;
