//! Looks at what the heap callbacks of agents return: a function of the probe calls the agent's function. JVMs call them millions of
//! times, so that it only compares the answer, and a record tells of wrong ones when the walk is over.

use std::ffi::c_void;
use std::mem::transmute;
use std::sync::atomic::{AtomicU64, Ordering};

use jni_sys::{jint, jlong, jvalue};
use jvmti_wire::trace::{Body, NO_CODE, NativeCode};

use super::{call_sites, last_calls};
use crate::ffi::stub::Entered;
use crate::ffi::{RawArg, slot};
use crate::os::images;
use crate::recording::record;

/// `JVMTI_VISIT_OBJECTS` and `JVMTI_VISIT_ABORT`
const VISIT_FLAGS: jint = 0x8100;
/// The greatest `jvmtiIterationControl`; they begin at 0.
const MOST_CONTROL: jint = 2;

/// `jvmtiHeapCallbacks` has room for as many functions.
const FUNCTIONS: usize = 16;
/// The callbacks of a walk that the probe knows.
const KNOWN: usize = 5;
/// The callback that only IterateThroughHeap calls.
const ITERATION: usize = 0;
/// The callback that only FollowReferences calls.
const REFERENCE: usize = 1;

/// The functions of `jvmtiHeapCallbacks`, in its order.
const OF_STRUCTURE: [*const c_void; KNOWN] = [
    iteration as *const c_void,
    reference as *const c_void,
    primitive_field as *const c_void,
    array as *const c_void,
    string as *const c_void,
];

/// What one callback has returned that it must not.
struct Wrong {
    answer: AtomicU64,
    count: AtomicU64,
}

/// A walk through the heap, in place of the agent's `user_data`.
struct Walk {
    user_data: *mut c_void,
    functions: [*const c_void; FUNCTIONS],
    /// What the JVM gets in their place, where it gets a structure.
    given: [*const c_void; FUNCTIONS],
    wrong: [Wrong; KNOWN],
}

/// The walk that the current call begins.
pub struct Replaced(Box<Walk>);

/// Replaces the callbacks that the agent passes to a function that walks through the heap.
pub fn replace(entered: &mut Entered) -> Option<Replaced> {
    let words = entered.words;
    let ([first, count], user_data, replacements): (_, _, &[*const c_void]) = match entered.slot {
        slot::FOLLOW_REFERENCES => ([4, 1], 5, &OF_STRUCTURE),
        slot::ITERATE_THROUGH_HEAP => ([3, 1], 4, &OF_STRUCTURE),
        slot::ITERATE_OVER_HEAP => ([2, 1], 3, &[object as *const c_void]),
        slot::ITERATE_OVER_INSTANCES_OF_CLASS => ([3, 1], 4, &[object as *const c_void]),
        slot::ITERATE_OVER_OBJECTS_REACHABLE_FROM_OBJECT => ([2, 1], 3, &[from_object as *const c_void]),
        slot::ITERATE_OVER_REACHABLE_OBJECTS => ([1, 3], 4, &OF_REACHABLE),
        _ => return None,
    };
    let is_structure = replacements.len() == KNOWN;
    let mut functions = [std::ptr::null(); FUNCTIONS];
    if is_structure {
        let structure: *const [*const c_void; FUNCTIONS] = RawArg(words[first]).pointer().cast();
        if structure.is_null() {
            return None;
        }
        // SAFETY: the agent passes a structure of that many functions.
        functions = unsafe { structure.read_unaligned() };
    } else {
        for (function, word) in functions.iter_mut().zip(&words[first..first + count]) {
            *function = RawArg(*word).pointer();
        }
    }
    // The JVM calls none of the others.
    let unused = match entered.slot {
        slot::FOLLOW_REFERENCES => Some(ITERATION),
        slot::ITERATE_THROUGH_HEAP => Some(REFERENCE),
        _ => None,
    };
    let outside = |(index, function): &(usize, &*const c_void)| {
        Some(*index) != unused && !function.is_null() && images::place(function.addr()).is_none()
    };
    let outside: Vec<(u16, *mut c_void)> = (functions[..KNOWN].iter().enumerate().filter(outside))
        .map(|(index, function)| (index as u16, function.cast_mut()))
        .collect();
    // Code of no library is the agent's own affair; if one callback stays the agent's, it needs the agent's data.
    if !outside.is_empty() {
        record_no_code(&outside);
        return None;
    }
    // Callbacks that the probe does not know get their data as the agent passed them.
    if functions[KNOWN..].iter().any(|function| !function.is_null()) {
        return None;
    }
    let mut given = functions;
    for (given, own) in given.iter_mut().zip(replacements).filter(|(given, _)| !given.is_null()) {
        *given = *own;
    }
    let wrong = std::array::from_fn(|_| Wrong { answer: AtomicU64::new(0), count: AtomicU64::new(0) });
    let walk = Box::new(Walk { user_data: RawArg(words[user_data]).pointer(), functions, given, wrong });
    let given = &walk.given;
    if is_structure {
        entered.words[first] = given.as_ptr().expose_provenance() as u64;
    } else {
        for (word, given) in entered.words[first..first + count].iter_mut().zip(given) {
            *word = given.expose_provenance() as u64;
        }
    }
    entered.words[user_data] = (&raw const *walk).expose_provenance() as u64;
    Some(Replaced(walk))
}

/// Records those of these callbacks, which are in no library, at whose addresses there is no code either.
fn record_no_code(outside: &[(u16, *mut c_void)]) {
    let mut none = call_sites::functions(outside).into_iter().filter(|(_, place)| place.symbol == NO_CODE);
    if let Some((index, place)) = none.next() {
        let count = 1 + none.count() as u16;
        record(&Body::Native(NativeCode::NoHeapCallback { index, place, count }));
    }
}

