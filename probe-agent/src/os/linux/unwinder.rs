//! The callers of a function, from the unwinder that Rust's standard library comes with.

use std::ffi::{c_int, c_void};

/// What the unwinder knows of a frame.
#[repr(C)]
struct Context {
    _opaque: [u8; 0],
}

const GO_ON: c_int = 0;
/// Any other value ends the walk.
const END: c_int = 5;

unsafe extern "C" {
    fn _Unwind_Backtrace(
        each: unsafe extern "C" fn(*mut Context, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut Context) -> usize;
    fn _Unwind_GetCFA(context: *mut Context) -> usize;
}

/// Addresses that have been found, and the place for more.
struct Walk<'a> {
    addresses: &'a mut [*mut c_void],
    count: usize,
    /// Where the stack was in the last frame.
    stack: usize,
}

/// The return addresses of this function's caller and of its callers, innermost first. Gives how many there were room for.
pub(super) fn backtrace(addresses: &mut [*mut c_void]) -> usize {
    let mut walk = Walk { addresses, count: 0, stack: 0 };
    // SAFETY: the function gets the address of `walk`, which outlives the call.
    unsafe { _Unwind_Backtrace(each, (&raw mut walk).cast()) };
    walk.count
}

/// Takes a frame. Has the type that the unwinder wants.
unsafe extern "C" fn each(context: *mut Context, data: *mut c_void) -> c_int {
    // SAFETY: what `backtrace` passed on.
    let walk = unsafe { &mut *data.cast::<Walk<'_>>() };
    // SAFETY: the context is the unwinder's, and valid during this call.
    let (address, stack) = unsafe { (_Unwind_GetIP(context), _Unwind_GetCFA(context)) };
    // In code without descriptions, such as a JVM's, a walk can come to nothing, or not get on.
    let gets_on = walk.count == 0 || stack != walk.stack;
    if address == 0 || !gets_on || walk.count == walk.addresses.len() {
        return END;
    }
    walk.addresses[walk.count] = std::ptr::with_exposed_provenance_mut(address);
    walk.count += 1;
    walk.stack = stack;
    GO_ON
}
