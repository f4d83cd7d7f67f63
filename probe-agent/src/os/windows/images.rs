//! Libraries and executables in this process.

use std::ffi::{CStr, OsString, c_void};
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::ptr::{null_mut, with_exposed_provenance};

use windows_sys::Win32::Foundation::HMODULE;
use windows_sys::Win32::System::Diagnostics::Debug::RtlCaptureStackBackTrace;
use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_PIN,
    GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, GetModuleFileNameW, GetModuleHandleExW, GetProcAddress,
    LoadLibraryW,
};

use crate::os::{Named, Place};

/// The longest path that the system knows.
const LONGEST: usize = 1 << 15;

/// The same as [`place`], without memory of its own: nobody needs it, as agents are not recorded here.
pub(crate) fn named(_: usize) -> Option<Named> {
    None
}

/// What that address lies in, if it is a library or executable.
pub(crate) fn place(address: usize) -> Option<Place> {
    let flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    let mut module: HMODULE = null_mut();
    // SAFETY: with these flags the name is an address, and any may be asked about; `module` outlives the call.
    if unsafe { GetModuleHandleExW(flags, with_exposed_provenance(address), &mut module) } == 0 {
        return None;
    }
    let mut path = vec![0u16; LONGEST];
    // SAFETY: there is room for that many characters.
    let length = unsafe { GetModuleFileNameW(module, path.as_mut_ptr(), LONGEST as u32) };
    let path = path.get(..length as usize).unwrap_or_default();
    let image = OsString::from_wide(path).to_string_lossy().into_owned();
    Some(Place { image, base: module.addr(), symbol: String::new() })
}

/// Whether a return address, which lies in a library, is that of a signal handler: there are none.
pub(crate) fn is_signal_return(_: usize) -> bool {
    false
}

/// The return addresses of this function and its callers, innermost first. Gives how many there were room for.
pub(crate) fn callers(addresses: &mut [*mut c_void]) -> usize {
    let room = u32::try_from(addresses.len()).unwrap_or(u32::MAX);
    // SAFETY: the array has room for that many addresses; the hash is not asked for.
    unsafe { RtlCaptureStackBackTrace(0, room, addresses.as_mut_ptr(), null_mut()) }.into()
}

/// The function that a name in a library refers to: not known here.
pub(crate) fn function_meant(_symbol: &CStr, _inside: usize) -> *mut c_void {
    null_mut()
}

/// Keeps the image that this code is in until the process ends: JVMs unload an agent that returns an error, and threads of the probe
/// would go on where nothing is.
pub(crate) fn keep_own() {
    let flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN;
    let here = (keep_own as *const ()).expose_provenance();
    let mut module: HMODULE = null_mut();
    // SAFETY: with these flags the name is an address, which lies in this image; `module` outlives the call. Without it, the image
    // stays as long as nobody unloads it.
    unsafe { GetModuleHandleExW(flags, with_exposed_provenance(here), &mut module) };
}

/// Loads a library for good, and gives its function of that name, or null. Fails with the reason why it cannot be loaded.
pub(crate) fn load(library: &Path, function: &CStr) -> Result<*mut c_void, String> {
    let path: Vec<u16> = library.as_os_str().encode_wide().chain([0]).collect();
    // SAFETY: the path is terminated. Loading a library runs its initialisers, which is what is wanted.
    let module = unsafe { LoadLibraryW(path.as_ptr()) };
    if module.is_null() {
        return Err(io::Error::last_os_error().to_string());
    }
    // SAFETY: the module is loaded, the name terminated.
    let found = unsafe { GetProcAddress(module, function.as_ptr().cast()) };
    Ok(found.map_or(null_mut(), |function| function as *mut c_void))
}
