//! The traces that a run keeps, each with the JVM's own report of its crash beside it.

use std::io;
use std::path::{Path, PathBuf};

use jvmti_wire::trace::{self, PACKED_ENDING};

use crate::launch::Ended;

/// The ending of traces.
const TRACE: &str = ".jvmtitrace";
/// The ending of reports of crashes.
const REPORT: &str = ".crash.log";

/// Which traces are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    /// The folder.
    pub folder: PathBuf,
    /// All of them, or only those with something unexpected.
    pub all: bool,
}

/// The name of the trace of one attempt at a launch on the JVM with that number.
pub fn trace_name(subject: usize, launch: &str, attempt: u32) -> String {
    format!("{subject}-{launch}-{attempt}{TRACE}")
}

impl Keep {
    /// Makes the folder, or removes the traces of an earlier run from it: they would look like traces of this run.
    pub fn prepare(&self) -> io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        for entry in std::fs::read_dir(&self.folder)? {
            let entry = entry?;
            if is_of_a_run(&entry.file_name().to_string_lossy()) {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Moves the trace to the folder, compressed, unless it is as expected and only others are kept.
    pub fn trace(&self, trace: &Path, is_as_expected: bool) -> Option<PathBuf> {
        if !self.all && is_as_expected {
            return None;
        }
        let mut name = trace.file_name()?.to_owned();
        name.push(format!(".{PACKED_ENDING}"));
        let target = self.folder.join(name);
        trace::pack(trace, &target).is_ok().then_some(target)
    }
}

/// Whether a file of that name is a trace that a run has kept, or a report beside one.
fn is_of_a_run(name: &str) -> bool {
    let is_trace = name.strip_suffix(PACKED_ENDING).is_some_and(|name| name.ends_with(&format!("{TRACE}.")));
    let subject = name.split_once("-launch-").map_or("", |(subject, _)| subject);
    (is_trace || name.ends_with(REPORT)) && subject.parse::<usize>().is_ok()
}

/// Writes the JVM's own report of its crash beside the trace, and returns its path.
pub fn report(trace: &Path, ended: &Ended) -> Option<String> {
    let text = ended.crash_report.as_ref()?;
    let name = trace.file_name()?.to_string_lossy();
    let stem = name.split_once(TRACE).map_or(&*name, |(stem, _)| stem);
    let path = trace.with_file_name(format!("{stem}{REPORT}"));
    std::fs::write(&path, text).ok().map(|()| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use jvmti_wire::Plan;
    use jvmti_wire::trace::file;

    use super::*;

    fn trace_in(folder: &Path, subject: usize) -> PathBuf {
        let path = folder.join(trace_name(subject, "launch-003.1", 2));
        file::create(&path, &Plan::default(), 1 << 16).unwrap();
        path
    }

    #[test]
    fn an_earlier_run_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let keep = Keep { folder: folder.path().join("traces"), all: true };
        keep.prepare().unwrap();
        let trace = trace_in(folder.path(), 12);
        let kept = keep.trace(&trace, true).unwrap();
        std::fs::write(keep.folder.join("12-launch-003.1-2.crash.log"), "SIGSEGV").unwrap();
        let mine = ["notes.txt", "mine-launch-1.crash.log", "foo.jvmtitrace.zst"];
        mine.iter().for_each(|name| std::fs::write(keep.folder.join(name), "").unwrap());
        assert!(kept.is_file());

        keep.prepare().unwrap();
        let left: Vec<_> = std::fs::read_dir(&keep.folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left.len(), mine.len(), "{left:?}");
        assert!(mine.iter().all(|name| left.iter().any(|l| l == name)), "{left:?}");
    }

    #[test]
    fn only_what_is_unexpected_is_kept_if_that_is_all_that_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let keep = Keep { folder: folder.path().to_owned(), all: false };
        let trace = trace_in(folder.path(), 0);
        assert_eq!(keep.trace(&trace, true), None);
        assert!(keep.trace(&trace, false).is_some_and(|kept| kept.is_file()));
    }
}
