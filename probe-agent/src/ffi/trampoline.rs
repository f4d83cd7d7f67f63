//! Functions that the VM calls: one for each event and each agent callback, delivering to the dispatch installed.

use std::ffi::c_void;
use std::sync::OnceLock;

use super::describe::CallbackDescriptor;
use super::raw::{Bits, RawArg};
use super::{EVENT_SLOTS, Env, FIRST_EVENT, event_descriptor, since_release};

/// Receives an event: the environment it was sent to, its number, its parameters after the environment.
///
/// An event may be for an agent whose callback leaves by an exception of C++ or by `pthread_exit`: that goes through the dispatch, which
/// itself must not panic.
///
/// Unsafe as the parameters have to be those that the JVM passes to a callback which has not returned.
pub type EventDispatch = unsafe fn(Env, u16, &[RawArg]);
/// Receives an agent callback: its type, its `user_data` (or start argument), all its parameters. Returns what the
/// callback is to return to the JVM. It must not panic.
///
/// Unsafe as the parameters have to be those that the JVM passes to a callback which has not returned.
pub type CallbackDispatch = unsafe fn(&'static CallbackDescriptor, *mut c_void, &[RawArg]) -> i64;

static DISPATCH: OnceLock<(EventDispatch, CallbackDispatch)> = OnceLock::new();

/// Sets where events and agent callbacks go. The first setting stays; `false`: there was one already.
pub fn install_dispatch(event: EventDispatch, callback: CallbackDispatch) -> bool {
    DISPATCH.set((event, callback)).is_ok()
}

/// # Safety
/// The parameters have to be those that the JVM passed.
pub(super) unsafe fn deliver_event(env: *mut c_void, event: u16, args: &[RawArg]) {
    if let Some((dispatch, _)) = DISPATCH.get() {
        // SAFETY: as the caller vouches for.
        unsafe { dispatch(Env(env), event, args) };
    }
}

/// # Safety
/// The parameters have to be those that the JVM passed.
pub(super) unsafe fn deliver_callback(
    of: &'static CallbackDescriptor,
    user_data: Option<u16>,
    args: &[RawArg],
) -> i64 {
    let user_data = user_data.and_then(|i| args.get(usize::from(i))).copied().unwrap_or_default();
    match DISPATCH.get() {
        // SAFETY: as the caller vouches for.
        Some((_, dispatch)) => unsafe { dispatch(of, user_data.pointer(), args) },
        None => 0,
    }
}

/// Defines the function that the VM calls for one event.
macro_rules! event_trampoline {
    ($name:ident, $number:literal, ($($param:ident: $ty:ty),*)) => {
        unsafe extern "C-unwind" fn $name(env: *mut std::ffi::c_void, $($param: $ty),*) {
            let args = [$($crate::ffi::RawArg($crate::ffi::raw::Bits::bits($param))),*];
            // SAFETY: the JVM has passed these.
            unsafe { $crate::ffi::trampoline::deliver_event(env, $number, &args) };
        }
    };
}
pub(crate) use event_trampoline;

/// Defines the [`Forward`](super::raw::Forward) of one event.
macro_rules! event_forward {
    ($name:ident, ($($param:ident: $ty:ty),*)) => {
        unsafe fn $name(
            function: *const std::ffi::c_void,
            env: *mut std::ffi::c_void,
            args: &[$crate::ffi::RawArg],
        ) {
            type Function = unsafe extern "C-unwind" fn(*mut std::ffi::c_void, $($ty),*);
            let &[$($param),*] = args else { return };
            // SAFETY: the caller vouches for the function.
            let function = unsafe { std::mem::transmute::<*const std::ffi::c_void, Function>(function) };
            // SAFETY: these are the arguments that the VM passed.
            unsafe { function(env, $(<$ty as $crate::ffi::raw::Bits>::of_bits($param.0)),*) }
        }
    };
}
pub(crate) use event_forward;

/// Defines the function that the VM calls for one type of agent callback.
macro_rules! callback_trampoline {
    ($name:ident, $descriptor:ident, $user_data:expr, ($($param:ident: $ty:ty),*), $returns:ty) => {
        unsafe extern "C" fn $name($($param: $ty),*) -> $returns {
            let args = [$($crate::ffi::RawArg($crate::ffi::raw::Bits::bits($param))),*];
            // SAFETY: the JVM has passed these.
            <$returns as $crate::ffi::trampoline::Returned>::of(unsafe {
                $crate::ffi::trampoline::deliver_callback(&$descriptor, $user_data, &args)
            })
        }
    };
}
pub(crate) use callback_trampoline;

/// What a callback returns to the VM.
pub(crate) trait Returned {
    fn of(value: i64) -> Self;
}

impl Returned for () {
    fn of(_: i64) {}
}

impl Returned for jni_sys::jint {
    fn of(value: i64) -> Self {
        Bits::of_bits(value.cast_unsigned())
    }
}

/// A `jvmtiEventCallbacks` in memory. Zeroed memory follows it, so that a size somewhat too large can be claimed for it.
#[derive(Clone, Debug)]
pub struct EventCallbacks {
    table: Box<[usize]>,
}

/// Pointers' worth of memory that is kept readable, whatever the size of the structure.
const READABLE: usize = 1024;

impl EventCallbacks {
    /// Address to pass to `SetEventCallbacks`.
    pub fn as_ptr(&self) -> *const c_void {
        self.table.as_ptr().cast()
    }

    /// Size in bytes of the structure of the newest edition.
    pub fn size() -> usize {
        EVENT_SLOTS * size_of::<usize>()
    }

    /// Size in bytes of the structure of a release: its highest event decides.
    pub fn size_at(release: u16) -> usize {
        let exists =
            |number: &u16| event_descriptor(*number).is_some_and(|e| since_release(e.since) <= release);
        let last = (FIRST_EVENT..).take(EVENT_SLOTS).filter(exists).last();
        last.map_or(0, |number| usize::from(number - FIRST_EVENT + 1) * size_of::<usize>())
    }

    /// One with these entries, null for all others.
    pub(crate) fn with(entries: &[usize]) -> EventCallbacks {
        let mut table = vec![0usize; READABLE.max(entries.len())].into_boxed_slice();
        table[..entries.len()].copy_from_slice(entries);
        EventCallbacks { table }
    }

    /// Consumes it and gives its memory, in pointers.
    pub(crate) fn into_table(self) -> Box<[usize]> {
        self.table
    }
}

/// A `jvmtiEventCallbacks` with the probe's trampoline for each of these events and null for all others. Numbers that
/// are no event's are left out.
pub fn event_callbacks(events: &[u16]) -> EventCallbacks {
    let mut table = [0usize; EVENT_SLOTS];
    for event in events.iter().filter_map(|number| event_descriptor(*number)) {
        if let Some(entry) = table.get_mut(usize::from(event.number - FIRST_EVENT)) {
            *entry = event.trampoline.0.expose_provenance();
        }
    }
    EventCallbacks::with(&table)
}
