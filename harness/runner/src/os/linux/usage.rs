//! What processes take of the processors, and what their threads do, as the system tells.

use std::fs;
use std::time::Duration;

use crate::os::Thread;

/// Ticks of the system's accounting in a second, on every Linux.
const TICKS: u64 = 100;

/// The processor time that a process has taken until now. Also known of one that has ended, until it is waited for.
pub fn of_process(pid: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    fields(&text, UTIME, 2)
}

/// The processor time that this process has taken, and that of all its children that it has waited for.
pub fn own_and_childrens() -> Option<(Duration, Duration)> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    Some((fields(&text, UTIME, 2)?, fields(&text, UTIME + 2, 2)?))
}

/// The threads of a process at this moment.
pub fn threads(pid: u32) -> Vec<Thread> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let stats = tasks.filter_map(|task| fs::read_to_string(task.path().join("stat")).ok());
    stats.filter_map(|stat| thread(&stat)).collect()
}

fn thread(stat: &str) -> Option<Thread> {
    let (before, after) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    Some(Thread { name: name.to_owned(), state: after.trim_start().chars().next()? })
}

/// The number of the field `utime` in `/proc/PID/stat`, counted from the state, which follows the name.
const UTIME: usize = 11;

/// The sum of so many fields, which are counted in ticks.
fn fields(stat: &str, first: usize, count: usize) -> Option<Duration> {
    // The name of the program may contain anything.
    let (_, after) = stat.rsplit_once(')')?;
    let ticks = after.split_ascii_whitespace().skip(first).take(count).map(|field| field.parse::<u64>().ok());
    ticks.sum::<Option<u64>>().map(|ticks| Duration::from_millis(ticks * 1000 / TICKS))
}

/// The processor time that this thread has taken.
pub fn of_this_thread() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_whatever_the_name_of_the_program() {
        let stat = "7 (a ) (b) S 1 7 7 0 -1 4194560 1 2 3 4 150 50 30 20 20 0 33";
        assert_eq!(fields(stat, UTIME, 2), Some(Duration::from_secs(2)));
        assert_eq!(fields(stat, UTIME + 2, 2), Some(Duration::from_millis(500)));
        assert_eq!(thread(stat), Some(Thread { name: "a ) (b".to_owned(), state: 'S' }));
        assert_eq!(fields("7 (cut", UTIME, 2), None);
        assert!(own_and_childrens().is_some());
        assert_eq!(of_process(u32::MAX), None);
    }
}
