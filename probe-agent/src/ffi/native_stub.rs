//! Functions that take the place of native methods: each tells which one it is and what it has got, calls the function that it stands
//! for with the same arguments, and tells that this has returned.

use std::ffi::c_void;
use std::ptr::with_exposed_provenance;
use std::sync::OnceLock;

use crate::arch::{self, NATIVE_CALL};

/// What a stub does.
#[repr(C)]
pub struct Next {
    /// The function that it calls.
    function: *const c_void,
    /// How many words of arguments lie on the stack.
    words: u64,
}

impl Next {
    /// It calls that function, whose arguments take so many words on the stack, and tells when it has returned.
    pub fn call(function: *const c_void, words: usize) -> Next {
        Next { function, words: words as u64 }
    }

    /// It goes on in that function.
    pub fn pass_on(function: *const c_void) -> Next {
        Next { function, words: arch::PASSED_ON }
    }
}

/// The arguments of a native method that is called.
pub struct NativeArgs(u64);

impl NativeArgs {
    /// The word in the register of that number.
    pub fn register(&self, number: usize) -> u64 {
        self.word(NATIVE_CALL.integers_at, number)
    }

    /// The word of that number on the stack.
    pub fn stack(&self, number: usize) -> u64 {
        self.word(NATIVE_CALL.stack_at, number)
    }

    fn word(&self, at: usize, number: usize) -> u64 {
        let place = with_exposed_provenance::<u64>(self.0 as usize + at).wrapping_add(number);
        // SAFETY: the stub keeps the registers there, and whoever called it has passed the others.
        unsafe { place.read() }
    }
}

/// Where a native method's arguments are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the register of that number.
    Register(usize),
    /// The word of that number on the stack.
    Stack(usize),
}

/// Where the references are among the arguments of a native method with that descriptor, the object or class among them; and how many
/// words of arguments lie on the stack.
pub fn layout(descriptor: &str) -> (Vec<Place>, usize) {
    // The JNIEnv comes first.
    let (mut integers, mut vectors, mut words) = (1, 0, 0);
    let mut references = Vec::new();
    let mut rest = descriptor.trim_start_matches('(').bytes();
    let mut next = Some(b'L');
    while let Some(kind) = next {
        let is_vector = matches!(kind, b'F' | b'D');
        let (used, most) = if is_vector {
            (&mut vectors, NATIVE_CALL.vectors)
        } else {
            (&mut integers, NATIVE_CALL.integers)
        };
        let place = if *used < most { Place::Register(*used) } else { Place::Stack(words) };
        match place {
            Place::Register(_) => *used += 1,
            Place::Stack(_) => words += 1,
        }
        if matches!(kind, b'L' | b'[') {
            references.push(place);
        }
        next = type_of_next(&mut rest);
    }
    (references, words)
}

/// The first character of the type that comes next, all of which is taken; `None`: there is none.
fn type_of_next(rest: &mut impl Iterator<Item = u8>) -> Option<u8> {
    let first = rest.next().filter(|first| *first != b')')?;
    let mut last = first;
    while last == b'[' {
        last = rest.next()?;
    }
    if last == b'L' {
        rest.find(|byte| *byte == b';');
    }
    Some(first)
}

/// Receives that a native method is called, by the number of its stub.
type Entered = fn(usize, &NativeArgs) -> Next;
/// Receives that it has returned.
type Left = fn();

static HANDLERS: OnceLock<(Entered, Left)> = OnceLock::new();

/// Sets the functions that handle the calls of all stubs. They have to be set before any stub is handed out; the first setting
/// stays.
pub fn install(entered: Entered, left: Left) {
    let _ = HANDLERS.set((entered, left));
}

/// Number of stubs.
pub const STUBS: usize = 512;

arch::native_stubs!(STUBS, told, returned);

/// Where all stubs lead.
extern "C" fn told(saved: *const c_void) -> Next {
    let saved = saved.expose_provenance() as u64;
    let within = NativeArgs(saved).word(NATIVE_CALL.within_at, 0);
    let number = (within as usize - first().addr()) / arch::JNI_STUB_STRIDE;
    match HANDLERS.get() {
        Some((entered, _)) => entered(number, &NativeArgs(saved)),
        // No stub is handed out before: there is nothing that this one could stand for.
        None => std::process::abort(),
    }
}

/// Where all stubs lead when the function has returned.
extern "C" fn returned() {
    if let Some((_, left)) = HANDLERS.get() {
        left();
    }
}

fn first() -> *const c_void {
    let all: *const c_void = all as *const c_void;
    all.map_addr(|at| at.next_multiple_of(arch::JNI_STUB_STRIDE))
}

/// The stub of that number.
pub fn stub(number: usize) -> *const c_void {
    first().wrapping_byte_add(number * arch::JNI_STUB_STRIDE)
}

/// The number of the stub at that address.
pub fn number(address: u64) -> Option<usize> {
    let distance = (address as usize).checked_sub(first().addr())?;
    let number = distance / arch::JNI_STUB_STRIDE;
    (distance.is_multiple_of(arch::JNI_STUB_STRIDE) && number < STUBS).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn references_are_found_wherever_they_are() {
        use Place::{Register, Stack};
        assert_eq!(layout("()V"), (vec![Register(1)], 0));
        let mixed = "(ILjava/lang/String;D[[J[Ljava/lang/Object;JLx;FLy;)Z";
        let places = vec![Register(1), Register(3), Register(4), Register(5), Stack(1), Stack(2)];
        assert_eq!(layout(mixed), (places, 3));
        assert_eq!(layout("(DDDDDDDDDLx;)V"), (vec![Register(1), Register(2)], 1));
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn arguments_and_results_pass_through() {
        type Function = extern "C" fn(u64, u64, f64, u64, u64, u64, u64, u64, f64, u32, u64) -> f64;
        extern "C" fn sum(
            a: u64,
            b: u64,
            c: f64,
            d: u64,
            e: u64,
            f: u64,
            g: u64,
            h: u64,
            i: f64,
            j: u32,
            k: u64,
        ) -> f64 {
            (a + b + d + e + f + g + h + u64::from(j) + 100 * k) as f64 + c + i
        }
        fn entered(number: usize, args: &NativeArgs) -> Next {
            let function = sum as *const c_void;
            assert_eq!((args.register(0), args.stack(0)), (1, 7));
            if number == 3 { Next::call(function, 3) } else { Next::pass_on(function) }
        }
        fn left() {}
        install(entered, left);
        for number in [3, 4] {
            assert_eq!(super::number(stub(number).addr() as u64), Some(number));
            // SAFETY: the stub takes and returns what the function does.
            let function = unsafe { std::mem::transmute::<*const c_void, Function>(stub(number)) };
            assert_eq!(function(1, 2, 0.5, 3, 4, 5, 6, 7, 0.25, 8, 9), 936.75);
        }
    }
}
