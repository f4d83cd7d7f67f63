//! Libraries and executables in this process.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;
use std::ptr::{null, null_mut, with_exposed_provenance};

use crate::arch::SIGNAL_RETURN;
use crate::os::{Named, Place};

/// The same as [`place`], without memory of its own.
pub(crate) fn named(address: usize) -> Option<Named> {
    let info = info(address)?;
    Some(Named {
        image: lasting(info.dli_fname),
        base: info.dli_fbase.addr(),
        symbol: lasting(info.dli_sname),
    })
}

/// A name as it is in memory; empty if there is none, or if it is not in UTF-8.
fn lasting(name: *const c_char) -> &'static str {
    match name.is_null() {
        true => "",
        // SAFETY: names in what is loaded are terminated, and stay while it is; whoever asks lets nothing be unloaded meanwhile.
        false => unsafe { CStr::from_ptr(name) }.to_str().unwrap_or_default(),
    }
}

/// What that address lies in, if it is a library or executable.
pub(crate) fn place(address: usize) -> Option<Place> {
    let info = info(address)?;
    Some(Place { image: text(info.dli_fname), base: info.dli_fbase.addr(), symbol: text(info.dli_sname) })
}

fn info(address: usize) -> Option<libc::Dl_info> {
    let mut info =
        libc::Dl_info { dli_fname: null(), dli_fbase: null_mut(), dli_sname: null(), dli_saddr: null_mut() };
    // SAFETY: any address may be asked about; the structure outlives the call.
    let found = unsafe { libc::dladdr(with_exposed_provenance(address), &mut info) };
    (found != 0).then_some(info)
}

fn text(name: *const c_char) -> String {
    match name.is_null() {
        true => String::new(),
        // SAFETY: names in what is loaded are terminated, and stay while it is.
        false => unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned(),
    }
}

/// Whether a return address, which lies in a library, is that of a signal handler.
pub(crate) fn is_signal_return(address: usize) -> bool {
    let code = with_exposed_provenance::<u8>(address);
    // SAFETY: the code of a library is readable, and the comparison ends at the first byte that is another.
    let mut bytes = (0..SIGNAL_RETURN.len()).map(|at| unsafe { code.add(at).read_volatile() });
    !SIGNAL_RETURN.is_empty() && SIGNAL_RETURN.iter().all(|byte| bytes.next() == Some(*byte))
}

/// The return addresses of this function and its callers, innermost first. Gives how many there were room for.
pub(crate) fn callers(addresses: &mut [*mut c_void]) -> usize {
    backtrace(addresses)
}

#[cfg(not(target_env = "musl"))]
fn backtrace(addresses: &mut [*mut c_void]) -> usize {
    let room = std::ffi::c_int::try_from(addresses.len()).unwrap_or(std::ffi::c_int::MAX);
    // SAFETY: the array has room for that many addresses.
    let count = unsafe { libc::backtrace(addresses.as_mut_ptr(), room) };
    usize::try_from(count).unwrap_or(0)
}

#[cfg(target_env = "musl")]
use super::unwinder::backtrace;

/// The function that a name in a library refers to: one of the whole program, or else one of the library and its
/// dependencies.
pub(crate) fn function_meant(symbol: &CStr, inside: usize) -> *mut c_void {
    // SAFETY: any name may be asked for.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, symbol.as_ptr()) };
    if !found.is_null() {
        return found;
    }
    let Some(path) = info(inside).map(|info| info.dli_fname).filter(|path| !path.is_null()) else {
        return null_mut();
    };
    // SAFETY: the path is a terminated string; nothing is loaded that is not there already, and so nothing goes when the
    // handle is given back.
    unsafe {
        let library = libc::dlopen(path, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() {
            return null_mut();
        }
        let found = libc::dlsym(library, symbol.as_ptr());
        libc::dlclose(library);
        found
    }
}

/// Keeps the image that this code is in until the process ends. Nothing to do: the linker keeps a library as long as a thread has
/// thread-local storage with destructors in it, as those of the probe have.
pub(crate) fn keep_own() {}

/// Loads a library for good, and gives its function of that name, or null. Fails with the reason why it cannot be loaded.
pub(crate) fn load(library: &Path, function: &CStr) -> Result<*mut c_void, String> {
    let path = CString::new(library.to_string_lossy().as_ref())
        .map_err(|_| "there is a zero byte in its path".to_owned())?;
    // SAFETY: the path is terminated. Loading a library runs its initialisers, which is what is wanted.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    if handle.is_null() {
        return Err(last_error());
    }
    // SAFETY: the handle is valid, the name terminated.
    Ok(unsafe { libc::dlsym(handle, function.as_ptr()) })
}

fn last_error() -> String {
    // SAFETY: gives a terminated string that stays until the next call on this thread, or null.
    let error = text(unsafe { libc::dlerror() });
    if error.is_empty() { "it cannot be loaded".to_owned() } else { error }
}
