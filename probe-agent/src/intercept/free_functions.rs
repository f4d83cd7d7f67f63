//! Replaces the functions with which C and C++ free memory in the libraries of agents. In recordings that poison, the replacements do not
//! free memory that the JVM allocated; they pass everything else on to the original functions. Those for functions that allocate note
//! where memory lies, if it is glibc that allocates it; only such recordings need them.

use std::ffi::{CStr, c_void};
use std::io;
use std::mem::transmute;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use super::{call_sites, freed_elsewhere, own_blocks, poison};
use crate::os::{images, linkage};
use crate::recording::trouble;

/// A function that frees memory, or allocates it.
struct Function {
    /// Its name for the linker.
    symbol: &'static CStr,
    /// Its name for people.
    name: &'static str,
    /// Its replacement.
    stand_in: *const c_void,
    /// The original, once the probe has found a library that calls it.
    original: AtomicPtr<c_void>,
}

// SAFETY: the addresses are of functions, which any thread may call.
unsafe impl Sync for Function {}

const fn function(symbol: &'static CStr, name: &'static str, stand_in: *const c_void) -> Function {
    Function { symbol, name, stand_in, original: AtomicPtr::new(null_mut()) }
}

const FREE: usize = 0;
const REALLOC: usize = 1;
const DELETE: usize = 2;
const DELETE_ARRAY: usize = 3;
const DELETE_SIZED: usize = 4;
const DELETE_SIZED_ARRAY: usize = 5;
const MALLOC: usize = 6;
const CALLOC: usize = 7;
const NEW: usize = 8;
const NEW_ARRAY: usize = 9;

static ALL: [Function; 10] = [
    function(c"free", "free", free as *const c_void),
    function(c"realloc", "realloc", realloc as *const c_void),
    function(c"_ZdlPv", "operator delete", delete as *const c_void),
    function(c"_ZdaPv", "operator delete[]", delete_array as *const c_void),
    function(c"_ZdlPvm", "operator delete", delete_sized as *const c_void),
    function(c"_ZdaPvm", "operator delete[]", delete_sized_array as *const c_void),
    function(c"malloc", "malloc", malloc as *const c_void),
    function(c"calloc", "calloc", calloc as *const c_void),
    function(c"_Znwm", "operator new", new as *const c_void),
    function(c"_Znam", "operator new[]", new_array as *const c_void),
];

/// A library has requested an environment: from now on the probe sees what it frees.
pub fn watch(caller: u64) {
    if !freed_elsewhere::sees_deallocations() {
        return;
    }
    if !linkage::SUPPORTED {
        static TOLD: AtomicBool = AtomicBool::new(false);
        if poison::is_on() && !TOLD.swap(true, Ordering::Relaxed) {
            trouble(
                "on this platform the probe cannot see whether an agent frees memory of the JVM's by anything but Deallocate",
            );
        }
    } else if let Err(error) = redirect(caller as usize) {
        let library = call_sites::place(caller).library;
        trouble(format!("the probe cannot see what {library} frees: {error}"));
    }
}

/// Makes the library that contains this address call the replacements.
fn redirect(inside: usize) -> io::Result<()> {
    // glibc notes sizes in a way that the probe knows, unless another library stands in for its allocator.
    let of_glibc = |symbol| {
        let function = images::function_meant(symbol, inside).expose_provenance();
        images::place(function).is_some_and(|place| place.image.ends_with("/libc.so.6"))
    };
    if poison::is_on() && [c"malloc", c"free"].into_iter().all(of_glibc) {
        own_blocks::begin();
    }
    let mut lead = |symbol: &CStr| {
        // Without poison, nobody asks where the library's own memory lies.
        let replaced = if poison::is_on() { &ALL[..] } else { &ALL[..MALLOC] };
        let function = replaced.iter().find(|function| function.symbol == symbol)?;
        let meant = images::function_meant(symbol, inside);
        let known =
            function.original.compare_exchange(null_mut(), meant, Ordering::AcqRel, Ordering::Acquire);
        // The probe leaves a library alone that has its own function with that name, if it has found another one before.
        let is_same = !meant.is_null() && known.is_ok() || known == Err(meant);
        is_same.then(|| function.stand_in.expose_provenance())
    };
    // SAFETY: the stand-ins take and return what C and C++ say. The library calls at this moment, so it stays.
    unsafe { linkage::redirect(inside, &mut lead) }
}

/// The original. Libraries call its replacement only after the probe has found the original.
fn original(which: usize) -> *mut c_void {
    ALL[which].original.load(Ordering::Acquire)
}

/// The size of the memory, if the JVM allocated it. In that case, the probe records that the agent tried to free it.
fn refused(which: usize, at: *mut c_void) -> Option<usize> {
    if at.is_null() { None } else { freed_elsewhere::freed(at.expose_provenance() as u64, ALL[which].name) }
}

/// A function that frees the memory at its first argument, whatever its other arguments are.
macro_rules! stand_in {
    ($name:ident, $which:ident $(, $more:ident: $type:ty)*) => {
        unsafe extern "C" fn $name(at: *mut c_void $(, $more: $type)*) {
            if refused($which, at).is_none() {
                own_blocks::freed(at.expose_provenance() as u64);
                // SAFETY: the address is that of the function by this name, which takes these arguments; they are the
                // caller's.
                unsafe {
                    let original: unsafe extern "C" fn(*mut c_void $(, $type)*) = transmute(original($which));
                    original(at $(, $more)*);
                }
            }
        }
    };
}

stand_in!(free, FREE);
stand_in!(delete, DELETE);
stand_in!(delete_array, DELETE_ARRAY);
stand_in!(delete_sized, DELETE_SIZED, size: usize);
stand_in!(delete_sized_array, DELETE_SIZED_ARRAY, size: usize);

/// Notes that an agent has allocated memory there.
fn noted(at: *mut c_void) -> *mut c_void {
    own_blocks::allocated(at.expose_provenance() as u64);
    at
}

/// A function that allocates memory, whatever its arguments are. That of C++ may throw.
macro_rules! allocating {
    ($name:ident, $which:ident, $abi:literal, $($size:ident),+) => {
        unsafe extern $abi fn $name($($size: usize),+) -> *mut c_void {
            // SAFETY: the address is that of the function by this name, which takes these arguments; they are the caller's.
            noted(unsafe {
                let original: unsafe extern $abi fn($(allocating!(@size $size)),+) -> *mut c_void =
                    transmute(original($which));
                original($($size),+)
            })
        }
    };
    (@size $size:ident) => { usize };
}

allocating!(malloc, MALLOC, "C", size);
allocating!(calloc, CALLOC, "C", count, size);
allocating!(new, NEW, "C-unwind", size);
allocating!(new_array, NEW_ARRAY, "C-unwind", size);

unsafe extern "C" fn realloc(at: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: the address is that of `realloc`.
    let original: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void =
        unsafe { transmute(original(REALLOC)) };
    let Some(held) = refused(REALLOC, at) else {
        own_blocks::freed(at.expose_provenance() as u64);
        // SAFETY: the arguments are the caller's.
        return noted(unsafe { original(at, size) });
    };
    if size == 0 {
        return null_mut();
    }
    // SAFETY: there is nothing to be freed.
    let fresh = unsafe { original(null_mut(), size) };
    if !fresh.is_null() {
        // SAFETY: the JVM gave so much there, and so much has just been allocated.
        unsafe { fresh.cast::<u8>().copy_from_nonoverlapping(at.cast(), held.min(size)) };
    }
    fresh
}
