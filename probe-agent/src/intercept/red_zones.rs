//! Makes the memory that agents get from Allocate longer than they ask for, where the probe poisons, and tells whether they write there.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jvmti_wire::trace::{Body, NativeCode};

use crate::ffi::RawArg;
use crate::ffi::stub::Entered;
use crate::recording::record;

/// What stands behind the memory: no zero, with which texts end.
const ZONE: [u8; 16] = *b"\xb5\xa3\x9d\xc7\xe1\xf3\x8b\x95\xad\xd9\xc5\xbb\x87\x91\xe9\xa7";

/// No agent asks for more.
const MOST: u64 = 1 << 40;

/// Memory with a zone behind it.
struct Zoned {
    size: u64,
    /// The call site of Allocate.
    site: u32,
}

/// By address.
static ALL: Mutex<BTreeMap<u64, Zoned>> = Mutex::new(BTreeMap::new());

fn all() -> MutexGuard<'static, BTreeMap<u64, Zoned>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An agent calls Allocate, and the probe will see its memory deallocated: has the JVM allocate more. Whether that is so.
pub fn lengthen(entered: &mut Entered) -> bool {
    let size = entered.words[1];
    let is_possible = (1..MOST).contains(&size);
    if is_possible {
        entered.words[1] = size + ZONE.len() as u64;
    }
    is_possible
}

/// Allocate has succeeded with more than so many bytes at that address.
pub fn begin(at: u64, size: u64, site: u32) {
    let zone = RawArg(at.wrapping_add(size)).pointer().cast::<u8>();
    // SAFETY: the JVM gave the memory with these bytes behind what the agent has asked for.
    unsafe { zone.copy_from_nonoverlapping(ZONE.as_ptr(), ZONE.len()) };
    all().insert(at, Zoned { size, site });
}

/// The agent gives the memory up.
pub fn end(at: u64) {
    let zoned = all().remove(&at);
    if let Some(zoned) = zoned {
        inspect(at, &zoned);
    }
}

/// The JVM is ending: inspects the memory that agents still hold.
pub fn finish() {
    let all = std::mem::take(&mut *all());
    all.iter().for_each(|(at, zoned)| inspect(*at, zoned));
}

/// Records that the agent has written behind the end of its memory, if it has.
fn inspect(at: u64, Zoned { size, site }: &Zoned) {
    let zone = RawArg(at.wrapping_add(*size)).pointer().cast::<[u8; ZONE.len()]>();
    // SAFETY: the memory is the agent's, or the probe's, as long as it is in the table.
    if unsafe { zone.read() } != ZONE {
        record(&Body::Native(NativeCode::WrittenBeyond { site: *site, at, size: *size }));
    }
}
