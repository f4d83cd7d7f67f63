//! Where the trace of a child JVM lies, one that a recorded program starts with the options of its own JVM: beside the
//! program's trace.

use std::path::{Path, PathBuf};

/// What stands before the number of the process in the name.
const CHILD: &str = "child-";

/// The trace of the child JVM in that process: `foo.child-4711.jvmtitrace` beside `foo.jvmtitrace`.
pub fn path(program: &Path, process: u32) -> PathBuf {
    program.with_extension(format!("{CHILD}{process}.{}", ending(program)))
}

/// The process of the child JVM whose trace the file is by its name, if it lies beside that of the program.
pub fn process(file: &Path, program: &Path) -> Option<u32> {
    let start = format!("{}.{CHILD}", program.file_stem()?.to_string_lossy());
    let name = file.file_name()?.to_string_lossy();
    let number = name.strip_prefix(&start)?.strip_suffix(&format!(".{}", ending(program)))?;
    number.parse().ok()
}

fn ending(program: &Path) -> String {
    program.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_process() {
        let program = Path::new("traces/foo-25.jvmtitrace");
        let child = path(program, 4711);
        assert_eq!(child, Path::new("traces/foo-25.child-4711.jvmtitrace"));
        assert_eq!(process(&child, program), Some(4711));
        for other in ["foo-25.jvmtitrace", "foo-25.child-x.jvmtitrace", "foo-25-2.child-1.jvmtitrace"] {
            assert_eq!(process(Path::new(other), program), None, "{other}");
        }
    }
}
