//! References and ids that are deliberately wrong. Whatever they point to is memory of the probe's or the VM's.

use std::sync::OnceLock;

use crate::vm::jni::{Jni, Ref};
use crate::vm::probe_environment;

/// More than any structure of a VM that an id may be taken for.
static ZEROES: [u64; 1024] = [0; 1024];

/// Address of memory that holds nothing but zeroes.
pub fn zeroed_memory() -> u64 {
    ZEROES.as_ptr().expose_provenance() as u64
}

/// A new `java.lang.Object`, as a local reference.
pub fn plain_object(jni: Jni) -> Result<Ref, String> {
    let class = jni.find_class(c"java/lang/Object").ok_or("java.lang.Object was not found")?;
    let object = jni.alloc_object(class);
    jni.delete_local(class);
    object.ok_or_else(|| "no object could be made".to_owned())
}

/// How many references are deleted on either side of the one that is passed on.
const BESIDE: usize = 32;

/// Global references to be deleted right before the call, in this order: until then nobody else gets the same ones.
///
/// The call is passed the one in the middle. Other threads of the VM make global references while the call is on its way
/// (the compilers do), and one of them would bring a deleted one back to life: so it is deleted among many, and whoever
/// makes a few gets others, from whichever end a VM hands them out.
pub fn references_to_delete(jni: Jni) -> Result<Vec<Ref>, String> {
    let object = plain_object(jni)?;
    let globals = (0..=2 * BESIDE).map(|_| jni.new_global(object)).collect();
    jni.delete_local(object);
    Ok(globals)
}

/// The one of them that is passed to the call.
pub fn passed(references: &[Ref]) -> Option<Ref> {
    references.get(BESIDE).copied()
}

/// A weak global reference whose object has been collected; the same one each time.
pub fn cleared_weak_reference(jni: Jni) -> Result<Ref, String> {
    static CLEARED: OnceLock<Ref> = OnceLock::new();
    if let Some(cleared) = CLEARED.get() {
        return Ok(*cleared);
    }
    let own = probe_environment::get().ok_or("the probe has no environment of its own")?;
    let object = plain_object(jni)?;
    let weak = jni.new_weak(object);
    jni.delete_local(object);
    // Collectors that work in several rounds may leave it the first time.
    for _ in 0..16 {
        if !own.force_garbage_collection() {
            break;
        }
        if jni.is_same(weak, Ref::NULL) {
            return Ok(*CLEARED.get_or_init(|| weak));
        }
    }
    jni.delete_weak(weak);
    Err("the VM did not collect an unreachable object".to_owned())
}

/// A raw monitor that has been destroyed.
pub fn destroyed_monitor() -> Result<u64, String> {
    let own = probe_environment::get().ok_or("the probe has no environment of its own")?;
    own.destroyed_monitor().ok_or_else(|| "no raw monitor could be made and destroyed".to_owned())
}
