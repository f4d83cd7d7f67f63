//! The trace of this JVM. A program may start another JVM with its own options, the probe's among them: then the trace that they name
//! is another JVM's, and this one gets one of its own, beside it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::OnceLock;

use jvmti_wire::Plan;
use jvmti_wire::trace::{Recorder, TraceError, child, file};

/// Bytes of its records: unlike those of the first JVM, nobody moves them away while it runs.
const CAPACITY: u64 = 32 << 20;

/// Locked as long as this process lives.
static LOCKED: OnceLock<File> = OnceLock::new();

/// Opens the trace, or that of a child JVM. `None`: the trace is another JVM's, and there can be none of this JVM's own; the JVM
/// runs as if the probe were not there.
pub fn open(path: &Path) -> Result<Option<(Recorder, Plan)>, TraceError> {
    let recorder = Recorder::map(path)?;
    let plan = recorder.plan()?;
    // Only the programs of users start whatever they like.
    if plan.intercept.is_none() || is_own(path) {
        return Ok(Some((recorder, plan)));
    }
    let own = child::path(path, std::process::id());
    let opened = file::create(&own, &plan, CAPACITY).and_then(|()| Recorder::map(&own));
    Ok(opened.ok().filter(|_| is_own(&own)).map(|recorder| (recorder, plan)))
}

/// Whether no other process records to the trace. Where the file system has no locks, none does.
fn is_own(path: &Path) -> bool {
    let Ok(file) = OpenOptions::new().read(true).write(true).open(path) else { return true };
    let is_own = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
    if is_own {
        let _ = LOCKED.set(file);
    }
    is_own
}

#[cfg(test)]
mod tests {
    use jvmti_wire::plan::Interception;

    use super::*;

    #[test]
    fn a_trace_that_another_jvm_records_to_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("foo-25.jvmtitrace");
        let plan = Plan { intercept: Some(Interception::default()), ..Plan::default() };
        file::create(&path, &plan, 1 << 16).unwrap();
        let other = File::open(&path).unwrap();
        other.lock().unwrap();
        assert!(open(&path).unwrap().is_some());
        let own = folder.path().join(format!("foo-25.child-{}.jvmtitrace", std::process::id()));
        assert!(own.is_file());
        assert!(!is_own(&path) && !is_own(&own));
    }
}
