//! AArch64, with the procedure call standard that Linux uses.

/// Whether the stubs exist.
pub(crate) const INTERCEPTS: bool = true;

/// The code that signal handlers return to on Linux: `mov x8, #139; svc #0`.
pub(crate) const SIGNAL_RETURN: &[u8] = &[0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4];

/// Relocations whose word is the address of a function in another library: `R_AARCH64_GLOB_DAT`, `R_AARCH64_JUMP_SLOT`.
pub(crate) const FUNCTION_RELOCATIONS: &[u32] = &[1025, 1026];

/// Defines the stub of one slot. It passes the slot and the return address to `$entered` as two words more, and leaves the
/// registers as they are.
macro_rules! table_stub {
    ($name:ident, $slot:literal, $entered:path) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                ".cfi_startproc",
                concat!("mov x6, #", $slot),
                "mov x7, x30",
                "b {entered}",
                ".cfi_endproc",
                entered = sym $entered,
            )
        }
    };
}

/// Defines `all`: so many stubs, one after another. Each calls `$told(first argument, address in the stub, where the call returns
/// to, second argument, third argument, fourth argument)`, and goes on in the function that this gives, with all registers and the stack as they
/// were.
macro_rules! jni_stubs {
    ($count:expr, $told:path) => {
        /// Each tells its address in a register that holds no argument, and that the linker leaves alone.
        #[unsafe(naked)]
        unsafe extern "C" fn all() {
            std::arch::naked_asm!(
                ".p2align 4",
                ".rept {count}",
                ".p2align 4",
                "adr x15, .",
                "b {common}",
                ".endr",
                count = const $count,
                common = sym common,
            )
        }

        /// Keeps the registers in which arguments are passed, that for the address of a large result among them.
        #[unsafe(naked)]
        unsafe extern "C" fn common() {
            std::arch::naked_asm!(
                ".cfi_startproc",
                "stp x29, x30, [sp, #-224]!",
                ".cfi_def_cfa_offset 224",
                ".cfi_offset x29, -224",
                ".cfi_offset x30, -216",
                "mov x29, sp",
                "stp x0, x1, [sp, #16]",
                "stp x2, x3, [sp, #32]",
                "stp x4, x5, [sp, #48]",
                "stp x6, x7, [sp, #64]",
                "str x8, [sp, #80]",
                "stp q0, q1, [sp, #96]",
                "stp q2, q3, [sp, #128]",
                "stp q4, q5, [sp, #160]",
                "stp q6, q7, [sp, #192]",
                "mov x5, x3",
                "mov x4, x2",
                "mov x3, x1",
                "mov x2, x30",
                "mov x1, x15",
                "bl {told}",
                "mov x16, x0",
                "ldp q6, q7, [sp, #192]",
                "ldp q4, q5, [sp, #160]",
                "ldp q2, q3, [sp, #128]",
                "ldp q0, q1, [sp, #96]",
                "ldr x8, [sp, #80]",
                "ldp x6, x7, [sp, #64]",
                "ldp x4, x5, [sp, #48]",
                "ldp x2, x3, [sp, #32]",
                "ldp x0, x1, [sp, #16]",
                "ldp x29, x30, [sp], #224",
                ".cfi_restore x30",
                ".cfi_restore x29",
                ".cfi_def_cfa_offset 0",
                "br x16",
                ".cfi_endproc",
                told = sym $told,
            )
        }
    };
}

/// Defines a function of three arguments and a variable number of others. It calls `$listed` with the three, and the others as a
/// `va_list`, and returns what that returns.
macro_rules! variadic {
    ($name:ident, $listed:path) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                ".cfi_startproc",
                "stp x29, x30, [sp, #-256]!",
                ".cfi_def_cfa_offset 256",
                ".cfi_offset x29, -256",
                ".cfi_offset x30, -248",
                "mov x29, sp",
                // Eight words, of which three are named, end at 112; eight vectors end at 240.
                "str x3, [sp, #72]",
                "stp x4, x5, [sp, #80]",
                "stp x6, x7, [sp, #96]",
                "stp q0, q1, [sp, #112]",
                "stp q2, q3, [sp, #144]",
                "stp q4, q5, [sp, #176]",
                "stp q6, q7, [sp, #208]",
                // The `va_list`.
                "add x9, sp, #256",
                "str x9, [sp, #16]",
                "add x9, sp, #112",
                "str x9, [sp, #24]",
                "add x9, sp, #240",
                "str x9, [sp, #32]",
                "mov w9, #-40",
                "str w9, [sp, #40]",
                "mov w9, #-128",
                "str w9, [sp, #44]",
                "add x3, sp, #16",
                "bl {listed}",
                "ldp x29, x30, [sp], #256",
                ".cfi_restore x30",
                ".cfi_restore x29",
                ".cfi_def_cfa_offset 0",
                "ret",
                ".cfi_endproc",
                listed = sym $listed,
            )
        }
    };
}

