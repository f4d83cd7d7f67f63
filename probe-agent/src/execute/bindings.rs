//! Objects that the scenario bound to names.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::vm::jni::{Jni, Ref};

fn names() -> MutexGuard<'static, HashMap<String, Ref>> {
    static NAMES: OnceLock<Mutex<HashMap<String, Ref>>> = OnceLock::new();
    NAMES.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Binds the object to the name until [`forget_all`]; a name bound before now means the new object.
pub fn bind(jni: Jni, name: String, object: Ref) {
    let global = if object.is_null() { Ref::NULL } else { jni.new_global(object) };
    let old = names().insert(name, global);
    if let Some(old) = old.filter(|old| !old.is_null()) {
        jni.delete_global(old);
    }
}

/// The object of that name, as a global reference.
pub fn get(name: &str) -> Option<Ref> {
    names().get(name).copied()
}

/// Forgets all names.
pub fn forget_all(jni: Jni) {
    let all = std::mem::take(&mut *names());
    all.into_values().filter(|object| !object.is_null()).for_each(|object| jni.delete_global(object));
}
