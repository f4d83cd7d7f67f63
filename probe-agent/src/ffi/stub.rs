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

/// A function of JVM TI, or one of an agent for an extension event, as far as registers are concerned.
type AnyFunction = unsafe extern "C-unwind" fn(u64, u64, u64, u64, u64, u64, f64) -> jint;

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

/// Aborts the process if a panic of the probe comes by.
struct NoPanic;

impl Drop for NoPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}

/// Where all stubs lead.
///
/// What agents throw in a callback, `pthread_exit` and `pthread_cancel` unwind its frame, as they do those of the JVM without the probe: in
/// the callback for an extension event, or in a call that waits or sends events.
pub(super) extern "C-unwind" fn entered(
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
    // No stub is handed out before: there is nothing that this one could stand for.
    let Some(handler) = HANDLER.get() else { std::process::abort() };
    let no_panic = NoPanic;
    let code = handler(&entered);
    std::mem::forget(no_panic);
    code
}

/// Whether this processor's stubs exist.
pub const SUPPORTED: bool = crate::arch::INTERCEPTS;

/// Defines the stub of one slot.
macro_rules! stub {
    ($name:ident, $slot:literal) => {
        $crate::arch::table_stub!($name, $slot, $crate::ffi::stub::entered);
    };
}
pub(crate) use stub;
