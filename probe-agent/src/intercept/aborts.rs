//! Records where a thread is that ends the program by SIGABRT: `abort`, a failed `assert`, a C++ exception that nobody catches, a panic of
//! Rust that may not unwind, a corrupt heap that the C library finds, `FatalError`. The JVM writes no error report then; and it ends
//! itself like this, after its report on any other crash.
//!
//! The C library may hold the locks of its heap when the signal comes, so nothing may allocate memory then.

use jvmti_wire::trace::{Body, HotBody, HotPlace, NativeCode};

use super::call_sites;
use crate::os::{images, process};
use crate::recording::{clock, guarded, record, record_hot};

/// The number of frames that are looked at.
const FRAMES: usize = 96;
/// The number of frames that are recorded.
const MOST: usize = 64;

/// Watches for SIGABRT from now on, unless the program does.
pub(super) fn install() {
    // The first walk of a stack may load a library.
    let _ = images::callers(&mut [std::ptr::null_mut(); 2]);
    process::on_abort(aborted);
}

/// Native code is about to call FatalError, which ends the program. Some JVMs exit then, if they are not to leave a core file.
pub fn fatal(_: u64, caller: u64) {
    record(&Body::Native(NativeCode::FatalError { site: call_sites::number(caller) }));
}

/// Called by the thread that has got the signal, within the handler.
fn aborted() {
    let mut frames = [std::ptr::null_mut(); FRAMES];
    let count = images::callers(&mut frames);
    let frames = frames.get(..count).unwrap_or_default();
    let own = images::named((aborted as *const ()).addr()).map(|place| place.base);
    let mut stack = [HotPlace::default(); MOST];
    let mut recorded = 0;
    let interrupted = interrupted(frames.iter().map(|frame| frame.addr()));
    for (index, frame) in frames.iter().enumerate().skip(interrupted) {
        let address = frame.addr();
        let Some(place) = images::named(address).filter(|place| Some(place.base) != own) else { continue };
        let Some(into) = stack.get_mut(recorded) else { break };
        // All others are addresses that calls return to.
        let more = u64::from(index == interrupted);
        let offset = address.wrapping_sub(place.base) as u64 + more;
        *into = HotPlace { library: place.image, offset, symbol: place.symbol };
        recorded += 1;
    }
    let stack = stack.get(..recorded).unwrap_or_default();
    guarded(|| record_hot(clock::now(), &HotBody::Aborted { stack }));
}

/// The index of the frame that was interrupted: by this signal, or by the one that the JVM has reported.
fn interrupted(frames: impl Iterator<Item = usize>) -> usize {
    let (mut found, mut in_jvm) = (0, false);
    for (index, address) in frames.enumerate() {
        let Some(place) = images::named(address) else { continue };
        if images::is_signal_return(address) && (found == 0 || in_jvm) {
            found = index + 1;
            if in_jvm {
                break;
            }
        }
        let file = place.image.rsplit('/').next().unwrap_or_default();
        in_jvm |= found > 0 && file.starts_with("libjvm.");
    }
    found
}
