//! Processors that nothing has been written for: cases run, but no foreign agent can be recorded.

/// Whether the stubs exist.
pub(crate) const INTERCEPTS: bool = false;

/// The code that signal handlers return to on Linux: It is not known.
pub(crate) const SIGNAL_RETURN: &[u8] = &[];

/// None is known.
pub(crate) const FUNCTION_RELOCATIONS: &[u32] = &[];

/// Defines what is never called.
macro_rules! table_stub {
    ($name:ident, $slot:literal, $entered:path) => {
        unsafe extern "C" fn $name() {
            let _ = $entered as *const ();
        }
    };
}

/// Defines what is never called.
macro_rules! jni_stubs {
    ($count:expr, $told:path) => {
        unsafe extern "C" fn all() {
            let _ = ($count, $told as *const ());
        }
    };
}

/// Defines what is never called.
macro_rules! variadic {
    ($name:ident, $listed:path) => {
        unsafe extern "C" fn $name() {
            let _ = $listed as *const ();
        }
    };
}

/// Defines what is never called.
macro_rules! native_stubs {
    ($count:expr, $entered:path, $left:path) => {
        unsafe extern "C" fn all() {
            let _ = ($count, $entered as *const (), $left as *const ());
        }
    };
}

/// Nothing is kept.
pub(crate) const NATIVE_CALL: super::NativeCall =
    super::NativeCall { integers: 0, vectors: 0, integers_at: 0, within_at: 0, stack_at: 0 };

pub(crate) use {jni_stubs, native_stubs, table_stub, variadic};

/// No counter.
pub(crate) mod counter {
    /// It does not.
    pub(crate) fn keeps_time() -> bool {
        false
    }

    /// Never asked for.
    pub(crate) fn read() -> u64 {
        0
    }
}
