//! What a loaded library calls in others goes through words that the dynamic linker fills in: at once, or each at its
//! first use. They are changed here, so that the calls lead elsewhere.

use std::ffi::{CStr, c_int, c_void};
use std::io;
use std::ops::Range;
use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::arch::FUNCTION_RELOCATIONS;
use libc::{Elf64_Phdr, Elf64_Sym, PF_W, PT_DYNAMIC, PT_GNU_RELRO, PT_LOAD, dl_phdr_info};

/// Whether it is known of this processor which words those are.
pub(crate) const SUPPORTED: bool = !FUNCTION_RELOCATIONS.is_empty();

/// An entry of the dynamic section.
#[repr(C)]
struct Dynamic {
    tag: i64,
    value: u64,
}

/// A relocation.
#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: i64,
}

// Tags of the dynamic section.
const END: i64 = 0;
const JUMPS_SIZE: i64 = 2;
const STRINGS: i64 = 5;
const SYMBOLS: i64 = 6;
const RELOCATIONS: i64 = 7;
const RELOCATIONS_SIZE: i64 = 8;
const JUMPS: i64 = 23;

/// One thread at a time changes what may be done with pages: another one might be about to write.
static PROTECTING: Mutex<()> = Mutex::new(());

/// A library in memory.
#[derive(Clone, Copy)]
struct Object {
    base: usize,
    headers: &'static [Elf64_Phdr],
}

/// Leads calls out of the library that this address lies in elsewhere: `lead` is asked for each function that it calls in
/// others, by name, and gives the address of what is to be called instead, or `None`. Step again, it changes nothing more.
///
/// # Safety
/// What is called instead must take and return what the function does. The library must not be unloaded meanwhile.
pub(crate) unsafe fn redirect(inside: usize, lead: &mut dyn FnMut(&CStr) -> Option<usize>) -> io::Result<()> {
    let Some(object) = Object::around(inside) else { return Ok(()) };
    let Some([symbols, strings]) = object.dynamic([SYMBOLS, STRINGS]) else { return Ok(()) };
    let (symbols, strings) = (object.address(symbols), object.address(strings));
    for table in [[JUMPS, JUMPS_SIZE], [RELOCATIONS, RELOCATIONS_SIZE]] {
        let Some([at, size]) = object.dynamic(table) else { continue };
        let (at, count) = (object.address(at), size as usize / size_of::<Relocation>());
        for index in 0..count {
            // SAFETY: the library's dynamic section says that so many lie there.
            let relocation = unsafe { with_exposed_provenance_mut::<Relocation>(at).add(index).read() };
            let (symbol, kind) = ((relocation.info >> 32) as usize, relocation.info as u32);
            if symbol == 0 || !FUNCTION_RELOCATIONS.contains(&kind) {
                continue;
            }
            // SAFETY: a relocation names a symbol of the library's table, and the symbol a terminated name in its
            // strings.
            let name = unsafe {
                let symbol = with_exposed_provenance_mut::<Elf64_Sym>(symbols).add(symbol).read();
                CStr::from_ptr(with_exposed_provenance_mut(strings + symbol.st_name as usize))
            };
            if let Some(function) = lead(name) {
                object.set(object.base.wrapping_add(relocation.offset as usize), function)?;
            }
        }
    }
    Ok(())
}

impl Object {
    /// The one that the address lies in.
    fn around(inside: usize) -> Option<Object> {
        let mut wanted = (inside, None);
        // SAFETY: the function gets the address of `wanted`, which outlives the call.
        unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut wanted).cast()) };
        wanted.1
    }

    /// Values of entries of the dynamic section that are all there.
    fn dynamic<const N: usize>(&self, tags: [i64; N]) -> Option<[u64; N]> {
        let header = self.headers.iter().find(|header| header.p_type == PT_DYNAMIC)?;
        let mut values = [None; N];
        let mut entry: *const Dynamic =
            with_exposed_provenance_mut(self.base.wrapping_add(header.p_vaddr as usize));
        loop {
            // SAFETY: the section goes up to its last entry, and that has not been reached.
            let Dynamic { tag, value } = unsafe { entry.read() };
            if tag == END {
                break;
            }
            if let Some(index) = tags.iter().position(|wanted| *wanted == tag) {
                values[index] = Some(value);
            }
            // SAFETY: as above.
            entry = unsafe { entry.add(1) };
        }
        let mut found = [0; N];
        for (found, value) in found.iter_mut().zip(values) {
            *found = value?;
        }
        Some(found)
    }

    /// The address that the dynamic section means: some linkers add in place what the library was moved by.
    fn address(&self, value: u64) -> usize {
        let value = value as usize;
        if value < self.base { self.base + value } else { value }
    }

    /// Writes a word that the dynamic linker has filled in.
    fn set(&self, at: usize, function: usize) -> io::Result<()> {
        let is_writable = |header: &Elf64_Phdr| {
            header.p_type == PT_LOAD && header.p_flags & PF_W != 0 && self.range(header).contains(&at)
        };
        if !at.is_multiple_of(align_of::<usize>()) || !self.headers.iter().any(is_writable) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        // SAFETY: a relocation's word lies in the library's writable part, aligned; the linker and other threads
        // read and write it as a whole.
        let word = unsafe { AtomicUsize::from_ptr(with_exposed_provenance_mut(at)) };
        if word.load(Ordering::Acquire) == function {
            return Ok(());
        }
        let _protecting = PROTECTING.lock().unwrap_or_else(PoisonError::into_inner);
        let is_protected = self.protected().is_some_and(|range| range.contains(&at));
        if is_protected {
            protect(at, libc::PROT_READ | libc::PROT_WRITE)?;
        }
        word.store(function, Ordering::Release);
        if is_protected {
            protect(at, libc::PROT_READ)?;
        }
        Ok(())
    }

    fn range(&self, header: &Elf64_Phdr) -> Range<usize> {
        let start = self.base.wrapping_add(header.p_vaddr as usize);
        start..start.wrapping_add(header.p_memsz as usize)
    }

    /// The pages that the linker has made read-only after it had filled them in: whole ones only.
    fn protected(&self) -> Option<Range<usize>> {
        let header = self.headers.iter().find(|header| header.p_type == PT_GNU_RELRO)?;
        let Range { start, end } = self.range(header);
        Some(page_of(start)..page_of(end))
    }
}

