//! What steps have saved for later ones: the outputs of calls, results of JNI operations.

use jvmti_wire::plan::{Arg, PathPart};

use crate::marshal::Call;
use crate::vm::jni::{Jni, Ref};
use crate::vm::probe_environment::deallocate;

/// What one step saved.
pub enum Saved {
    /// The result of a JNI operation: a global reference.
    Global(Ref),
    /// The result of a JNI operation: a weak global reference.
    Weak(Ref),
    /// The result of a JNI operation: a number.
    Number(i64),
    /// The result of a JNI operation: memory.
    Memory(Vec<u8>),
    /// A call, its references made global.
    Call(Box<Call>),
}

impl Saved {
    /// A call that has returned. Its references will outlive the native method or callback that it was made in.
    pub fn call(mut call: Call, jni: Option<Jni>) -> Saved {
        if let Some(jni) = jni {
            call.map_references(&mut |local| {
                let global = jni.new_global(Ref(local));
                jni.delete_returned(Ref(local));
                global.0
            });
        }
        Saved::Call(Box::new(call))
    }

    /// The reference, if it is one.
    pub fn reference(&self) -> Option<Ref> {
        match self {
            Saved::Global(reference) | Saved::Weak(reference) => Some(*reference),
            _ => None,
        }
    }

    /// The content of memory, as an argument.
    pub fn content(&self) -> Option<Arg> {
        match self {
            Saved::Memory(content) => Some(Arg::Bytes(content.clone())),
            _ => None,
        }
    }

    /// The bits of the output of that parameter, or of what lies in it.
    pub fn word(&self, param: u16, path: &[PathPart]) -> Option<u64> {
        match self {
            Saved::Global(reference) | Saved::Weak(reference) if param == 0 && path.is_empty() => {
                Some(reference.word())
            }
            Saved::Number(number) if param == 0 && path.is_empty() => Some(number.cast_unsigned()),
            Saved::Memory(content) if param == 0 && path.is_empty() => {
                Some(content.as_ptr().expose_provenance() as u64)
            }
            Saved::Memory(content) if param == 0 && *path == [PathPart::Field("length".to_owned())] => {
                Some(content.len() as u64)
            }
            Saved::Call(call) => call.raw_output(param, path),
            _ => None,
        }
    }

    /// The index of the first element of an array whose field has these bits.
    pub fn position(&self, param: u16, field: &str, wanted: u64) -> Option<u64> {
        let field_of =
            |index: u32| self.word(param, &[PathPart::Index(index), PathPart::Field(field.to_owned())]);
        (0..).map_while(field_of).position(|word| word == wanted).map(|index| index as u64)
    }

    /// Gives back what it holds. Without JNI the references stay.
    pub fn release(self, jni: Option<Jni>) {
        // SAFETY: the call owns what the JVM allocated for it.
        let mut give_back = |memory| unsafe { deallocate(memory) };
        match (self, jni) {
            (Saved::Global(reference), Some(jni)) => jni.delete_global(reference),
            (Saved::Weak(reference), Some(jni)) => jni.delete_weak(reference),
            (Saved::Call(mut call), Some(jni)) => {
                call.release(&mut give_back, &mut |reference| jni.delete_global(Ref(reference)));
            }
            (Saved::Call(mut call), None) => call.release(&mut give_back, &mut |_| {}),
            _ => {}
        }
    }
}