impl Replaced {
    /// The function of that slot, which walked, has returned.
    pub fn settle(self, function: u16) {
        for (wrong, callback) in self.0.wrong.iter().zip(&self.0.functions) {
            let count = wrong.count.load(Ordering::Relaxed);
            if count > 0 {
                // Places in code are taken for those behind a call.
                let site = call_sites::number(callback.addr() as u64 + 1);
                let answer = wrong.answer.load(Ordering::Relaxed) as i32;
                record(&Body::Native(NativeCode::HeapAnswer { function, site, answer, count }));
            }
        }
    }
}

impl Walk {
    /// The walk that is passed as data.
    ///
    /// # Safety
    /// It has to be that of [`replace`].
    unsafe fn of(data: *mut c_void) -> &'static Walk {
        // SAFETY: it is there until the function that walks has returned.
        unsafe { &*data.cast_const().cast::<Walk>() }
    }

    #[cold]
    fn answered(&self, which: usize, answer: jint) {
        let wrong = &self.wrong[which];
        if wrong.count.fetch_add(1, Ordering::Relaxed) == 0 {
            wrong.answer.store(u64::from(answer as u32), Ordering::Relaxed);
        }
    }
}

/// A function in place of an agent's, the place of that one in the walk, and which answers are wrong.
macro_rules! callback {
    ($name:ident, $which:literal, $is_wrong:expr, $($argument:ident: $type:ty),*) => {
        unsafe extern "C-unwind" fn $name($($argument: $type,)* data: *mut c_void) -> jint {
            type Function = unsafe extern "C-unwind" fn($($type,)* *mut c_void) -> jint;
            // SAFETY: the JVM passes the data of the walk that it makes.
            let walk = unsafe { Walk::of(data) };
            let _calling = last_calls::calling(walk.functions[$which]);
            // SAFETY: the agent passed the function to be called with these.
            let answer = unsafe {
                let function = transmute::<*const c_void, Function>(walk.functions[$which]);
                function($($argument,)* walk.user_data)
            };
            if ($is_wrong)(answer) {
                walk.answered($which, answer);
            }
            answer
        }
    };
}

fn is_no_flags(answer: jint) -> bool {
    answer & !VISIT_FLAGS != 0
}

fn is_no_control(answer: jint) -> bool {
    !(0..=MOST_CONTROL).contains(&answer)
}

type Pointer = *mut c_void;

callback!(iteration, 0, is_no_flags, class: jlong, size: jlong, tag: Pointer, length: jint);
callback!(
    reference, 1, is_no_flags,
    kind: jint, info: Pointer, class: jlong, referrer_class: jlong, size: jlong, tag: Pointer, referrer: Pointer, length: jint
);
callback!(
    primitive_field, 2, is_no_flags,
    kind: jint, info: Pointer, class: jlong, tag: Pointer, value: jvalue, value_type: jint
);
callback!(
    array, 3, is_no_flags,
    class: jlong, size: jlong, tag: Pointer, count: jint, element_type: jint, elements: Pointer
);
callback!(string, 4, is_no_flags, class: jlong, size: jlong, tag: Pointer, value: Pointer, length: jint);
callback!(object, 0, is_no_control, class: jlong, size: jlong, tag: Pointer);
callback!(
    from_object, 0, is_no_control,
    kind: jint, class: jlong, size: jlong, tag: Pointer, referrer: jlong, index: jint
);
callback!(root, 0, is_no_control, kind: jint, class: jlong, size: jlong, tag: Pointer);
callback!(
    stack, 1, is_no_control,
    kind: jint, class: jlong, size: jlong, tag: Pointer, thread: jlong, depth: jint, method: Pointer, slot: jint
);
callback!(
    referred, 2, is_no_control,
    kind: jint, class: jlong, size: jlong, tag: Pointer, referrer: jlong, index: jint
);

/// The functions of `IterateOverReachableObjects`, in the order of its parameters.
const OF_REACHABLE: [*const c_void; 3] =
    [root as *const c_void, stack as *const c_void, referred as *const c_void];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_walk_understands_is_right() {
        for right in [0, 0x100, 0x8000, 0x8100] {
            assert!(!is_no_flags(right));
        }
        for wrong in [1, 2, -1, 0x101] {
            assert!(is_no_flags(wrong));
        }
        assert!((0..=2).all(|control| !is_no_control(control)));
        assert!(is_no_control(3) && is_no_control(-1) && is_no_control(0x100));
    }

    unsafe extern "C-unwind" fn of_agent(_: jlong, _: jlong, _: Pointer, _: jint, data: Pointer) -> jint {
        data.addr() as jint
    }

    #[test]
    fn the_callbacks_of_the_agent_get_its_data() {
        let mut callbacks = [std::ptr::null::<c_void>(); FUNCTIONS];
        callbacks[0] = of_agent as *const c_void;
        let mut words = [0; 6];
        words[3] = callbacks.as_ptr().expose_provenance() as u64;
        words[4] = 0x101;
        let mut entered = Entered { slot: slot::ITERATE_THROUGH_HEAP, words, float: 0, caller: 0 };
        let replaced = replace(&mut entered).unwrap();
        assert_ne!(entered.words[3], words[3]);
        let data = RawArg(entered.words[4]).pointer();
        for _ in 0..2 {
            // SAFETY: these are the data of the walk.
            assert_eq!(unsafe { iteration(1, 2, std::ptr::null_mut(), -1, data) }, 0x101);
        }
        assert_eq!(replaced.0.wrong[0].count.load(Ordering::Relaxed), 2);
        assert_eq!(replaced.0.wrong[0].answer.load(Ordering::Relaxed), 0x101);
    }
}