/// Defines `all`: so many stubs, one after another. Each calls `$entered` with the address of what [`NATIVE_CALL`] describes, which gives
/// a function and how many words of arguments lie on the stack. It calls the function with the arguments that it got itself, then
/// `$left`, and returns what the function has returned. For [`PASSED_ON`](super::PASSED_ON) words, it goes on in the function instead.
macro_rules! native_stubs {
    ($count:expr, $entered:path, $left:path) => {
        /// Each tells its address in a register that holds no argument, and that the linker leaves alone.
        #[unsafe(naked)]
        unsafe extern "C" fn all() {
            std::arch::naked_asm!(
                ".p2align 4",
                ".rept {count}",
                ".p2align 4",
                "adr x15, .",
                "b {common}",
                ".endr",
                count = const $count,
                common = sym common,
            )
        }

        #[unsafe(naked)]
        unsafe extern "C" fn common() {
            std::arch::naked_asm!(
                ".cfi_startproc",
                "stp x29, x30, [sp, #-240]!",
                ".cfi_def_cfa_offset 240",
                ".cfi_offset x29, -240",
                ".cfi_offset x30, -232",
                "mov x29, sp",
                ".cfi_def_cfa x29, 240",
                "stp x0, x1, [x29, #16]; stp x2, x3, [x29, #32]",
                "stp x4, x5, [x29, #48]; stp x6, x7, [x29, #64]",
                "stp x8, x15, [x29, #80]; stp q0, q1, [x29, #96]",
                "stp q2, q3, [x29, #128]; stp q4, q5, [x29, #160]",
                "stp q6, q7, [x29, #192]",
                "mov x0, sp",
                "bl {entered}",
                "mov x16, x0; mov x14, x1",
                "cmn x14, #1; b.eq 2f; cbz x14, 2f",
                // The stack stays aligned to 16 bytes.
                "add x10, x14, #1; and x10, x10, #0xfffffffffffffffe; lsl x10, x10, #3",
                "sub sp, sp, x10",
                "add x11, x29, #240; mov x12, sp; mov x13, x14",
                "1:",
                "ldr x10, [x11], #8",
                "str x10, [x12], #8",
                "subs x13, x13, #1",
                "b.ne 1b",
                "2:",
                "ldp q6, q7, [x29, #192]; ldp q4, q5, [x29, #160]",
                "ldp q2, q3, [x29, #128]; ldp q0, q1, [x29, #96]",
                "ldr x8, [x29, #80]",
                "ldp x6, x7, [x29, #64]; ldp x4, x5, [x29, #48]",
                "ldp x2, x3, [x29, #32]; ldp x0, x1, [x29, #16]",
                "cmn x14, #1; b.eq 3f",
                "blr x16",
                "stp x0, x1, [x29, #16]",
                "str q0, [x29, #96]",
                "bl {left}",
                "ldr q0, [x29, #96]",
                "ldp x0, x1, [x29, #16]",
                "mov sp, x29",
                ".cfi_remember_state",
                ".cfi_def_cfa sp, 240",
                "ldp x29, x30, [sp], #240",
                ".cfi_restore x30",
                ".cfi_restore x29",
                ".cfi_def_cfa_offset 0",
                "ret",
                "3:",
                ".cfi_restore_state",
                ".cfi_def_cfa sp, 240",
                "ldp x29, x30, [sp], #240",
                ".cfi_restore x30",
                ".cfi_restore x29",
                ".cfi_def_cfa_offset 0",
                "br x16",
                ".cfi_endproc",
                entered = sym $entered,
                left = sym $left,
            )
        }
    };
}

/// Where the stubs of [`native_stubs`] keep what they have got.
pub(crate) const NATIVE_CALL: super::NativeCall =
    super::NativeCall { integers: 8, vectors: 8, integers_at: 16, within_at: 88, stack_at: 240 };

pub(crate) use {jni_stubs, native_stubs, table_stub, variadic};

/// The virtual counter of the generic timer.
pub(crate) mod counter {
    /// The architecture has it so.
    pub(crate) fn keeps_time() -> bool {
        true
    }

    /// The counter now.
    #[inline]
    pub(crate) fn read() -> u64 {
        let ticks: u64;
        // SAFETY: Linux lets any program read the virtual counter.
        unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
        ticks
    }
}
