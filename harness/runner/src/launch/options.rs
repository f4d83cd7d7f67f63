//! What every JVM is started with, and what is kept from it.

use std::ffi::OsString;
use std::path::Path;

use jvmti_wire::plan::TRACE_VARIABLE;

use crate::jvm::family::Family;

/// Variables by which a JVM or the probe takes options or classes from outside, which would make a run something else.
pub const REMOVED_VARIABLES: [&str; 8] = [
    TRACE_VARIABLE,
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "JAVA_OPTIONS",
    "OPENJ9_JAVA_OPTIONS",
    "IBM_JAVA_OPTIONS",
    "CLASSPATH",
];

/// Variables that every JVM is given. The locale decides how a JVM decodes its options and file names: with the
/// caller's own, verdicts would depend on the caller. `C.UTF-8` is there wherever glibc is, without any package of
/// locales.
pub const SET_VARIABLES: [(&str, &str); 1] = [("LC_ALL", "C.UTF-8")];

/// The option that loads the probe, which records into that trace.
pub fn probe(library: &Path, trace: &Path) -> OsString {
    let parts = ["-agentpath:".as_ref(), library.as_os_str(), "=trace=".as_ref(), trace.as_os_str()];
    parts.into_iter().collect()
}

/// Options that size the heap.
const HEAP: [&str; 6] =
    ["-Xmx", "-XX:MaxHeapSize=", "-XX:MaxRAMPercentage=", "-XX:MaxRAM=", "-XX:MaxRAMFraction=", "-mx"];

/// Options that change nothing in what the JVM does, only what it leaves behind: crash reports and temporary files in
/// `scratch`, nothing in the system's temporary folder, and a heap that lets several run side by side unless the user's
/// options size it.
pub fn standing(family: Family, user: &[String], scratch: &Path) -> Vec<OsString> {
    let mut options = family.leaves_in(scratch);
    options.push(["-Djava.io.tmpdir=".as_ref(), scratch.as_os_str()].into_iter().collect());
    if !user.iter().any(|option| HEAP.iter().any(|heap| option.starts_with(heap))) {
        options.push("-Xmx256m".into());
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_heap(user: &str) -> bool {
        standing(Family::default(), &[user.to_owned()], Path::new("/s")).iter().any(|o| o == "-Xmx256m")
    }

    #[test]
    fn the_users_heap_size_is_left_alone() {
        assert!(has_heap("-Xint"));
        assert!(has_heap("-Xms16m"));
        assert!(!has_heap("-Xmx1g"));
        assert!(!has_heap("-XX:MaxRAMPercentage=50"));
    }
}