/// Looks at a library. Has the type that `dl_iterate_phdr` wants.
unsafe extern "C" fn each(info: *mut dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the linker passes a description that is valid during the call, and what `around` passed on.
    let (info, wanted) = unsafe { (&*info, &mut *data.cast::<(usize, Option<Object>)>()) };
    if info.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: that many headers lie there, as long as the library is loaded, which it is while it calls.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let object = Object { base: info.dlpi_addr as usize, headers };
    let holds = |header: &Elf64_Phdr| header.p_type == PT_LOAD && object.range(header).contains(&wanted.0);
    if headers.iter().any(holds) {
        wanted.1 = Some(object);
        return 1;
    }
    0
}

fn page_size() -> usize {
    // SAFETY: asks for a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

fn page_of(at: usize) -> usize {
    at & !(page_size() - 1)
}

/// Changes what may be done with the page of that address.
fn protect(at: usize, protection: c_int) -> io::Result<()> {
    // SAFETY: the page belongs to the library's data, which is read, and written here only.
    match unsafe { libc::mprotect(with_exposed_provenance_mut(page_of(at)), page_size(), protection) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_char;

    use super::*;

    #[test]
    fn functions_that_a_library_calls_are_told_by_name() {
        let here = functions_that_a_library_calls_are_told_by_name as *const ();
        let mut seen = Vec::new();
        // SAFETY: nothing is led anywhere.
        let done = unsafe {
            redirect(here.expose_provenance(), &mut |name| {
                seen.push(name.to_owned());
                None
            })
        };
        done.unwrap();
        for called in [c"free", c"dlsym"] {
            assert!(seen.iter().any(|name| name.as_c_str() == called), "{called:?} is not among {seen:?}");
        }
    }

    #[test]
    fn an_address_in_no_library_leads_nowhere() {
        // SAFETY: nothing is led anywhere.
        unsafe { redirect(8, &mut |name| panic!("{name:?}")) }.unwrap();
    }

    #[test]
    fn threads_may_redirect_the_same_library_at_the_same_time() {
        /// Does what the function does: another test may call it, if only because a panic looks for the program's symbols.
        unsafe extern "C" fn stand_in(path: *const c_char, buffer: *mut c_char, length: usize) -> isize {
            // SAFETY: the caller passes what readlink takes.
            unsafe { libc::readlinkat(libc::AT_FDCWD, path, buffer, length) }
        }
        let here = (threads_may_redirect_the_same_library_at_the_same_time as *const ()).expose_provenance();
        // A function that this program links.
        let symbol = c"readlink";
        // SAFETY: any name may be asked for.
        let original = unsafe { libc::dlsym(libc::RTLD_DEFAULT, symbol.as_ptr()) }.expose_provenance();
        let found = std::sync::atomic::AtomicUsize::new(0);
        let redirect_to = |function: usize| {
            let mut lead = |name: &CStr| {
                let is_it = name == symbol;
                found.fetch_add(is_it.into(), std::sync::atomic::Ordering::Relaxed);
                is_it.then_some(function)
            };
            // SAFETY: the stand-in is as good as the function.
            unsafe { redirect(here, &mut lead) }.unwrap();
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        redirect_to((stand_in as *const ()).expose_provenance());
                        redirect_to(original);
                    }
                });
            }
        });
        redirect_to(original);
        assert!(found.into_inner() > 0, "this program does not call {symbol:?}");
    }
}
