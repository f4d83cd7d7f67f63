//! The functions that a library calls in others: the probe does not lead them elsewhere here.

use std::ffi::CStr;
use std::io;

use crate::arch::FUNCTION_RELOCATIONS;

/// Whether it is known of this platform which words those are.
pub(crate) const SUPPORTED: bool = !FUNCTION_RELOCATIONS.is_empty();

/// Leads nothing anywhere.
///
/// # Safety
/// Nothing has to hold.
pub(crate) unsafe fn redirect(
    _inside: usize,
    _lead: &mut dyn FnMut(&CStr) -> Option<usize>,
) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
