//! Families of JVMs: what each does in its own way, because the specification says nothing about it, in one place.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::os::attach;
use crate::os::names::{J9_FOLDERS, J9_LIBRARY};

/// A family of JVMs. Verdicts do not depend on it: only how the harness starts a JVM, attaches to it, and finds the
/// report of a crash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// HotSpot, Zero included, and JVMs that take the same options.
    #[default]
    HotSpot,
    /// Eclipse OpenJ9.
    OpenJ9,
}

/// How a JVM is asked to load an agent while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attaching {
    /// By HotSpot's protocol: a file, SIGQUIT, and a socket. Needs nothing of the JDK.
    Socket,
    /// By the attach API of the JVM's own JDK (`com.sun.tools.attach`).
    Api,
}

impl Family {
    /// The family of the JVM in this home.
    pub fn of_home(home: &Path) -> Family {
        let has_library = |folder: &&str| {
            let files = std::fs::read_dir(home.join(folder)).into_iter().flatten().flatten();
            files.into_iter().any(|file| file.file_name().to_string_lossy().starts_with(J9_LIBRARY))
        };
        if J9_FOLDERS.iter().any(has_library) { Family::OpenJ9 } else { Family::HotSpot }
    }

    /// Options that change nothing in what the JVM does, only what it leaves behind: the report of a crash goes into
    /// `folder`, and nothing large is written.
    pub fn leaves_in(self, folder: &Path) -> Vec<OsString> {
        let with = |option: &str, name: &str| {
            let mut text = OsString::from(option);
            text.push(folder.join(name));
            text
        };
        match self {
            Family::HotSpot => vec![
                with("-XX:ErrorFile=", "hs_err_%p.log"),
                with("-XX:ReplayDataFile=", "replay_%p.log"),
                "-XX:-UsePerfData".into(),
            ],
            Family::OpenJ9 => {
                vec!["-Xdump:none".into(), with("-Xdump:java:events=gpf+abort,file=", "javacore_%pid.txt")]
            }
        }
    }

    /// The report of the crash of that process, and what else it leaves by [`Family::leaves_in`].
    pub fn crash_report(self, folder: &Path, pid: u32) -> (PathBuf, Vec<PathBuf>) {
        match self {
            Family::HotSpot => {
                (folder.join(format!("hs_err_{pid}.log")), vec![folder.join(format!("replay_{pid}.log"))])
            }
            Family::OpenJ9 => (folder.join(format!("javacore_{pid}.txt")), Vec::new()),
        }
    }

    /// How the harness attaches to it.
    pub fn attaching(self) -> Attaching {
        match self {
            Family::HotSpot if attach::SUPPORTED => Attaching::Socket,
            Family::HotSpot | Family::OpenJ9 => Attaching::Api,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_is_of_the_family_whose_library_it_has() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(Family::of_home(home.path()), Family::HotSpot);
        let folder = home.path().join("lib/default");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("libj9gc29.so"), "").unwrap();
        assert_eq!(Family::of_home(home.path()), Family::HotSpot);
        std::fs::write(folder.join("libj9vm29.so"), "").unwrap();
        assert_eq!(Family::of_home(home.path()), Family::OpenJ9);
    }

    #[test]
    fn the_report_of_a_crash_is_where_the_options_say() {
        for family in [Family::HotSpot, Family::OpenJ9] {
            let (report, _) = family.crash_report(Path::new("/s"), 7);
            let options = family.leaves_in(Path::new("/s"));
            let told = |option: &OsString| {
                let option = option.to_string_lossy().replace("%pid", "7").replace("%p", "7");
                option.ends_with(&*report.to_string_lossy())
            };
            assert!(options.iter().any(told), "{family:?}");
        }
    }
}
