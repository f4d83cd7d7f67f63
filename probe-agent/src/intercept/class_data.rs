//! Tells that a callback for ClassFileLoadHook has changed the class file data that it got, rather than a copy of it.

use jvmti_wire::trace::{Body, NativeCode};

use crate::ffi::event;
use crate::recording::{guarded, record};
use crate::vm::event::Event;

/// The class file data as it was before the callback.
pub struct ClassData(Vec<u8>);

/// Indices of the parameters.
const CLASS_DATA: usize = 6;
const NEW_LENGTH: usize = 7;

/// A callback has left class data to the JVM: records their length.
pub fn record_length(event: &Event<'_>) {
    if let Some(length) = event.number_left(NEW_LENGTH) {
        record(&Body::Native(NativeCode::ClassDataLength { length }));
    }
}

impl ClassData {
    /// A callback is about to get the event.
    #[inline]
    pub fn of(event: &Event<'_>) -> Option<ClassData> {
        (event.number() == event::CLASS_FILE_LOAD_HOOK).then(|| ClassData::copied(event)).flatten()
    }

    fn copied(event: &Event<'_>) -> Option<ClassData> {
        guarded(|| event.bytes(CLASS_DATA, usize::MAX).map(|bytes| ClassData(bytes.to_vec()))).flatten()
    }

    /// The callback has returned: records it if it has changed the data.
    pub fn record_changes(self, event: &Event<'_>) {
        let Some(now) = event.bytes(CLASS_DATA, self.0.len()) else { return };
        if now != self.0.as_slice()
            && let Some(offset) = now.iter().zip(&self.0).position(|(now, before)| now != before)
        {
            record(&Body::ClassDataWritten { offset: offset as u64 });
        }
    }
}
