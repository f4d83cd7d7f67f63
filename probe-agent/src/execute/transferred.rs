//! What the VM gives to the caller in the outputs of a call: memory to be deallocated, JNI references.

use jvmti_wire::trace::{Body, Handed, StepRef};

use crate::ffi::error;
use crate::marshal::Call;
use crate::recording::record;
use crate::vm::environments::OwnEnvironment;
use crate::vm::jni::{Jni, LOCAL_REFERENCE, Ref};

/// Accounts for what one call gave.
pub struct Transferred {
    blocks: Vec<(u16, u64)>,
    memory: Vec<Handed>,
    references: Vec<Handed>,
}

impl Transferred {
    /// Looks at what the call gave, before any of it is changed or given back. Without JNI, or while an exception is
    /// pending, nothing is asked of the references.
    pub fn by(call: &Call, jni: Option<Jni>) -> Transferred {
        let mut given = Transferred { blocks: Vec::new(), memory: Vec::new(), references: Vec::new() };
        let jni = jni.filter(|jni| !jni.exception_pending());
        call.show_given(&mut |param, block| given.blocks.push((param, block)), &mut |param, reference| {
            if let Some(jni) = jni {
                note(&mut given.references, param, jni.reference_type(Ref(reference)), LOCAL_REFERENCE);
            }
        });
        given
    }

    /// Deallocates a block in the environment that was called, and notes how that went.
    pub fn deallocate(&mut self, environment: &OwnEnvironment, block: u64) {
        // SAFETY: the JVM gave the block to the call, which is done with it.
        let code = unsafe { environment.deallocate(block) };
        if let Some((param, _)) = self.blocks.iter().find(|(_, known)| *known == block) {
            note(&mut self.memory, *param, code, error::NONE);
        }
    }

    /// Records it, if there was anything.
    pub fn record(self, call: u32, step: StepRef) {
        if !self.memory.is_empty() || !self.references.is_empty() {
            record(&Body::Given { call, step, memory: self.memory, references: self.references });
        }
    }
}

/// Counts one more for the parameter; of the codes the first that isn't right is kept.
fn note(all: &mut Vec<Handed>, param: u16, code: i32, right: i32) {
    match all.iter_mut().find(|handed| handed.param == param) {
        Some(handed) => {
            handed.count += 1;
            if handed.code == right {
                handed.code = code;
            }
        }
        None => all.push(Handed { param, count: 1, code }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wrong_code_is_kept() {
        let mut all = Vec::new();
        for code in [1, 1, 2, 3, 1] {
            note(&mut all, 4, code, 1);
        }
        note(&mut all, 5, 1, 1);
        assert_eq!(all, [Handed { param: 4, count: 5, code: 2 }, Handed { param: 5, count: 1, code: 1 }]);
    }
}
