//! x86-64, with the calling convention of System V.

/// Whether the stubs exist.
pub(crate) const INTERCEPTS: bool = true;

/// The code that signal handlers return to on Linux: `mov rax, 15; syscall`.
pub(crate) const SIGNAL_RETURN: &[u8] = &[0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05];

/// Relocations whose word is the address of a function in another library: `R_X86_64_GLOB_DAT`, `R_X86_64_JUMP_SLOT`.
pub(crate) const FUNCTION_RELOCATIONS: &[u32] = &[6, 7];

/// Defines the stub of one slot. It passes the slot and the return address to `$entered` as two words more, and leaves the
/// registers as they are.
macro_rules! table_stub {
    ($name:ident, $slot:literal, $entered:path) => {
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
        /// Each calls [`common`], which tells them apart by the address that this leaves.
        #[unsafe(naked)]
        unsafe extern "C" fn all() {
            std::arch::naked_asm!(
                ".p2align 4",
                ".rept {count}",
                ".p2align 4",
                "call {common}",
                ".endr",
                count = const $count,
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
                "mov r9, rcx",
                "mov r8, rdx",
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
                "sub rsp, 216",
                ".cfi_adjust_cfa_offset 216",
                // The registers as the ABI wants them saved: six words, of which three are named, and eight vectors.
                "mov [rsp + 56], rcx",
                "mov [rsp + 64], r8",
                "mov [rsp + 72], r9",
                "movaps [rsp + 80], xmm0",
                "movaps [rsp + 96], xmm1",
                "movaps [rsp + 112], xmm2",
                "movaps [rsp + 128], xmm3",
                "movaps [rsp + 144], xmm4",
                "movaps [rsp + 160], xmm5",
                "movaps [rsp + 176], xmm6",
                "movaps [rsp + 192], xmm7",
                // The `va_list`.
                "mov dword ptr [rsp], 24",
                "mov dword ptr [rsp + 4], 48",
                "lea rax, [rsp + 224]",
                "mov [rsp + 8], rax",
                "lea rax, [rsp + 32]",
                "mov [rsp + 16], rax",
                "mov rcx, rsp",
                "call {listed}",
                "add rsp, 216",
                ".cfi_adjust_cfa_offset -216",
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
        /// Each calls [`common`], which tells them apart by the address that this leaves.
        #[unsafe(naked)]
        unsafe extern "C" fn all() {
            std::arch::naked_asm!(
                ".p2align 4",
                ".rept {count}",
                ".p2align 4",
                "call {common}",
                ".endr",
                count = const $count,
                common = sym common,
            )
        }

        /// On the stack lie the address in the stub, above it that which the call returns to, and then the arguments for which there
        /// are no registers.
        #[unsafe(naked)]
        unsafe extern "C" fn common() {
            std::arch::naked_asm!(
                ".cfi_startproc",
                ".cfi_def_cfa_offset 16",
                "push rbp",
                ".cfi_def_cfa_offset 24",
                ".cfi_offset rbp, -24",
                "mov rbp, rsp",
                ".cfi_def_cfa_register rbp",
                "sub rsp, 200",
                "movups [rsp], xmm0; movups [rsp + 16], xmm1",
                "movups [rsp + 32], xmm2; movups [rsp + 48], xmm3",
                "movups [rsp + 64], xmm4; movups [rsp + 80], xmm5",
                "movups [rsp + 96], xmm6; movups [rsp + 112], xmm7",
                "mov [rsp + 128], rdi; mov [rsp + 136], rsi",
                "mov [rsp + 144], rdx; mov [rsp + 152], rcx",
                "mov [rsp + 160], r8; mov [rsp + 168], r9",
                "mov [rsp + 176], rax",
                "mov rdi, rsp; call {entered}",
                "mov r11, rax; mov r10, rdx",
                "cmp r10, -1; je 2f",
                // The stack stays aligned to 16 bytes.
                "lea rax, [r10 + 1]; and rax, -2; shl rax, 3",
                "sub rsp, rax",
                "mov rcx, r10; lea rsi, [rbp + 24]; mov rdi, rsp",
                "rep movsq",
                "2:",
                "movups xmm0, [rbp - 200]; movups xmm1, [rbp - 184]",
                "movups xmm2, [rbp - 168]; movups xmm3, [rbp - 152]",
                "movups xmm4, [rbp - 136]; movups xmm5, [rbp - 120]",
                "movups xmm6, [rbp - 104]; movups xmm7, [rbp - 88]",
                "mov rdi, [rbp - 72]; mov rsi, [rbp - 64]",
                "mov rdx, [rbp - 56]; mov rcx, [rbp - 48]",
                "mov r8, [rbp - 40]; mov r9, [rbp - 32]",
                "mov rax, [rbp - 24]",
                "cmp r10, -1; je 3f",
                "call r11",
                "mov [rbp - 72], rax; mov [rbp - 56], rdx",
                "movups [rbp - 200], xmm0",
                "call {left}",
                "movups xmm0, [rbp - 200]",
                "mov rdx, [rbp - 56]; mov rax, [rbp - 72]",
                ".cfi_remember_state",
                "mov rsp, rbp",
                "pop rbp",
                ".cfi_restore rbp; .cfi_def_cfa rsp, 16",
                "add rsp, 8",
                ".cfi_def_cfa_offset 8",
                "ret",
                "3:",
                ".cfi_restore_state",
                "mov rsp, rbp",
                "pop rbp",
                ".cfi_restore rbp; .cfi_def_cfa rsp, 16",
                "add rsp, 8",
                ".cfi_def_cfa_offset 8",
                "jmp r11",
                ".cfi_endproc",
                entered = sym $entered,
                left = sym $left,
            )
        }
    };
}

/// Where the stubs of [`native_stubs`] keep what they have got.
pub(crate) const NATIVE_CALL: super::NativeCall =
    super::NativeCall { integers: 6, vectors: 8, integers_at: 128, within_at: 208, stack_at: 224 };

pub(crate) use {jni_stubs, native_stubs, table_stub, variadic};

/// The time stamp counter.
pub(crate) mod counter {
    /// Whether the kernel keeps time by the counter: it has found then that the counter goes on at the same pace, and is
    /// the same on all processors.
    pub(crate) fn keeps_time() -> bool {
        let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        std::fs::read_to_string(source).is_ok_and(|name| name.trim() == "tsc")
    }

    /// The counter now.
    #[inline]
    pub(crate) fn read() -> u64 {
        // SAFETY: each processor of this kind has the counter, and the kernel lets it be read if it keeps time by it.
        unsafe { std::arch::x86_64::_rdtsc() }
    }
}
