//! What every JVM is started with, and what is kept from it.

use std::ffi::OsString;
use std::path::Path;

/// Variables by which a JVM takes options or classes from outside, which would make a run something else.
pub const REMOVED_VARIABLES: [&str; 7] = [
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

/// Options that size the heap.
const HEAP: [&str; 6] =
    ["-Xmx", "-XX:MaxHeapSize=", "-XX:MaxRAMPercentage=", "-XX:MaxRAM=", "-XX:MaxRAMFraction=", "-mx"];

/// Options that change nothing in what the JVM does, only what it leaves behind: crash and replay files in `scratch`,
/// no counters file in the system's temporary folder, and a heap that lets several run side by side unless the
/// user's options size it.
pub fn standing(user: &[String], scratch: &Path) -> Vec<OsString> {
    let in_scratch = |option: &str, name: &str| {
        let mut text = OsString::from(option);
        text.push(scratch.join(name));
        text
    };
    let mut options = vec![
        in_scratch("-XX:ErrorFile=", "hs_err_%p.log"),
        in_scratch("-XX:ReplayDataFile=", "replay_%p.log"),
        "-XX:-UsePerfData".into(),
    ];
    if !user.iter().any(|option| HEAP.iter().any(|heap| option.starts_with(heap))) {
        options.push("-Xmx256m".into());
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_heap(user: &str) -> bool {
        standing(&[user.to_owned()], Path::new("/s")).iter().any(|o| o == "-Xmx256m")
    }

    #[test]
    fn the_users_heap_size_is_left_alone() {
        assert!(has_heap("-Xint"));
        assert!(has_heap("-Xms16m"));
        assert!(!has_heap("-Xmx1g"));
        assert!(!has_heap("-XX:MaxRAMPercentage=50"));
    }
}
