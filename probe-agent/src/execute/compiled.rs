//! Whether the JVM has compiled a method: what it says when it is asked to generate CompiledMethodLoad for all that is compiled.
//!
//! The environment that asks is not one of the trace: its events are no part of what is judged.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ffi;
use crate::vm::held::Held;

/// The methods that the JVM has told of.
static COMPILED: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

/// Whether the JVM says that there is compiled code of this method; not if it cannot say.
pub fn is_compiled(method: u64) -> bool {
    compiled().contains(&method)
}

/// Whether the JVM says that there is compiled code of any method.
pub fn has_compiled() -> bool {
    !compiled().is_empty()
}

/// The methods of which the JVM says that there is compiled code; none if it cannot say.
fn compiled() -> BTreeSet<u64> {
    let bit = ffi::capability_bit("can_generate_compiled_method_load_events");
    let (Some(bit), Some(environment)) = (bit, Held::unknown()) else {
        return BTreeSet::new();
    };
    told().clear();
    let asked = environment.add(&[bit]) && environment.generate_compiled_method_load(loaded);
    environment.dispose();
    if asked { told().clone() } else { BTreeSet::new() }
}

fn told() -> MutexGuard<'static, BTreeSet<u64>> {
    COMPILED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The callback for CompiledMethodLoad.
extern "C" fn loaded(
    _env: *mut c_void,
    method: u64,
    _size: i32,
    _code: *const c_void,
    _length: i32,
    _map: *const c_void,
    _info: *const c_void,
) {
    told().insert(method);
}
