//! Tells that a callback for ClassFileLoadHook has changed the class file data that it got, rather than a copy of it, and what it has
//! left in their place.

use jvmti_class_files::ClassFile;
use jvmti_wire::trace::{Body, NativeCode};

use crate::ffi::event;
use crate::recording::{guarded, record};
use crate::vm::event::Event;

/// The class file data as it was before the callback.
pub struct ClassData(Vec<u8>);

/// Indices of the parameters.
const CLASS_DATA: usize = 6;
const NEW_LENGTH: usize = 7;
/// The class file data that a callback leaves.
const NEW_DATA: usize = 8;

/// A callback has left class data to the JVM: records their length, and whether they define that class.
pub fn record_left(event: &Event<'_>) {
    let Some(length) = event.number_left(NEW_LENGTH) else { return };
    record(&Body::Native(NativeCode::ClassDataLength { length }));
    let Some(before) = event.bytes(CLASS_DATA, usize::MAX) else { return };
    let Some(left) = event.bytes_left(NEW_DATA, length) else { return };
    if let Some(name) = ClassFile::read(before).and_then(|before| other(&before, &left)) {
        record(&Body::Native(NativeCode::ClassDataMalformed { name }));
    }
}

/// The class that the data define, if that is another one; an empty name if they are no class file.
fn other(class: &ClassFile, data: &[u8]) -> Option<String> {
    // A later version may have what is not known here.
    let major = data.get(6..8).map(|major| u16::from_be_bytes([major[0], major[1]]));
    match ClassFile::read(data) {
        None if major.is_some_and(|major| major > class.major) => None,
        None => Some(String::new()),
        Some(new) => (new.name() != class.name()).then(|| String::from_utf8_lossy(new.name()).into_owned()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_the_class_file_of_the_class_is_told() {
        // No fields, methods or attributes.
        let mut bytes = b"\xca\xfe\xba\xbe\0\0\0\x34\0\x05\x01\0\x04Unit\x07\0\x01".to_vec();
        bytes.extend(b"\x01\0\x10java/lang/Object\x07\0\x03\0\x21\0\x02\0\x04\0\0\0\0\0\0\0\0");
        let class = ClassFile::read(&bytes).expect("a class file");
        assert_eq!(other(&class, &bytes), None);
        assert_eq!(other(&class, &bytes[..bytes.len() - 1]).as_deref(), Some(""));
        assert_eq!(other(&class, b"PK").as_deref(), Some(""));
        let mut renamed = class.clone();
        let name = renamed.name().to_vec();
        assert!(renamed.constants.replace_text(&name, b"Other"));
        assert_eq!(other(&class, &renamed.bytes()).as_deref(), Some("Other"));
    }
}
