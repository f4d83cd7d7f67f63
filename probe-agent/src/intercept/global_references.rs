//! Records the global references that any thread creates and deletes, so that the harness knows which of those that an agent
//! uses are still there.
//!
//! The probe replaces four functions of JNI for all threads, as JVM TI lets agents do. An agent that replaces them, too, calls
//! the probe's, or hides what it does: the harness sees that in the trace.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, Ordering};

use jvmti_wire::trace::{Body, ReferenceKind};

use super::key_table::{KeyTable, key_table};
use super::{call_sites, function_kinds, local_references};
use crate::ffi::jni_stub::{self, FUNCTIONS};
use crate::recording::{guarded, record};
use crate::vm::probe_environment;

/// A function that creates a reference, or deletes one.
type Function = unsafe extern "C" fn(*mut c_void, u64) -> u64;

/// The functions: index in the JNI function table, the kind of the references, and what the probe calls in its place if
/// that has a result.
const REPLACED: [(usize, ReferenceKind, Option<Function>); 4] = [
    (21, ReferenceKind::Global, Some(new_global)),
    (22, ReferenceKind::Global, None),
    (226, ReferenceKind::Weak, Some(new_weak)),
    (227, ReferenceKind::Weak, None),
];

/// The first stub for them: JNI has no function of so high an index.
const FIRST: usize = FUNCTIONS - REPLACED.len();

/// The probe records this many creations at most: each is a few bytes.
const MOST: u32 = 1 << 17;

static CREATED: AtomicU32 = AtomicU32::new(0);

/// What has become of references, by their value: [`THERE`], [`DELETED`] or [`USED`]. It is only a hint to record a call: whether
/// the call is wrong is for the harness to judge. What does not fit in is not known to be deleted.
static STATES: KeyTable<AtomicU8, { 1 << 14 }> = key_table!(AtomicU8::new(THERE));

/// The reference exists, as far as the probe knows.
const THERE: u8 = 0;
/// The reference has been deleted.
const DELETED: u8 = 1;
/// The reference has been deleted, and the probe has recorded a call that takes it.
const USED: u8 = 2;

/// Whether any reference has been deleted.
static ANY_DELETED: AtomicBool = AtomicBool::new(false);

/// The functions that the probe has replaced.
static ORIGINAL: [AtomicPtr<c_void>; REPLACED.len()] = [const { AtomicPtr::new(null_mut()) }; REPLACED.len()];

thread_local! {
    /// Whether this thread is creating a reference through the probe, so that a function beneath does not tell again.
    static CREATING: Cell<bool> = const { Cell::new(false) };
}

/// The start phase has begun: replaces the functions, unless that has been done.
pub fn install() {
    if !jni_stub::SUPPORTED || !local_references::is_possible() {
        return;
    }
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    let Some(environment) = probe_environment::get().filter(|_| !INSTALLED.swap(true, Ordering::AcqRel))
    else {
        return;
    };
    let is_done = environment.edit_jni_functions(|functions| {
        for (place, (index, _, _)) in REPLACED.iter().enumerate() {
            ORIGINAL[place].store(functions[*index].cast_mut(), Ordering::Release);
            functions[*index] = jni_stub::stub(FIRST + place);
        }
    });
    if is_done {
        record(&Body::GlobalsKnown { known: true });
    }
}

/// A thread uses one of the functions, if the index is that of its stub. Returns the function that the stub has to call.
pub fn used(index: usize, argument: u64, caller: u64) -> Option<*const c_void> {
    let place = index.checked_sub(FIRST)?;
    let (_, kind, creates) = REPLACED.get(place)?;
    if let Some(creates) = creates {
        return Some(*creates as *const c_void);
    }
    if argument != 0 && CREATED.load(Ordering::Relaxed) < MOST {
        guarded(|| {
            record(&Body::ReferenceDeleted {
                handle: argument,
                kind: *kind,
                site: call_sites::number(caller),
            });
            // Before the JVM deletes it: whoever gets the value again comes later.
            if let Some(state) = state(argument, true) {
                state.store(DELETED, Ordering::Release);
                ANY_DELETED.store(true, Ordering::Release);
            }
        });
    }
    Some(original(place))
}

/// Whether a call of the function of that slot, which the probe would only count, takes a reference after its deletion that no
/// recorded call has taken.
#[inline]
pub fn is_first_use_after_deletion(slot: u16, args: &[u64]) -> bool {
    ANY_DELETED.load(Ordering::Relaxed)
        && function_kinds::references(slot, args).any(|handle| {
            state(handle, false).is_some_and(|state| {
                state.compare_exchange(DELETED, USED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
            })
        })
}

/// As [`is_first_use_after_deletion`], which is to be asked next if this is so.
#[inline]
pub fn is_use_after_deletion(slot: u16, args: &[u64]) -> bool {
    let is_deleted =
        |handle| state(handle, false).is_some_and(|state| state.load(Ordering::Acquire) == DELETED);
    ANY_DELETED.load(Ordering::Relaxed) && function_kinds::references(slot, args).any(is_deleted)
}

/// What has become of the reference with this value, if the table has it; `add` puts it there.
fn state(handle: u64, add: bool) -> Option<&'static AtomicU8> {
    STATES.find(handle, || add).and_then(|at| STATES.value(at.index()))
}

fn original(place: usize) -> *const c_void {
    ORIGINAL[place].load(Ordering::Acquire)
}

unsafe extern "C" fn new_global(env: *mut c_void, object: u64) -> u64 {
    // SAFETY: the caller calls NewGlobalRef with these.
    unsafe { create(0, env, object) }
}

unsafe extern "C" fn new_weak(env: *mut c_void, object: u64) -> u64 {
    // SAFETY: the caller calls NewWeakGlobalRef with these.
    unsafe { create(2, env, object) }
}

/// # Safety
/// The arguments have to be those of the function at that place.
unsafe fn create(place: usize, env: *mut c_void, object: u64) -> u64 {
    let is_outermost = !CREATING.replace(true);
    // SAFETY: all of these functions take two pointers, and these return one.
    let function = unsafe { std::mem::transmute::<*const c_void, Function>(original(place)) };
    // SAFETY: the caller vouches for the arguments.
    let handle = unsafe { function(env, object) };
    if is_outermost {
        CREATING.set(false);
        guarded(|| created(handle, REPLACED[place].1));
    }
    handle
}

fn created(handle: u64, kind: ReferenceKind) {
    if let Some(state) = state(handle, false) {
        state.store(THERE, Ordering::Release);
    }
    if handle == 0 || CREATED.load(Ordering::Relaxed) >= MOST {
        return;
    }
    match CREATED.fetch_add(1, Ordering::Relaxed) {
        before if before + 1 == MOST => record(&Body::GlobalsKnown { known: false }),
        _ => record(&Body::GlobalCreated { handle, weak: kind == ReferenceKind::Weak }),
    }
}
