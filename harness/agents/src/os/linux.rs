//! Linux.

use std::io;
use std::path::Path;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// Makes a link to a file.
pub(crate) fn link(file: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(file, link)
}

/// The processor time in nanoseconds of all processes that this one has waited for.
pub(crate) fn childrens_time() -> f64 {
    let of = |usage: Usage| usage.user_time().num_nanoseconds() + usage.system_time().num_nanoseconds();
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0.0, |usage| of(usage) as f64)
}

/// The processes that a process has started and that have not ended.
pub(crate) fn children(process: u32) -> Vec<u32> {
    let threads =
        std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().filter_map(Result::ok);
    let of_thread = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("children")).ok();
    let numbers =
        |text: String| text.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<u32>>();
    threads.filter_map(of_thread).flat_map(numbers).collect()
}

/// Whether a process that has not ended has a JVM in it.
pub(crate) fn is_jvm(process: u32) -> bool {
    std::fs::read(format!("/proc/{process}/maps")).is_ok_and(|maps| {
        let name = b"/libjvm.so";
        maps.windows(name.len()).any(|window| window == name)
    })
}

/// The command line of a process; none if it has ended.
pub(crate) fn command_line(process: u32) -> Vec<String> {
    words(&format!("/proc/{process}/cmdline"))
}

/// A variable of the environment that a process was started with.
pub(crate) fn variable(process: u32, name: &str) -> Option<String> {
    let variables = words(&format!("/proc/{process}/environ"));
    variables.iter().find_map(|variable| Some(variable.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
}

/// Words that end with a zero.
fn words(file: &str) -> Vec<String> {
    let text = std::fs::read(file).unwrap_or_default();
    let words = text.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
    let mut words: Vec<String> = words.collect();
    words.pop();
    words
}
