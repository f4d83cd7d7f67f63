//! Tells that the JNI function table that an agent sets lacks functions.

use jvmti_wire::trace::{Body, NativeCode};

use crate::os::memory;
use crate::recording::record;
use crate::vm::jni;

/// The number of functions of JNI 1.6, which each JVM has; the first four entries are reserved.
const FUNCTIONS: usize = 233;
const RESERVED: usize = 4;

/// An agent is about to set the table at that address: records it if entries are null that are not in the JVM's.
pub fn record_missing(table: u64) {
    // What cannot be read is not known to be missing.
    let mut entries = [usize::MAX; FUNCTIONS];
    if table != 0 {
        memory::read_words(table as usize, &mut entries);
    }
    let is_there = |index: usize| jni::function(index).is_some_and(|function| !function.is_null());
    let is_missing = |index: &usize| entries[*index] == 0 && is_there(*index);
    let mut missing = (RESERVED..FUNCTIONS).filter(is_missing);
    if let Some(first) = missing.next() {
        let count = 1 + missing.count();
        record(&Body::Native(NativeCode::TableLacks { function: first as u16, count: count as u16 }));
    }
}
