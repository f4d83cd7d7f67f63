//! Functions that take the place of those of JNI: each tells its index in the table, its second argument and where the
//! call returns to, and then goes on in the function that it stands for, with all registers and the stack as they were.
//! So it does not matter what the function takes or returns.

use std::ffi::c_void;
use std::sync::OnceLock;

/// Receives the use of a JNI function: the `JNIEnv`, the function's index in the table, its first argument after the
/// `JNIEnv`, and where the call returns to. Gives the function that the stub stands for.
pub type Handler = fn(*mut c_void, usize, u64, u64) -> *const c_void;

static HANDLER: OnceLock<Handler> = OnceLock::new();

/// Sets the function that handles the calls of all stubs. It has to be set before any stub is handed out; the first setting
/// stays.
pub fn install(handler: Handler) {
    let _ = HANDLER.set(handler);
}

/// Number of functions; more than the table of JNI functions of any version has.
pub const FUNCTIONS: usize = 256;

/// Whether this platform's stubs exist.
pub const SUPPORTED: bool = cfg!(all(unix, target_arch = "x86_64"));

#[cfg(all(unix, target_arch = "x86_64"))]
mod stubs {
    use std::ffi::c_void;

    /// Bytes from one stub to the next.
    const STRIDE: usize = 16;

    /// All stubs, one after another. Each calls [`common`], which tells them apart by the address that this leaves.
    #[unsafe(naked)]
    unsafe extern "C" fn all() {
        std::arch::naked_asm!(
            ".p2align 4",
            ".rept {count}",
            ".p2align 4",
            "call {common}",
            ".endr",
            count = const super::FUNCTIONS,
            common = sym common,
        )
    }

    /// On the stack lie the address in the stub, and above it that which the call returns to.
    #[unsafe(naked)]
    unsafe extern "C" fn common() {
        std::arch::naked_asm!(
            ".cfi_startproc",
            ".cfi_def_cfa_offset 16",
            "push rdi",
            "push rsi",
            "push rdx",
            "push rcx",
            "push r8",
            "push r9",
            "push rax",
            "sub rsp, 136",
            ".cfi_adjust_cfa_offset 192",
            "movups [rsp], xmm0",
            "movups [rsp + 16], xmm1",
            "movups [rsp + 32], xmm2",
            "movups [rsp + 48], xmm3",
            "movups [rsp + 64], xmm4",
            "movups [rsp + 80], xmm5",
            "movups [rsp + 96], xmm6",
            "movups [rsp + 112], xmm7",
            "mov rdx, [rsp + 200]",
            "mov rcx, rsi",
            "mov rsi, [rsp + 192]",
            "call {told}",
            "mov r11, rax",
            "movups xmm0, [rsp]",
            "movups xmm1, [rsp + 16]",
            "movups xmm2, [rsp + 32]",
            "movups xmm3, [rsp + 48]",
            "movups xmm4, [rsp + 64]",
            "movups xmm5, [rsp + 80]",
            "movups xmm6, [rsp + 96]",
            "movups xmm7, [rsp + 112]",
            "add rsp, 136",
            "pop rax",
            "pop r9",
            "pop r8",
            "pop rcx",
            "pop rdx",
            "pop rsi",
            "pop rdi",
            "add rsp, 8",
            ".cfi_adjust_cfa_offset -200",
            "jmp r11",
            ".cfi_endproc",
            told = sym told,
        )
    }

    extern "C" fn told(env: *mut c_void, within: u64, caller: u64, argument: u64) -> *const c_void {
        let index = (within as usize - first().addr()) / STRIDE;
        match super::HANDLER.get() {
            Some(handler) => handler(env, index, argument, caller),
            // No stub is handed out before: there is nothing that this one could stand for.
            None => std::process::abort(),
        }
    }

    fn first() -> *const c_void {
        let all: *const c_void = all as *const c_void;
        all.map_addr(|at| at.next_multiple_of(STRIDE))
    }

    pub fn stub(index: usize) -> *const c_void {
        first().wrapping_byte_add(index * STRIDE)
    }
}

#[cfg(not(all(unix, target_arch = "x86_64")))]
mod stubs {
    pub fn stub(_: usize) -> *const std::ffi::c_void {
        std::ptr::null()
    }
}

/// The stub of a place in the table.
pub fn stub(index: usize) -> *const c_void {
    stubs::stub(index)
}
