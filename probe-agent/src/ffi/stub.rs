//! Functions that take the place of the JVM's own in tables that agents call through: one for each slot, all leading
//! to one dispatch that is told the slot, the arguments as they lie in registers, and where the call returns to.
//!
//! No function of JVM TI takes more than six words, or more than one floating-point number, so that all arguments are
//! in registers. A stub adds its slot and the return address as two words more and leaves the registers as they are.

use std::sync::OnceLock;

use jni_sys::jint;

/// The slot told for `JavaVM::GetEnv`.
pub const GET_ENV: u16 = 0xf000;
/// The slot told for the first of the functions that take the place of the JVM's extension functions.
pub const FIRST_FUNCTION: u16 = 0xd000;
/// The slot told for the first of the functions that take the place of an agent's for an extension event.
pub const FIRST_EXTENSION: u16 = 0xe000;

/// A call of a function that a stub stands for.
#[derive(Clone, Copy, Debug)]
pub struct Entered {
    /// The slot.
    pub slot: u16,
    /// Arguments in integer registers, from the first one on (the environment).
    pub words: [u64; 6],
    /// The bits of the first floating-point register.
    pub float: u64,
    /// Where the call returns to.
    pub caller: u64,
}

/// A function of JVM TI, as far as registers are concerned.
type AnyFunction = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, f64) -> jint;

impl Entered {
    /// Calls a function with the same arguments.
    ///
    /// # Safety
    /// The function has to be one that takes these arguments, all of them in registers.
    pub unsafe fn forward(&self, function: *const std::ffi::c_void) -> jint {
        // SAFETY: the caller vouches for the function; registers that it has no arguments in are its to ignore.
        let function = unsafe { std::mem::transmute::<*const std::ffi::c_void, AnyFunction>(function) };
        let [a, b, c, d, e, f] = self.words;
        // SAFETY: as above.
        unsafe { function(a, b, c, d, e, f, f64::from_bits(self.float)) }
    }
}

static HANDLER: OnceLock<fn(&Entered) -> jint> = OnceLock::new();

/// Sets the function that handles the calls of all stubs. It has to be set before any stub is handed out; the first setting
/// stays.
pub fn install(handler: fn(&Entered) -> jint) {
    let _ = HANDLER.set(handler);
}

/// Where all stubs lead.
pub(super) extern "C" fn entered(
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    e: u64,
    f: u64,
    slot: u64,
    caller: u64,
    float: f64,
) -> jint {
    let words = [a, b, c, d, e, f];
    let entered = Entered { slot: slot as u16, words, float: float.to_bits(), caller };
    match HANDLER.get() {
        Some(handler) => handler(&entered),
        // No stub is handed out before: there is nothing that this one could stand for.
        None => std::process::abort(),
    }
}

/// Whether this platform's stubs exist: those of the System V and AArch64 calling conventions do.
pub const SUPPORTED: bool = cfg!(all(unix, any(target_arch = "x86_64", target_arch = "aarch64")));

/// Defines the stub of one slot.
#[cfg(all(unix, target_arch = "x86_64"))]
macro_rules! stub {
    ($name:ident, $slot:literal) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                ".cfi_startproc",
                "sub rsp, 8",
                "push qword ptr [rsp + 8]",
                concat!("push ", $slot),
                ".cfi_adjust_cfa_offset 24",
                "call {entered}",
                "add rsp, 24",
                ".cfi_adjust_cfa_offset -24",
                "ret",
                ".cfi_endproc",
                entered = sym $crate::ffi::stub::entered,
            )
        }
    };
}

/// Defines the stub of one slot.
#[cfg(all(unix, target_arch = "aarch64"))]
macro_rules! stub {
    ($name:ident, $slot:literal) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                ".cfi_startproc",
                concat!("mov x6, #", $slot),
                "mov x7, x30",
                "b {entered}",
                ".cfi_endproc",
                entered = sym $crate::ffi::stub::entered,
            )
        }
    };
}

/// Defines what is never called: see [`SUPPORTED`].
#[cfg(not(all(unix, any(target_arch = "x86_64", target_arch = "aarch64"))))]
macro_rules! stub {
    ($name:ident, $slot:literal) => {
        unsafe extern "C" fn $name() {
            let _ = $crate::ffi::stub::entered as *const ();
        }
    };
}
pub(crate) use stub;
